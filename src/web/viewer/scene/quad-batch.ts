import {
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  type Material,
  Mesh,
} from 'three';
import { fixed } from './geometry.ts';

/** Instanced squares, drawn in one call in the order in which they were added. */
export class QuadBatch {
  readonly object: Mesh;
  readonly #geometry = new InstancedBufferGeometry();
  readonly #attributes: InstancedBufferAttribute[] = [];
  readonly #capacity: number;
  #count = 0;

  constructor(material: Material, capacity: number, order: number) {
    this.#capacity = capacity;
    const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
    this.#geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
    this.#geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.object = fixed(new Mesh(this.#geometry, material), order);
    this.object.visible = false;
  }

  /** Adds an attribute that each square has a value of. */
  protected attribute(name: string, size: 3 | 4): InstancedBufferAttribute {
    const made = new InstancedBufferAttribute(new Float32Array(size * this.#capacity), size);
    made.setUsage(DynamicDrawUsage);
    this.#geometry.setAttribute(name, made);
    this.#attributes.push(made);
    return made;
  }

  /** The index of one more square; −1 where the capacity is used up. */
  protected next(): number {
    return this.#count < this.#capacity ? this.#count++ : -1;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Sends what was added to the graphics card. */
  flush(): void {
    this.#geometry.instanceCount = this.#count;
    this.object.visible = this.#count > 0;
    if (this.#count === 0) return;
    for (const attribute of this.#attributes) attribute.needsUpdate = true;
  }
}
