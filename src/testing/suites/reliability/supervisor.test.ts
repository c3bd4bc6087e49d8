import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HEARTBEAT_MS, STUCK_MS } from '../../../limits.ts';
import { createLog } from '../../../log.ts';
import type { Shard } from '../../../shard/shard.ts';
import { Supervisor } from '../../../shard/supervisor.ts';

/** What a supervisor sees of a shard, its heart beating only when told to. */
class FakeShard {
  readonly index = 0;
  incarnation = 1;
  alive = true;
  heartbeat = 0;
  readonly kills: string[] = [];
  started: () => void = () => {};

  start(): Promise<void> {
    this.alive = true;
    this.heartbeat = 0;
    return new Promise((resolve) => {
      this.started = resolve;
    });
  }

  kill(reason: string): void {
    this.kills.push(reason);
  }
}

const shard = () => fake as unknown as Shard;
let fake: FakeShard;
let supervisor: Supervisor;
let restarts: number;
let suspects: number[];

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeShard();
  restarts = 0;
  suspects = [];
  supervisor = new Supervisor(
    [shard()],
    createLog('silent'),
    () => restarts++,
    (world) => suspects.push(world),
  );
});

afterEach(() => {
  supervisor.stop();
  vi.useRealTimers();
});

test('a thread without a heartbeat is ended, one with a heartbeat is not', () => {
  for (let ms = 0; ms < 3 * STUCK_MS; ms += HEARTBEAT_MS) {
    fake.heartbeat++;
    vi.advanceTimersByTime(HEARTBEAT_MS);
  }
  expect(fake.kills).toEqual([]);
  vi.advanceTimersByTime(STUCK_MS + HEARTBEAT_MS);
  expect(fake.kills).toHaveLength(1);
});

test('a thread that takes long to start is not taken for one that is stuck', async () => {
  fake.alive = false;
  void supervisor.died(shard(), 0);
  await vi.advanceTimersByTimeAsync(5 * STUCK_MS);
  expect(fake.alive).toBe(true);
  expect(fake.kills).toEqual([]);
  fake.started();
  await vi.advanceTimersByTimeAsync(0);
  expect(restarts).toBe(1);
  await vi.advanceTimersByTimeAsync(STUCK_MS + HEARTBEAT_MS);
  expect(fake.kills).toHaveLength(1);
});

test('a thread that follows one that lived long has as long to start', async () => {
  for (let beat = 0; beat < 10; beat++) {
    fake.heartbeat++;
    vi.advanceTimersByTime(HEARTBEAT_MS);
  }
  fake.alive = false;
  void supervisor.died(shard(), 0);
  await vi.advanceTimersByTimeAsync(5 * STUCK_MS);
  expect(fake.alive).toBe(true);
  expect(fake.kills).toEqual([]);
});

test('a thread that never starts is given up', async () => {
  fake.alive = false;
  void supervisor.died(shard(), 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fake.kills.length).toBeGreaterThan(0);
  expect(restarts).toBe(0);
});

test('a world on which three threads died within a minute is suspected, others are not', async () => {
  for (const world of [7, 8, 7, 0, 0, 0, 7]) {
    void supervisor.died(shard(), world);
    await vi.advanceTimersByTimeAsync(4000);
    fake.started();
  }
  expect(suspects).toEqual([7]);
});

test('nothing is begun anew once the node stops', async () => {
  fake.alive = false;
  void supervisor.died(shard(), 0);
  supervisor.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fake.alive).toBe(false);
  expect(restarts).toBe(0);
});
