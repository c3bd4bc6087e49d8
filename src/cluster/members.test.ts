import { expect, test } from 'vitest';
import type { NodeEntry } from '../store/contract.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Members } from './members.ts';
import { type NodeRecord, PROTOCOL } from './node-record.ts';

const LEASE_MS = 6000;
const PARTITION = 5;

const time = TestTime.standing();

function recordOf(version: number, epoch?: number): NodeRecord {
  return {
    ...{ build: 1, protocol: PROTOCOL, kernel: 'kernel', name: 'a', linkUrl: '', twinUrl: '' },
    held: { version, partitions: epoch === undefined ? [] : [[PARTITION, epoch]] },
    ...{ worldCount: 0, admits: true, isDraining: false, unreachable: [] },
  };
}

/** The node `own`, and what the store tells it of the others. */
async function membersAmong(others: Map<string, NodeRecord>): Promise<Members> {
  let count = 0;
  const members = new Members({
    heartbeats: {
      process: 'own',
      lossCount: 0,
      async send(value) {
        const records = [['own', value], ...others] as const;
        const nodes = records.map(([process, record], joined): [string, NodeEntry] => [
          process,
          { value: record, count: ++count, joined },
        ]);
        const nowMs = time.now();
        return { clockMs: nowMs, sentMs: nowMs, answeredMs: nowMs, nodes: new Map(nodes) };
      },
      leave: async () => {},
    },
    ...{ leaseMs: LEASE_MS, renewalMs: LEASE_MS / 4, time },
    own: () => recordOf(1),
    readingMs: () => time.now(),
    heard() {},
    holds() {},
  });
  await members.start();
  return members;
}

test('the holder with the highest epoch counts, until the store has forgotten it', async () => {
  const others = new Map([
    ['early', recordOf(1, 100)],
    ['late', recordOf(1, 200)],
  ]);
  const members = await membersAmong(others);
  const holder = () => members.holderOf(PARTITION)?.process;
  expect(holder()).toBe('late');
  members.learn('early', { version: 1, partitions: [[PARTITION, 100]] });
  expect(holder()).toBe('late');
  // It is gone, and that it took the partition was lost.
  others.delete('late');
  await time.advance(LEASE_MS);
  expect(holder()).toBe('early');
  await members.stop();
});

test('a node that the store may have lost has not said what it holds', async () => {
  const others = new Map([
    ['early', recordOf(1, 100)],
    ['late', recordOf(1)],
  ]);
  const members = await membersAmong(others);
  const sinceMs = time.now() + 1;
  await time.advance(1);
  for (const process of ['early', 'late']) members.said(process, sinceMs);
  expect(members.haveSaidSince(sinceMs)).toBe(false);
  others.delete('late');
  await time.advance(LEASE_MS / 2);
  expect(members.haveSaidSince(sinceMs)).toBe(false);
  // It was there since, and has stopped.
  const laterMs = time.now();
  others.set('next', recordOf(1));
  await time.advance(LEASE_MS / 4);
  for (const process of ['early', 'next']) members.said(process, laterMs);
  expect(members.haveSaidSince(laterMs)).toBe(true);
  others.delete('next');
  await time.advance(LEASE_MS / 4);
  expect(members.haveSaidSince(laterMs)).toBe(true);
  await members.stop();
});
