import type { Box } from '../types.ts';

/** Margin above the error of single precision within a city. */
const SPARE_M = 0.01;

/** Middle and half the size of a box slightly larger than another: see GB_ in the memory map. */
export const gridBoxOf = ({ minX, minY, maxX, maxY }: Box) => ({
  x: 0.5 * (minX + maxX),
  y: 0.5 * (minY + maxY),
  halfX: 0.5 * (maxX - minX) + SPARE_M,
  halfY: 0.5 * (maxY - minY) + SPARE_M,
});
