import { beforeEach, expect, test } from 'vitest';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { Member } from './members.ts';
import { MoveLog } from './move-log.ts';
import { type NodeRecord, PROTOCOL } from './node-record.ts';

const OWN = 'own:1';
const PARTITIONS = 4;

let time: TestTime;
/** The living nodes, and who holds which partition. */
let living: Map<string, Member>;
let holders: Map<number, string>;
let epochs: Map<number, number>;
let lost: Map<number, number>;
let moveLog: MoveLog;

function addNode(process: string, more: Partial<NodeRecord> = {}): void {
  const record: NodeRecord = {
    ...{ protocol: PROTOCOL, build: 1, kernel: 'kernel', name: process, linkUrl: '', twinUrl: '' },
    ...{ held: { version: 0, partitions: [] }, worldCount: 0, admits: true },
    ...{ isDraining: false, unreachable: [], ...more },
  };
  living.set(process, { process, record, joined: living.size });
}

beforeEach(() => {
  time = TestTime.standing(1000);
  [living, holders, epochs, lost] = [new Map(), new Map(), new Map(), new Map()];
  for (const process of [OWN, 'a:1', 'b:1']) addNode(process);
  moveLog = new MoveLog({
    members: {
      process: OWN,
      get: (process) => living.get(process),
      holderOf: (partition) => living.get(holders.get(partition) ?? ''),
    },
    ranges: {
      partitionCount: PARTITIONS,
      holds: (partition) => epochs.has(partition),
      grantOf: (partition) => {
        const epoch = epochs.get(partition);
        if (epoch === undefined) return undefined;
        const notUsed = {
          floorMs: 0,
          untilMs: () => 0,
          askedMs: () => 0,
          latestReadingMs: () => 0,
        };
        return { partition, epoch, ...notUsed };
      },
      lostEpochOf: (partition) => lost.get(partition),
    },
    time,
  });
});

/** Looks every 100 ms for so long, once at least. */
async function look(ms = 100): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 100) {
    moveLog.look();
    await time.advance(100);
  }
}

const seen = () => moveLog.all.map(({ partition, from, to, why }) => [partition, from, to, why]);

test('what is seen first has not moved', async () => {
  holders.set(1, 'a:1');
  epochs.set(2, 1);
  await look(3000);
  expect(seen()).toEqual([]);
});

test('a partition that goes from one living node to another was handed over, also with a gap', async () => {
  holders.set(1, 'a:1');
  epochs.set(2, 1);
  await look();
  holders.set(1, 'b:1');
  epochs.delete(2);
  await look(500);
  holders.set(2, 'a:1');
  await look();
  expect(seen()).toEqual([
    [1, 'a:1', 'b:1', 'handover'],
    [2, OWN, 'a:1', 'handover'],
  ]);
});

test('worlds of another kernel do not go with it: it was released', async () => {
  addNode('c:1', { kernel: 'other' });
  holders.set(1, 'a:1');
  await look();
  holders.set(1, 'c:1');
  await look();
  expect(seen()).toEqual([[1, 'a:1', 'c:1', 'released']]);
});

test('one that nobody has for a second was released, at the time at which it was', async () => {
  holders.set(1, 'a:1');
  await look();
  const freeMs = time.wallMs();
  holders.delete(1);
  await look(1500);
  holders.set(1, 'b:1');
  await look();
  expect(seen()).toEqual([
    [1, 'a:1', undefined, 'released'],
    [1, 'a:1', 'b:1', 'takeover'],
  ]);
  expect(moveLog.all.map(({ atMs }) => atMs)).toEqual([freeMs, freeMs + 1500]);
});

test('one that comes back to its holder at once has not moved', async () => {
  holders.set(1, 'a:1');
  await look();
  holders.delete(1);
  await look(500);
  holders.set(1, 'a:1');
  await look(3000);
  expect(seen()).toEqual([]);
});

test('a node that falls silent loses its partitions, and others take them over', async () => {
  holders.set(1, 'a:1').set(2, 'a:1');
  await look();
  living.delete('a:1');
  await look();
  epochs.set(1, 2);
  // Another node was faster to tell of it than the store that this one is gone.
  holders.set(2, 'b:1');
  await look();
  expect(seen()).toEqual([
    [1, 'a:1', undefined, 'lost'],
    [2, 'a:1', undefined, 'lost'],
    [1, 'a:1', OWN, 'takeover'],
    [2, 'a:1', 'b:1', 'takeover'],
  ]);
});

test('a node that has drained and is gone has released what was left', async () => {
  addNode('a:1', { isDraining: true });
  holders.set(1, 'a:1').set(2, 'a:1');
  await look();
  living.delete('a:1');
  holders.set(2, 'b:1');
  await look();
  expect(seen()).toEqual([
    [1, 'a:1', undefined, 'released'],
    [2, 'a:1', 'b:1', 'released'],
  ]);
});

test('this node knows what it has lost itself', async () => {
  epochs.set(1, 5).set(2, 6);
  await look();
  lost.set(1, 5).set(2, 6);
  epochs.clear();
  holders.set(2, 'b:1');
  await look();
  epochs.set(1, 7);
  await look();
  expect(seen()).toEqual([
    [1, OWN, undefined, 'lost'],
    [2, OWN, 'b:1', 'lost'],
    [1, OWN, OWN, 'takeover'],
  ]);
});

test('the last hundred moves are kept', async () => {
  for (let i = 0; i <= 150; i++) {
    holders.set(3, i % 2 === 0 ? 'a:1' : 'b:1');
    await look();
  }
  expect(moveLog.all).toHaveLength(100);
  expect(moveLog.all.at(-1)).toMatchObject({ from: 'b:1', to: 'a:1' });
});
