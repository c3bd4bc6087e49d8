import type { Pose } from '../api/types.ts';
import { type Decals, SHAPE } from './decals.ts';
import type { Tint } from './palette.ts';

/** The place so many metres along a way. */
export type Way = (alongM: number) => Pose;

interface Dashes {
  lengthM: number;
  /** Of a dash. */
  dashM: number;
  /** From the beginning of one to that of the next. */
  stepM: number;
  halfWidthM: number;
  tint: Tint;
  alphaAt: (alongM: number) => number;
}

/** Adds dashes along a way, from its beginning. */
export function addDashes(decals: Decals, way: Way, dashes: Dashes): void {
  const { lengthM, dashM, stepM, halfWidthM, tint, alphaAt } = dashes;
  for (let along = dashM / 2; along < lengthM; along += stepM)
    decals.add(SHAPE.bar, way(along), dashM / 2, halfWidthM, tint, alphaAt(along));
}
