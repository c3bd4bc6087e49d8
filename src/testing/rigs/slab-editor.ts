import type { Kernel } from '../../kernel/kernel.ts';
import { SlabView } from './kernel.ts';

/** A world's arrays, to be put into a state that it would hardly come to by itself. */
export class SlabEditor extends SlabView {
  setF64(array: number, car: number, value: number): void {
    this.arrays.f64[array / 8 + car] = value;
  }

  setI32(array: number, car: number, value: number): void {
    this.arrays.i32[array / 4 + car] = value;
  }
}

/** Changes a world in place. */
export function edit(kernel: Kernel, slab: number, change: (world: SlabEditor) => void): void {
  change(new SlabEditor(kernel.view(slab)));
}
