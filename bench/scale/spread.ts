import { type Candidate, plan } from '../../src/cluster/plan.ts';
import { PARTITION_COUNT } from '../../src/limits.ts';
import { median } from '../common/report.ts';

/** Loads of partitions that are drawn for each number of nodes. */
const DRAWS = 200;

/** How some nodes share the partitions, and what a node that comes or goes moves. */
export interface Spread {
  nodes: number;
  /** Of the partitions of a node: the most, divided by the mean. */
  partitions: number;
  /** The same of loads, where the worlds of each partition are as likely to be watched. */
  even: number;
  /** The same where the i-th fullest partition has 1 / i of the watched worlds of the fullest. */
  skewed: number;
  /** Partitions that move when one more node comes, and when one goes. */
  joins: number;
  leaves: number;
}

/** @param random from 0, below 1 */
export function spreadOf(nodes: number, random: () => number): Spread {
  const candidates = Array.from({ length: nodes + 1 }, (_, i) => candidate(i));
  const holders = after(candidates.slice(0, nodes), EMPTY);
  const joined = plan({ candidates, holders });
  const gone = fullest(holders);
  const orphaned = holders.map((holder) => (holder === gone ? undefined : holder));
  const others = candidates.slice(0, nodes).filter(({ process }) => process !== gone);
  const left = plan({ candidates: others, holders: orphaned });
  const maxOverMean = (loads: readonly number[]) => {
    const byNode = Array.from({ length: nodes }, (_, i) => {
      const process = candidates[i]?.process;
      return loads.reduce((sum, load, partition) => {
        return holders[partition] === process ? sum + load : sum;
      }, 0);
    });
    return Math.max(...byNode) / (byNode.reduce((a, b) => a + b, 0) / nodes);
  };
  const drawn = (loads: () => readonly number[]) =>
    median(Array.from({ length: DRAWS }, () => maxOverMean(loads())));
  return {
    nodes,
    partitions: maxOverMean(EMPTY.map(() => 1)),
    even: drawn(() => EMPTY.map(() => WORLDS + Math.sqrt(WORLDS) * normal(random))),
    skewed: drawn(() => shuffled(ZIPF, random)),
    joins: joined.length,
    leaves: left.length,
  };
}

/** Watched worlds of a partition: 100 nodes with 1,000 each. */
const WORLDS = (100 * 1000) / PARTITION_COUNT;
const EMPTY: readonly undefined[] = Array.from({ length: PARTITION_COUNT }, () => undefined);
const ZIPF = Array.from({ length: PARTITION_COUNT }, (_, i) => 1 / (i + 1));

function candidate(index: number): Candidate {
  return { process: `node-${index}:${index}`, build: 1, isDraining: false, isCutOff: false };
}

function after(
  candidates: readonly Candidate[],
  holders: readonly (string | undefined)[],
): (string | undefined)[] {
  const held = [...holders];
  for (const { partition, to } of plan({ candidates, holders })) held[partition] = to;
  return held;
}

function fullest(holders: readonly (string | undefined)[]): string | undefined {
  const countOf = (process: string | undefined) =>
    holders.filter((holder) => holder === process).length;
  return holders.toSorted((a, b) => countOf(b) - countOf(a))[0];
}

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Fisher and Yates. */
function shuffled(list: readonly number[], random: () => number): number[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j] as number, all[i] as number];
  }
  return all;
}
