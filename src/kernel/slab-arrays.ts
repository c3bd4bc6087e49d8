/** The arrays of one slab in place. */
import { CARS_F32, CARS_I32, SLAB_BYTES } from '../../assembly/layout.ts';

/** Indices are the layout's offsets ÷ the bytes of an element. */
export interface SlabArrays {
  readonly f64: Float64Array;
  readonly f32: Float32Array;
  readonly i32: Int32Array;
}

/** Views of the slab that begins at an offset of a memory, in bytes. */
export function slabArrays(memory: ArrayBufferLike, offset = 0): SlabArrays {
  return {
    f64: new Float64Array(memory, offset, SLAB_BYTES / 8),
    f32: new Float32Array(memory, offset, SLAB_BYTES / 4),
    i32: new Int32Array(memory, offset, SLAB_BYTES / 4),
  };
}

/** Whether the elements of an array of the layout are f32: those of other real numbers are f64. */
export const isF32 = (array: number): boolean => array >= CARS_F32 && array < CARS_I32;

/** Element `i` of an array of real numbers, C_; or the field at that offset, with `i` = 0. */
export function realOf({ f64, f32 }: SlabArrays, array: number, i: number): number {
  return (isF32(array) ? f32[array / 4 + i] : f64[array / 8 + i]) as number;
}
