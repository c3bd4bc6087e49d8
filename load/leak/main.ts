/** Does the same work again and again and shows what stays in memory: `npm run leak -- [options]`. */
import { queryObjects } from 'node:v8';
import { describeOptions, parseOptions, runEntryPoint } from '../../bench/common/options.ts';
import { Exchange } from '../../src/http/server/exchange.ts';
import { startTestNode } from '../../src/testing/rigs/node.ts';
import { systemTime } from '../../src/time.ts';
import { OwnedWorld } from '../../src/worlds/owned-world.ts';
import { workRound } from './round.ts';

const options = {
  rounds: { fallback: 10, min: 2, max: 1000, help: 'that are measured' },
  warmup: { fallback: 10, min: 1, max: 1000, help: 'rounds before them, in which caches fill' },
  worlds: {
    fallback: 50,
    min: 1,
    max: 60,
    help: 'made, watched, changed and forgotten in a round',
  },
  'kib-max': { fallback: 128, min: 1, max: 10_240, help: 'that a round may leave behind' },
} as const;

const KIB = 1024;
const HELP = `npm run leak -- [options]\n\n${describeOptions(options)}`;

/** What garbage collection leaves in the heap of the main thread and in its buffers. */
async function keptBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc();
    // Finalizers run in between.
    await new Promise<void>((resolve) => systemTime.immediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What there would be more of with every world and request if something kept them. */
function countObjects(): string {
  const counts = [OwnedWorld, Exchange].map((each) => queryObjects(each, { format: 'count' }));
  return `${counts[0]} worlds and ${counts[1]} exchanges`;
}
const NO_OBJECTS = '0 worlds and 0 exchanges';

/** How much more the second half of the rounds keeps than the first, for each round. */
function growth(kept: readonly number[]): number {
  const half = Math.floor(kept.length / 2);
  const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  return (median(kept.slice(-half)) - median(kept.slice(0, half))) / (kept.length - half);
}

await runEntryPoint(HELP, async (args) => {
  const { rounds, warmup, worlds, 'kib-max': kibMax } = parseOptions(options, args);
  const node = await startTestNode({ RATE_LIMITS: 'on' });
  const kept: number[] = [];
  let objects = '';
  try {
    for (let round = 0; round < warmup + rounds; round += 1) {
      await workRound(node, round, worlds);
      const bytes = await keptBytes();
      if (round >= warmup) kept.push(bytes);
      console.log(`round ${round + 1}: ${Math.round(bytes / KIB)} KiB`);
    }
    objects = countObjects();
  } finally {
    await node.discard();
  }
  const kib = Math.round(growth(kept) / KIB);
  console.log(`each round leaves ${kib} KiB; all together leave ${objects}`);
  if (kib > kibMax || objects !== NO_OBJECTS) process.exitCode = 1;
});
