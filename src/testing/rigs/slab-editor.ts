import type { Kernel } from '../../kernel/kernel.ts';
import { SlabView } from './kernel.ts';

/** A world's arrays, to be put into a state that it would hardly come to by itself. */
export class SlabEditor extends SlabView {
  readonly #bytes: DataView;

  constructor(image: Uint8Array) {
    super(image);
    this.#bytes = new DataView(image.buffer, image.byteOffset, image.byteLength);
  }

  setF64(array: number, car: number, value: number): void {
    this.#bytes.setFloat64(array + car * 8, value, true);
  }

  setI32(array: number, car: number, value: number): void {
    this.#bytes.setInt32(array + car * 4, value, true);
  }
}

/** Changes a world in place. */
export function edit(kernel: Kernel, slab: number, change: (world: SlabEditor) => void): void {
  const { buffer, byteOffset, byteLength } = kernel.view(slab).i32;
  change(new SlabEditor(new Uint8Array(buffer, byteOffset, byteLength)));
}
