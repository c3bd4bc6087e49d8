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

/** Restores a world as `change` leaves it. */
export function edit(kernel: Kernel, slab: number, change: (world: SlabEditor) => void): void {
  const image = kernel.image(slab);
  change(new SlabEditor(image));
  kernel.restore(slab, image);
}
