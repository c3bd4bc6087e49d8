import { PARTITION_COUNT } from '../limits.ts';
import { lruCache } from '../lru-cache.ts';

/** A living node, as far as it may hold partitions. */
export interface Candidate {
  process: string;
  /** See NodeRecord. */
  build: number;
  isDraining: boolean;
  /** Half of the others or more cannot reach it. */
  isCutOff: boolean;
}

export interface Situation {
  candidates: readonly Candidate[];
  /** By partition: the process that holds it; undefined where no living one does. */
  holders: readonly (string | undefined)[];
}

/** `from`: undefined where the partition is free. */
export interface Move {
  partition: number;
  from: string | undefined;
  to: string;
}

/** Processes whose scores are kept. */
const PROCESSES_KEPT = 256;
/** A balanced node has at most so many partitions more than any other one. */
const DIFFERENCE_MAX = 1;

/**
 * What should move where. A pure function: every node comes to the same result from what all of them
 * have heard. Partitions that are free, or of a node that drains, go to the node with the fewest, others move
 * only while the numbers of two nodes differ by two or more. Nothing moves to a node of an older build than its holder's, and while
 * builds differ what is free goes to the newest.
 */
export function plan({ candidates, holders }: Situation): Move[] {
  const able = candidates.filter(({ isDraining, isCutOff }) => !isDraining && !isCutOff);
  const newest = Math.max(...able.map(({ build }) => build));
  const counts = new Map(candidates.map(({ process }) => [process, 0]));
  for (const holder of holders) count(counts, holder, 1);
  const moves: Move[] = [];
  const planned = [...holders];
  const move = (partition: number, to: string) => {
    moves.push({ partition, from: holders[partition], to });
    count(counts, planned[partition], -1);
    count(counts, to, 1);
    planned[partition] = to;
  };
  const draining = new Set(
    candidates.filter(({ isDraining }) => isDraining).map(({ process }) => process),
  );
  for (const [partition, holder] of holders.entries()) {
    if (holder !== undefined && !draining.has(holder)) continue;
    const to = fewest(
      able.filter(({ build }) => build === newest),
      counts,
      partition,
    );
    if (to !== undefined) move(partition, to.process);
  }
  for (;;) {
    const next = nextMove(able, counts, planned);
    if (next === undefined) return moves;
    move(next.partition, next.to);
  }
}

/**
 * Plans as `plan` does. It keeps its last plan: a node looks ten times a second, and the situation of a cluster
 * seldom changes.
 */
export function keptPlan(): typeof plan {
  let last: Situation | undefined;
  let moves: Move[] = [];
  return (situation) => {
    if (last === undefined || !isSame(last, situation)) {
      moves = plan(situation);
      last = situation;
    }
    return moves;
  };
}

function isSame(a: Situation, b: Situation): boolean {
  return (
    a.candidates.length === b.candidates.length &&
    a.candidates.every((each, i) => isSameCandidate(each, b.candidates[i])) &&
    a.holders.length === b.holders.length &&
    a.holders.every((holder, partition) => holder === b.holders[partition])
  );
}

function isSameCandidate(a: Candidate, b: Candidate | undefined): boolean {
  return (
    a.process === b?.process &&
    a.build === b.build &&
    a.isDraining === b.isDraining &&
    a.isCutOff === b.isCutOff
  );
}

function count(counts: Map<string, number>, process: string | undefined, by: number): void {
  const known = process === undefined ? undefined : counts.get(process);
  if (process !== undefined && known !== undefined) counts.set(process, known + by);
}

/** The one with the fewest partitions; of several the one with the highest score for the partition. */
function fewest(
  among: readonly Candidate[],
  counts: ReadonlyMap<string, number>,
  partition: number,
): Candidate | undefined {
  const rank = (a: Candidate, b: Candidate) =>
    countOf(counts, a) - countOf(counts, b) || score(b, partition) - score(a, partition);
  return among.toSorted(rank)[0];
}

function countOf(counts: ReadonlyMap<string, number>, { process }: Candidate): number {
  return counts.get(process) ?? 0;
}

/** From the fullest node that can give to the emptiest that can take from it. */
function nextMove(
  able: readonly Candidate[],
  counts: ReadonlyMap<string, number>,
  holders: readonly (string | undefined)[],
): Pick<Move, 'partition' | 'to'> | undefined {
  const numbers = able.map((each) => countOf(counts, each));
  if (Math.max(...numbers) - Math.min(...numbers) <= DIFFERENCE_MAX) return undefined;
  const order = (a: Candidate, b: Candidate) =>
    countOf(counts, b) - countOf(counts, a) || (a.process < b.process ? -1 : 1);
  const byCount = able.toSorted(order);
  for (const giver of byCount) {
    for (const receiver of byCount.toReversed()) {
      if (countOf(counts, giver) - countOf(counts, receiver) <= DIFFERENCE_MAX) break;
      if (receiver.build < giver.build) continue;
      const held = [...holders.keys()].filter((each) => holders[each] === giver.process);
      const partition = held.toSorted((a, b) => score(receiver, b) - score(receiver, a))[0];
      if (partition !== undefined) return { partition, to: receiver.process };
    }
  }
  return undefined;
}

const scores = lruCache<string, readonly number[]>(PROCESSES_KEPT);

/** Of a node for a partition (rendezvous hashing). */
function score({ process }: Candidate, partition: number): number {
  const known = scores.get(process);
  if (known !== undefined) return known[partition] ?? 0;
  const made = Array.from({ length: PARTITION_COUNT }, (_, each) => scoreOf(process, each));
  scores.set(process, made);
  return made[partition] ?? 0;
}

/** FNV-1a and the finaliser of MurmurHash3. */
function scoreOf(process: string, partition: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < process.length; i++) {
    hash = Math.imul(hash ^ process.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ partition, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
