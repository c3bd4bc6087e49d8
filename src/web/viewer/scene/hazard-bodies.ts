import { carBody, MovingMesh, planOf } from './car-body.ts';
import type { Size, Spot } from './mesh-builder.ts';
import type { Slot, Tint } from './palette.ts';

/** The body of a hazard; the scene scales it to the size in the snapshot. */
export interface HazardBody {
  mesh: MovingMesh;
  lengthM: number;
  widthM: number;
  /** Colour of its painted parts. */
  tint: Tint;
  /** Bobs up and down. */
  walks: boolean;
  /** Its warning lights blink. */
  isBroken: boolean;
}

/** The body for a kind of hazard spot; null where the road itself is the hazard. */
export function hazardBody(kind: string): HazardBody | null {
  switch (kind) {
    case 'ice_bend':
    case 'sharp_bend':
      return null;
    case 'parked_row_child':
      return standing(person(1.15, 'childTop', 'childLegs'), 0.5, 0.5, true);
    case 'dark_zebra':
      return standing(person(1.78, 'darkClothes', 'darkClothes'), 0.6, 0.6, true);
    case 'deer_crossing':
      return standing(deer(), 1.1, 0.35, true);
    case 'red_light_lorry':
    case 'blind_stall':
      return standing(lorry(), 10, 2.5, false);
    case 'tram_crossing':
      return standing(tram(), 20, 2.4, false);
    case 'cut_in':
      return standing(van(), 5.9, 2, false);
    case 'wet_crest':
      return standing(load(), 2, 1.3, false);
    case 'fog_stall':
      return { ...strangerCar([0.42, 0.55, 0.65]), isBroken: true };
    default:
      return strangerCar([0.55, 0.3, 0.68]);
  }
}

function standing(mesh: MovingMesh, lengthM: number, widthM: number, walks: boolean): HazardBody {
  return { mesh, lengthM, widthM, tint: [1, 1, 1], walks, isBroken: false };
}

function strangerCar(tint: Tint): HazardBody {
  const plan = planOf('Corvane S4');
  const { lengthM, widthM } = plan;
  return { mesh: carBody(plan), lengthM, widthM, tint, walks: false, isBroken: false };
}

/** A walking person, facing along x. */
function person(heightM: number, top: Slot, legs: Slot): MovingMesh {
  const mesh = new MovingMesh();
  const s = heightM / 1.75;
  const put = ([x, y, z]: Spot, [l, w, h]: Size, slot: Slot) =>
    mesh.box([x * s, y * s, z * s], [l * s, w * s, h * s], slot);
  put([0.16, 0.1, 0], [0.18, 0.16, 0.82], legs);
  put([-0.16, -0.1, 0], [0.18, 0.16, 0.82], legs);
  put([0, 0, 0.78], [0.28, 0.46, 0.62], top);
  put([0.14, -0.29, 0.86], [0.15, 0.12, 0.5], top);
  put([-0.12, 0.29, 0.86], [0.15, 0.12, 0.5], top);
  put([0.02, 0, 1.44], [0.22, 0.2, 0.24], 'skin');
  put([-0.02, 0, 1.6], [0.26, 0.24, 0.14], 'hair');
  return mesh;
}

function deer(): MovingMesh {
  const mesh = new MovingMesh();
  for (const [x, y] of [
    [0.36, 0.11],
    [0.44, -0.11],
    [-0.36, 0.11],
    [-0.44, -0.11],
  ] as const) {
    mesh.box([x, y, 0], [0.09, 0.08, 0.62], 'fur');
  }
  mesh.box([0, 0, 0.58], [1.05, 0.36, 0.42], 'fur');
  mesh.box([-0.53, 0, 0.74], [0.08, 0.18, 0.2], 'furLight');
  mesh.box([0.5, 0, 0.86], [0.22, 0.2, 0.5], 'fur');
  mesh.box([0.68, 0, 1.24], [0.42, 0.18, 0.2], 'fur');
  mesh.box([0.87, 0, 1.24], [0.08, 0.14, 0.13], 'hair');
  for (const side of [1, -1]) {
    mesh.box([0.54, side * 0.14, 1.42], [0.06, 0.16, 0.08], 'furLight');
    mesh.box([0.52, side * 0.09, 1.42], [0.05, 0.05, 0.42], 'antler');
    mesh.box([0.6, side * 0.17, 1.66], [0.24, 0.05, 0.05], 'antler');
    mesh.box([0.48, side * 0.2, 1.78], [0.05, 0.26, 0.05], 'antler');
  }
  return mesh;
}

function wheels(mesh: MovingMesh, places: readonly number[], halfM: number, radiusM: number): void {
  for (const x of places) {
    mesh.wheel(x, halfM - 0.15, radiusM, 0.3);
    mesh.wheel(x, 0.15 - halfM, radiusM, 0.3);
  }
}

function endLamps(mesh: MovingMesh, halfLength: number, halfWidth: number, z: number): void {
  for (const side of [1, -1]) {
    mesh.box([halfLength, side * halfWidth, z], [0.06, 0.3, 0.18], 'lampHead');
    mesh.box([-halfLength, side * halfWidth, z], [0.06, 0.3, 0.18], 'lampTail');
  }
}

function lorry(): MovingMesh {
  const mesh = new MovingMesh();
  mesh.box([-0.1, 0, 0.55], [9.6, 1.5, 0.3], 'trim');
  mesh.box([-1.15, 0, 0.95], [7.6, 2.5, 2.75], 'lorryBox');
  mesh.box([-1.15, 0, 1.5], [7.62, 2.52, 0.28], 'lorryCab');
  mesh.box([3.95, 0, 0.5], [2, 2.44, 2.5], 'lorryCab');
  mesh.box([4.94, 0, 1.75], [0.06, 2.2, 0.95], 'glass');
  mesh.box([4.35, 0, 1.8], [0.9, 2.48, 0.8], 'glass');
  mesh.box([4.97, 0, 0.62], [0.06, 2.3, 0.4], 'trim');
  endLamps(mesh, 4.98, 0.95, 1.1);
  wheels(mesh, [3.9, -2.6, -3.8], 1.25, 0.5);
  return mesh;
}

function tram(): MovingMesh {
  const mesh = new MovingMesh();
  for (const [x, length] of [
    [-6.55, 6.6],
    [0, 5.9],
    [6.55, 6.6],
  ] as const) {
    mesh.box([x, 0, 0.3], [length, 2.4, 1.05], 'tramBody');
    mesh.box([x, 0, 1.35], [length, 2.36, 1.15], 'glass');
    mesh.box([x, 0, 2.5], [length, 2.4, 0.32], 'tramBody');
    mesh.box([x, 0, 2.82], [length * 0.7, 1.5, 0.3], 'tramBand');
    mesh.box([x, 0, 1.28], [length + 0.01, 2.43, 0.14], 'tramBand');
  }
  for (const x of [-3.1, 3.1]) mesh.box([x, 0, 0.4], [0.6, 2.1, 2.3], 'trim');
  endLamps(mesh, 9.86, 0.85, 0.75);
  mesh.box([0, 0, 3.12], [0.1, 1.4, 0.7], 'metal');
  return mesh;
}

function van(): MovingMesh {
  const mesh = new MovingMesh();
  mesh.box([-0.55, 0, 0.42], [4.8, 2, 2.05], 'vanBody');
  mesh.box([2.4, 0, 0.42], [1.1, 1.94, 0.85], 'vanBody');
  const high = 2.4;
  mesh.face(
    [
      [2.5, -0.92, 1.27],
      [2.5, 0.92, 1.27],
      [1.86, 0.86, high],
      [1.86, -0.86, high],
    ],
    'glass',
  );
  mesh.pair(
    [
      [1.86, 0.86, high],
      [2.5, 0.92, 1.27],
      [1.84, 0.93, 1.27],
    ],
    'glass',
  );
  mesh.box([1.3, 0, 1.3], [0.8, 2.03, 0.75], 'glass');
  mesh.box([-1.2, 0, 1.1], [2.9, 2.03, 0.5], 'tramBand');
  endLamps(mesh, 2.95, 0.72, 0.85);
  wheels(mesh, [1.75, -1.9], 1, 0.34);
  return mesh;
}

/** Lost crates, with a striped board. */
function load(): MovingMesh {
  const mesh = new MovingMesh();
  mesh.box([-0.45, 0.1, 0], [0.95, 0.95, 0.8], 'crate');
  mesh.box([0.5, -0.15, 0], [0.85, 0.85, 0.6], 'crate');
  mesh.box([-0.3, 0, 0.8], [0.6, 0.6, 0.5], 'crate');
  for (let i = 0; i < 5; i++) {
    const slot: Slot = i % 2 === 0 ? 'stripe' : 'plate';
    mesh.box([-0.97, (i - 2) * 0.26, 0.45], [0.06, 0.26, 0.3], slot);
  }
  return mesh;
}
