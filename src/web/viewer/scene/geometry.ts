import {
  BufferAttribute,
  BufferGeometry,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  Object3D,
  Sphere,
  Vector3,
} from 'three';
import type { Theme } from '../../common/theme.ts';
import type { MeshBuilder } from './mesh-builder.ts';
import { paint, type Slot, type Tint } from './palette.ts';

/** What moves is not culled: finding out what is out of sight costs more than drawing it. */
export const EVERYWHERE = new Sphere(new Vector3(), Number.POSITIVE_INFINITY);

/** Prepares an object that the scene graph neither moves nor culls. */
export function fixed<T extends Object3D>(object: T, order = 0): T {
  object.renderOrder = order;
  object.matrixAutoUpdate = false;
  object.frustumCulled = false;
  return object;
}

/** The geometry of a mesh, without colours. */
export function geometryOf(mesh: MeshBuilder): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(mesh.positions, 3));
  geometry.setIndex(mesh.indices);
  geometry.boundingSphere = EVERYWHERE;
  return geometry;
}

/** Sets the colours of a geometry for a theme; slots and shades are those of its mesh. */
export function applyTheme(
  geometry: BufferGeometry,
  { slots, shades }: Pick<MeshBuilder, 'slots' | 'shades'>,
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

/** Which colour of the instance replaces that of a slot, as the shader numbers them. */
const PARTS: Partial<Record<Slot, number>> = { paint: 1, lampHead: 2, lampTail: 3, lampSide: 4 };

/** Instances of one body, filled anew for each frame. */
export class InstancedBodies {
  readonly object: InstancedMesh;
  readonly #mesh: MeshBuilder;
  readonly #tints: InstancedBufferAttribute;
  readonly #lamps: InstancedBufferAttribute;

  constructor(mesh: MeshBuilder, material: Material, capacity: number) {
    this.#mesh = mesh;
    const geometry = geometryOf(mesh);
    const parts = Uint8Array.from(mesh.slots, (slot) => PARTS[slot] ?? 0);
    geometry.setAttribute('part', new BufferAttribute(parts, 1));
    this.object = fixed(new InstancedMesh(geometry, material, capacity));
    this.object.count = 0;
    this.object.visible = false;
    this.#tints = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    this.#lamps = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    geometry.setAttribute('tint', this.#tints);
    geometry.setAttribute('lamps', this.#lamps);
  }

  setTheme(theme: Theme): void {
    applyTheme(this.object.geometry, this.#mesh, theme);
  }

  clear(): void {
    this.object.count = 0;
  }

  add(body: Object3D, tint: Tint, head: number, brake: number, blink: number): void {
    const i = this.object.count++;
    body.updateMatrix();
    this.object.setMatrixAt(i, body.matrix);
    this.#tints.setXYZ(i, tint[0], tint[1], tint[2]);
    this.#lamps.setXYZ(i, head, brake, blink);
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

/** Position, rotation (x: roll, z: heading) and scale of a body; reused for one after the other. */
export function createTransform(): Object3D {
  const transform = new Object3D();
  transform.rotation.order = 'ZYX';
  return transform;
}
