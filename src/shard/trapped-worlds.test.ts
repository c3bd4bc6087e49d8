import { expect, test } from 'vitest';
import { C_LANE } from '../../assembly/layout.ts';
import { makeKernel, makeWorld } from '../testing/rigs/kernel.ts';
import { ManualShard } from '../testing/rigs/manual-shard.ts';
import { edit } from '../testing/rigs/slab-editor.ts';

/** Three worlds that are watched. */
function watchedWorlds() {
  const kernel = makeKernel(3);
  const shard = new ManualShard(kernel);
  const enter = (number: number) => shard.enter(makeWorld(kernel, number), number);
  const [first, ...others] = [enter(1), enter(2), enter(3)];
  for (const each of [first, ...others]) shard.scheduler.watch(each, true, false);
  return { kernel, shard, first, others };
}

type Parts = ReturnType<typeof watchedWorlds>;

const KINDS: readonly { what: string; says: string; spoil(parts: Parts): void }[] = [
  {
    what: 'has a car at NaN',
    says: 'RuntimeError: unreachable',
    spoil: ({ kernel, first }) => kernel.poison(first.slab),
  },
  {
    what: 'reads beyond the memory',
    says: 'RuntimeError: memory access out of bounds',
    spoil: ({ kernel, first }) =>
      edit(kernel, first.slab, (world) => world.setI32(C_LANE, 0, 2 ** 24)),
  },
  {
    what: 'ends in a RangeError',
    says: 'RangeError: Maximum call stack size exceeded',
    spoil: ({ shard, first }) => {
      const recurse = (): number => 1 + recurse();
      shard.onMoved = (world) => world === first && recurse();
    },
  },
];

test.each(KINDS)('[R16] a world that $what is given up, and the others get every frame', (kind) => {
  const parts = watchedWorlds();
  const { shard, others } = parts;
  shard.pass(160);
  kind.spoil(parts);
  shard.pass(160);
  expect(shard.trapped).toEqual([1]);
  expect(shard.traps.map(String)).toEqual([kind.says]);
  for (const { number } of others) {
    const frames = shard.frames.filter(({ world }) => world === number);
    expect(frames.map(({ tick }) => tick)).toEqual([0, 4, 8, 12, 16]);
  }
});
