import { FRAME_MS } from '../../limits.ts';

/** Frames per second. */
export const RATE_HZ = 1000 / FRAME_MS;
