import {
  BufferAttribute,
  BufferGeometry,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  Sphere,
  Vector3,
} from 'three';
import type { Mesh } from './mesh.ts';
import { paint, type Slot } from './palette.ts';
import type { Theme } from './types.ts';

/** All is drawn always: finding out what is out of sight costs more than drawing it. */
const EVERYWHERE = new Sphere(new Vector3(), Number.POSITIVE_INFINITY);

/** A mesh as the graphics card takes it, without its coat of paint. */
export function geometryOf(mesh: Mesh): BufferGeometry {
  const geometry = new BufferGeometry();
  const Index = mesh.count > 65_535 ? Uint32Array : Uint16Array;
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(mesh.positions), 3));
  geometry.setIndex(new BufferAttribute(new Index(mesh.indices), 1));
  geometry.boundingSphere = EVERYWHERE;
  return geometry;
}

/** Paints or repaints; slots and shades are those of the mesh. */
export function coat(
  geometry: BufferGeometry,
  { slots, shades }: Pick<Mesh, 'slots' | 'shades'>,
  theme: Theme,
): void {
  const bytes = paint(slots, shades, theme);
  const colour = geometry.getAttribute('color') as BufferAttribute | undefined;
  if (colour) {
    colour.array.set(bytes);
    colour.needsUpdate = true;
  } else {
    geometry.setAttribute('color', new BufferAttribute(bytes, 3, true));
  }
}

/** What a part of a moving thing does with the instance's colour and lamps. */
const PARTS: Partial<Record<Slot, number>> = { paint: 1, lampHead: 2, lampTail: 3, lampSide: 4 };

/** Geometry of something that moves. */
export function movingGeometry(mesh: Mesh): BufferGeometry {
  const geometry = geometryOf(mesh);
  const parts = Uint8Array.from(mesh.slots, (slot) => PARTS[slot] ?? 0);
  geometry.setAttribute('part', new BufferAttribute(parts, 1));
  return geometry;
}

/** Instances of one body, written anew each frame. */
export class Crowd {
  readonly object: InstancedMesh;
  readonly #matrices: Float32Array;
  readonly #tints: InstancedBufferAttribute;
  readonly #lamps: InstancedBufferAttribute;

  /** The geometry becomes this crowd's own: instances carry their colours in it. */
  constructor(geometry: BufferGeometry, material: Material, capacity: number) {
    this.object = new InstancedMesh(geometry, material, capacity);
    this.object.frustumCulled = false;
    this.object.matrixAutoUpdate = false;
    this.object.count = 0;
    this.object.visible = false;
    this.#matrices = this.object.instanceMatrix.array as Float32Array;
    this.#tints = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    this.#lamps = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    geometry.setAttribute('tint', this.#tints);
    geometry.setAttribute('lamps', this.#lamps);
  }

  clear(): void {
    this.object.count = 0;
  }

  /** Adds one, at a place, turned, and so many times its size each way; `roll` lays it aside. */
  add(place: Stance, tint: readonly number[], head: number, brake: number, blink: number): void {
    const i = this.object.count++;
    place.writeTo(this.#matrices, 16 * i);
    for (let k = 0; k < 3; k++) this.#tints.array[3 * i + k] = tint[k] ?? 1;
    this.#lamps.array[3 * i] = head;
    this.#lamps.array[3 * i + 1] = brake;
    this.#lamps.array[3 * i + 2] = blink;
  }

  /** Sends what was added to the graphics card. */
  flush(): void {
    const { object } = this;
    object.visible = object.count > 0;
    if (!object.visible) return;
    object.instanceMatrix.needsUpdate = true;
    this.#tints.needsUpdate = true;
    this.#lamps.needsUpdate = true;
  }
}

/** Where and how something stands: one object, filled anew for each. */
export class Stance {
  x = 0;
  y = 0;
  z = 0;
  heading = 0;
  roll = 0;
  scaleX = 1;
  scaleY = 1;
  scaleZ = 1;

  /** As a column-major matrix: scaled, rolled about its length, turned, moved. */
  writeTo(array: Float32Array, from: number): void {
    const c = Math.cos(this.heading);
    const s = Math.sin(this.heading);
    const cr = Math.cos(this.roll);
    const sr = Math.sin(this.roll);
    array[from] = c * this.scaleX;
    array[from + 1] = s * this.scaleX;
    array[from + 2] = 0;
    array[from + 3] = 0;
    array[from + 4] = -s * cr * this.scaleY;
    array[from + 5] = c * cr * this.scaleY;
    array[from + 6] = sr * this.scaleY;
    array[from + 7] = 0;
    array[from + 8] = s * sr * this.scaleZ;
    array[from + 9] = -c * sr * this.scaleZ;
    array[from + 10] = cr * this.scaleZ;
    array[from + 11] = 0;
    array[from + 12] = this.x;
    array[from + 13] = this.y;
    array[from + 14] = this.z;
    array[from + 15] = 1;
  }
}
