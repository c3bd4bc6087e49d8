import { add, at, direction, distance, distanceToPath } from '../../city/geometry.ts';
import type { ConflictZone, Point } from '../../city/types.ts';

/** Half the width that a car sweeps, and the gap between two passing cars. */
const CAR_HALF_WIDTH_M = 0.93;
const ROOM_BETWEEN_M = 0.6;
const APART_M = 2 * CAR_HALF_WIDTH_M + ROOM_BETWEEN_M;
const SAMPLE_M = 0.5;

/**
 * Finds the paths of a junction that two cars must not use at the same time: paths that end in the
 * same lane, and paths whose swept widths are closer than `ROOM_BETWEEN_M`. Paths that begin in the
 * same lane do not conflict, since one car follows the other.
 *
 * @returns for each path the zones along it, by ascending index of the other path; conflicts are
 *   mutual
 */
export function conflictsAmong(
  ends: readonly { from: number; to: number }[],
  paths: readonly (readonly Point[])[],
): ConflictZone[][] {
  const sampled = paths.map(sample);
  const conflicts: ConflictZone[][] = paths.map(() => []);
  for (const [i, a] of ends.entries()) {
    for (const [k, b] of ends.entries()) {
      if (k <= i || a.from === b.from) continue;
      const own = zoneAlong(at(sampled, i), at(paths, k), a.to === b.to);
      const others = zoneAlong(at(sampled, k), at(paths, i), a.to === b.to);
      if (!own || !others) continue;
      at(conflicts, i).push({ other: k, ...own });
      at(conflicts, k).push({ other: i, ...others });
    }
  }
  return conflicts.map((some) => some.sort((a, b) => a.other - b.other));
}

interface Sample {
  point: Point;
  stationM: number;
}

/** The part of the sampled path that is too close to the other; up to its end if they merge. */
function zoneAlong(samples: readonly Sample[], other: readonly Point[], merge: boolean) {
  const close = samples.filter(({ point }) => distanceToPath(point, other) < APART_M);
  const lengthM = at(samples, -1).stationM;
  const [first] = close;
  if (!first) return undefined;
  const last = merge ? lengthM : at(close, -1).stationM + SAMPLE_M;
  return {
    fromM: Math.max(0, first.stationM - SAMPLE_M),
    toM: Math.min(lengthM, last),
  };
}

/** Points of the path, at most `SAMPLE_M` apart. */
function sample(path: readonly Point[]): Sample[] {
  let stationM = 0;
  return path.flatMap((point, i) => {
    const next = path[i + 1];
    if (!next) return [{ point, stationM }];
    const pieceM = distance(point, next);
    const pieces = Math.max(1, Math.floor(pieceM / SAMPLE_M) + 1);
    const along = direction(point, next);
    const startM = stationM;
    stationM += pieceM;
    return Array.from({ length: pieces }, (_, k) => ({
      point: add(point, along, (pieceM * k) / pieces),
      stationM: startM + (pieceM * k) / pieces,
    }));
  });
}
