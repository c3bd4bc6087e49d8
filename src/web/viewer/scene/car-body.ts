import { at } from './lines.ts';
import { between, MeshBuilder, type Spot } from './mesh-builder.ts';
import type { Slot } from './palette.ts';

/** The shape of a model: metres from the middle of the body, ahead positive. */
export interface BodyPlan {
  lengthM: number;
  widthM: number;
  /** Where the bonnet meets the windscreen, and the windscreen the roof. */
  cowl: number;
  roofFront: number;
  roofRear: number;
  /** Where the rear window meets the boot. */
  deck: number;
  sillM: number;
  bonnetM: number;
  beltM: number;
  deckM: number;
  roofM: number;
  wheelM: number;
  axleFront: number;
  axleRear: number;
}

const HATCH: BodyPlan = {
  lengthM: 4.06,
  widthM: 1.74,
  cowl: 1.05,
  roofFront: 0.35,
  roofRear: -1.45,
  deck: -1.92,
  sillM: 0.24,
  bonnetM: 0.84,
  beltM: 0.98,
  deckM: 0.98,
  roofM: 1.5,
  wheelM: 0.31,
  axleFront: 1.28,
  axleRear: -1.27,
};

/** By model. */
export const BODY_PLANS: Readonly<Record<string, BodyPlan>> = {
  'Lumen City': HATCH,
  'Aurora Vela': {
    ...HATCH,
    lengthM: 4.32,
    widthM: 1.79,
    cowl: 1.08,
    roofFront: 0.3,
    roofRear: -1.35,
    deck: -2.0,
    roofM: 1.45,
    axleFront: 1.36,
    axleRear: -1.28,
  },
  'Corvane S4': {
    ...HATCH,
    lengthM: 4.56,
    widthM: 1.82,
    cowl: 0.98,
    roofFront: 0.2,
    roofRear: -1.0,
    deck: -1.72,
    bonnetM: 0.8,
    beltM: 0.92,
    deckM: 0.96,
    roofM: 1.41,
    axleFront: 1.43,
    axleRear: -1.35,
  },
  'Halden Terra': {
    ...HATCH,
    lengthM: 4.48,
    widthM: 1.85,
    cowl: 1.1,
    roofFront: 0.45,
    roofRear: -1.75,
    deck: -2.12,
    sillM: 0.32,
    bonnetM: 1.02,
    beltM: 1.14,
    deckM: 1.14,
    roofM: 1.7,
    wheelM: 0.37,
    axleFront: 1.4,
    axleRear: -1.28,
  },
  'Solis Meridian': {
    ...HATCH,
    lengthM: 4.6,
    widthM: 1.85,
    cowl: 1.3,
    roofFront: 0.35,
    roofRear: -0.8,
    deck: -1.95,
    bonnetM: 0.78,
    beltM: 0.92,
    deckM: 1.0,
    roofM: 1.44,
    wheelM: 0.34,
    axleFront: 1.48,
    axleRear: -1.39,
  },
};

/** The plan of a model; an unknown model gets that of the first one. */
export const planOf = (model: string): BodyPlan => BODY_PLANS[model] ?? HATCH;

const mirrored = ([x, y, z]: Spot): Spot => [x, -y, z];

/** A mesh of a moving body, lit in its own frame. */
export class MovingMesh extends MeshBuilder {
  /** A car turns, so the sun is ignored. */
  protected override shadeOf(nx: number, _ny: number, nz: number): number {
    return nz < -0.5 ? 0.4 : 0.74 + 0.27 * Math.max(0, nz) + 0.07 * nx * nx;
  }

  /** A face and its mirror image. */
  pair(corners: readonly Spot[], slot: Slot): void {
    this.face(corners, slot);
    this.face(corners.map(mirrored).toReversed(), slot);
  }

  /** A wheel; its axle runs across. */
  wheel(x: number, y: number, radiusM: number, widthM: number): void {
    const side = Math.sign(y);
    // Seen from outside, the corners are counter-clockwise.
    const ring = (atY: number, part: number): Spot[] =>
      Array.from({ length: WHEEL_SIDES }, (_, i) => {
        const rad = (-side * 2 * Math.PI * i) / WHEEL_SIDES;
        const reachM = radiusM * part;
        return [x + reachM * Math.cos(rad), atY, radiusM + reachM * Math.sin(rad)];
      });
    const outer = ring(y + (side * widthM) / 2, 1);
    this.loft(ring(y - (side * widthM) / 2, 1), outer, 'tyre');
    this.face(outer, 'tyre');
    this.face(ring(y + side * (widthM / 2 + 0.01), 0.62), 'rim');
  }
}

const WHEEL_SIDES = 10;
const WHEEL_WIDTH_M = 0.22;

/** A car with wheels, glass and lamps, its nose along x, its wheels on z = 0. */
export function carBody(plan: BodyPlan): MovingMesh {
  const mesh = new MovingMesh();
  lowerBody(mesh, plan);
  cabin(mesh, plan);
  for (const x of [plan.axleFront, plan.axleRear]) {
    const y = plan.widthM / 2 - WHEEL_WIDTH_M / 2 + 0.01;
    mesh.wheel(x, y, plan.wheelM, WHEEL_WIDTH_M);
    mesh.wheel(x, -y, plan.wheelM, WHEEL_WIDTH_M);
  }
  lamps(mesh, plan);
  return mesh;
}

/** Cross-section of the body below the windows. */
interface Section {
  x: number;
  half: number;
  lowM: number;
  topM: number;
}

function sectionsOf(plan: BodyPlan): Section[] {
  const { lengthM, widthM, sillM, bonnetM, beltM, deckM, cowl, deck } = plan;
  const nose = lengthM / 2;
  const half = widthM / 2;
  return [
    { x: -nose, half: half * 0.84, lowM: sillM + 0.12, topM: deckM - 0.14 },
    { x: -nose + 0.16, half: half * 0.95, lowM: sillM, topM: deckM },
    { x: Math.max(deck, -nose + 0.3), half, lowM: sillM, topM: deckM },
    { x: cowl, half, lowM: sillM, topM: beltM },
    { x: nose - 0.34, half: half * 0.95, lowM: sillM, topM: bonnetM - 0.04 },
    { x: nose - 0.06, half: half * 0.84, lowM: sillM + 0.03, topM: bonnetM - 0.2 },
    { x: nose, half: half * 0.76, lowM: sillM + 0.08, topM: bonnetM - 0.3 },
  ];
}

/** How much narrower the body is at its shoulders than at its flanks. */
const SHOULDER = 0.93;
const FLANK_AT = 0.6;

function lowerBody(mesh: MovingMesh, plan: BodyPlan): void {
  const sections = sectionsOf(plan);
  const ring = ({ x, half, lowM, topM }: Section): Spot[] => {
    const flankM = lowM + (topM - lowM) * FLANK_AT;
    return [
      [x, half * 0.94, lowM],
      [x, half, flankM],
      [x, half * SHOULDER, topM],
    ];
  };
  for (let i = 0; i + 1 < sections.length; i++) {
    const [a, b] = [ring(at(sections, i)), ring(at(sections, i + 1))];
    for (let level = 0; level + 1 < a.length; level++) {
      const face = [at(b, level), at(a, level), at(a, level + 1), at(b, level + 1)];
      mesh.pair(face, 'paint');
    }
    const [left, ahead] = [at(a, 2), at(b, 2)];
    mesh.face([mirrored(left), mirrored(ahead), ahead, left], 'paint');
  }
  const closing = (section: Section, isFront: boolean) => {
    const left = ring(section);
    const face = [...left.map(mirrored), ...left.toReversed()];
    mesh.face(isFront ? face : face.toReversed(), 'paint');
  };
  closing(at(sections, 0), false);
  closing(at(sections, -1), true);
  skirt(mesh, plan);
}

/** The dark strip between the sills, and what is behind the wheels. */
function skirt(mesh: MovingMesh, { lengthM, widthM, sillM }: BodyPlan): void {
  mesh.box([0, 0, sillM - 0.1], [lengthM * 0.93, widthM * 0.88, 0.14], 'trim');
}

/** Windows all round under a roof that is narrower than the shoulders. */
function cabin(mesh: MovingMesh, plan: BodyPlan): void {
  const { cowl, roofFront, roofRear, deck, beltM, deckM, roofM, widthM } = plan;
  const low = (widthM / 2) * SHOULDER;
  const high = (widthM / 2) * 0.74;
  const rim = 0.05;
  const frontLow: Spot = [cowl, low * 0.96, beltM];
  const rearLow: Spot = [deck, low * 0.96, deckM];
  const frontHigh: Spot = [roofFront, high, roofM - rim];
  const rearHigh: Spot = [roofRear, high * 0.96, roofM - rim];
  mesh.pair([frontLow, frontHigh, rearHigh, rearLow].toReversed(), 'glass');
  mesh.face([mirrored(frontLow), frontLow, frontHigh, mirrored(frontHigh)], 'glass');
  mesh.face([rearLow, mirrored(rearLow), mirrored(rearHigh), rearHigh], 'glass');
  const crown = ([x, y]: Spot, inM: number): Spot => [x - Math.sign(x) * inM, y * 0.9, roofM];
  const [roofA, roofB] = [crown(frontHigh, 0.02), crown(rearHigh, 0.05)];
  mesh.face([mirrored(roofB), mirrored(roofA), roofA, roofB], 'paint');
  mesh.pair([frontHigh, roofA, roofB, rearHigh].toReversed(), 'paint');
  mesh.face([mirrored(frontHigh), frontHigh, roofA, mirrored(roofA)], 'paint');
  mesh.face([rearHigh, mirrored(rearHigh), mirrored(roofB), roofB], 'paint');
  pillars(mesh, frontLow, frontHigh, rearHigh, rearLow);
  mirrors(mesh, plan);
}

const PILLAR_M = 0.1;

/** Thin posts in the colour of the car, a hair outside the glass. */
function pillars(mesh: MovingMesh, a: Spot, b: Spot, c: Spot, d: Spot): void {
  const out = 0.012;
  const post = (low: Spot, high: Spot, width: number) => {
    const face: Spot[] = [
      [high[0] - width, high[1] + out, high[2]],
      [high[0] + width, high[1] + out, high[2]],
      [low[0] + width, low[1] + out, low[2]],
      [low[0] - width, low[1] + out, low[2]],
    ];
    mesh.pair(face, 'paint');
  };
  post(between(a, d, 0.5), between(b, c, 0.5), PILLAR_M / 2);
  post(between(a, d, 0.94), between(b, c, 0.96), PILLAR_M * 1.4);
}

function mirrors(mesh: MovingMesh, { cowl, widthM, beltM }: BodyPlan): void {
  for (const side of [1, -1]) {
    const y = side * (widthM / 2 + 0.04);
    mesh.box([cowl - 0.25, y, beltM], [0.14, 0.2, 0.13], 'trim');
  }
}

/** Head and tail lamps, indicators and plates, a hair before the body. */
function lamps(mesh: MovingMesh, { lengthM, widthM, bonnetM, deckM, sillM }: BodyPlan): void {
  const nose = lengthM / 2;
  const box = (x: number, y: number, z: number, width: number, height: number, slot: Slot) =>
    mesh.box([x, y, z], [0.1, width, height], slot);
  for (const side of [1, -1]) {
    box(nose - 0.09, side * widthM * 0.34, bonnetM - 0.26, 0.36, 0.13, 'lampHead');
    box(nose - 0.17, side * widthM * 0.43, bonnetM - 0.26, 0.14, 0.11, 'lampSide');
    box(-nose + 0.05, side * widthM * 0.32, deckM - 0.29, 0.4, 0.15, 'lampTail');
    box(-nose + 0.09, side * widthM * 0.41, deckM - 0.27, 0.14, 0.12, 'lampSide');
  }
  box(nose - 0.03, 0, sillM + 0.16, 0.5, 0.11, 'plate');
  box(nose - 0.04, 0, sillM + 0.3, widthM * 0.45, 0.12, 'trim');
  box(-nose + 0.03, 0, sillM + 0.28, 0.5, 0.11, 'plate');
}
