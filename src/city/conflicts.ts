import { add, at, direction, distance, distanceBetweenPaths } from './geometry.ts';
import type { Point } from './types.ts';

/** Half the width that a car sweeps, and the room between two cars that pass each other. */
const CAR_HALF_WIDTH_M = 0.93;
const ROOM_BETWEEN_M = 0.6;
const SAMPLE_M = 0.5;

/**
 * Which paths of one junction must not be used at the same time: those that end in the same lane,
 * and those whose swept widths come closer than the room between cars. Paths that begin in the same
 * lane are left out: whoever is behind there follows the one ahead.
 *
 * @returns for each path the indices of the others that it conflicts with, ascending; symmetric
 */
export function conflictsAmong(
  ends: readonly { from: number; to: number }[],
  paths: readonly (readonly Point[])[],
): number[][] {
  const sampled = paths.map(sample);
  const conflicts: number[][] = paths.map(() => []);
  for (const [i, a] of ends.entries()) {
    for (const [k, b] of ends.entries()) {
      if (k <= i || a.from === b.from) continue;
      if (a.to !== b.to && !tooClose(at(sampled, i), at(sampled, k))) continue;
      at(conflicts, i).push(k);
      at(conflicts, k).push(i);
    }
  }
  return conflicts.map((some) => some.sort((a, b) => a - b));
}

const tooClose = (a: readonly Point[], b: readonly Point[]): boolean =>
  distanceBetweenPaths(a, b) < 2 * CAR_HALF_WIDTH_M + ROOM_BETWEEN_M;

/** The path with points at most `SAMPLE_M` apart, so that a crossing is near one of them. */
function sample(path: readonly Point[]): Point[] {
  return path.flatMap((point, i) => {
    const next = path[i + 1];
    if (!next) return [point];
    const pieceM = distance(point, next);
    const pieces = Math.max(1, Math.floor(pieceM / SAMPLE_M) + 1);
    const along = direction(point, next);
    return Array.from({ length: pieces }, (_, k) => add(point, along, (pieceM * k) / pieces));
  });
}
