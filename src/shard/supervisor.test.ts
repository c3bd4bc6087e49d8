import { afterEach, beforeEach, expect, test } from 'vitest';
import { HEARTBEAT_MS, STUCK_MS } from '../limits.ts';
import { createLog } from '../log.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { Shard } from './shard.ts';
import { Supervisor } from './supervisor.ts';

/** A shard as a supervisor sees it; its heartbeat is set by hand. */
class FakeShard {
  readonly index = 0;
  incarnation = 1;
  alive = true;
  heartbeat = 0;
  readonly kills: string[] = [];
  started: () => void = () => {};

  restart(): Promise<void> {
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
let time: TestTime;
let supervisor: Supervisor;
let restarts: number;

beforeEach(() => {
  time = TestTime.standing();
  fake = new FakeShard();
  restarts = 0;
  supervisor = new Supervisor([shard()], { log: createLog('silent'), time });
});

/** The thread dies and is restarted. */
async function die(): Promise<void> {
  fake.alive = false;
  if (await supervisor.restart(shard())) restarts++;
}

afterEach(() => {
  supervisor.stop();
});

test('[R19] a thread without a heartbeat for two seconds is ended, one with a heartbeat is not', async () => {
  for (let ms = 0; ms < 3 * STUCK_MS; ms += HEARTBEAT_MS) {
    fake.heartbeat++;
    await time.advance(HEARTBEAT_MS);
  }
  expect(fake.kills).toEqual([]);
  await time.advance(STUCK_MS + HEARTBEAT_MS);
  expect(fake.kills).toHaveLength(1);
});

test('a thread that takes long to start is not taken for one that is stuck', async () => {
  void die();
  await time.advance(5 * STUCK_MS);
  expect(fake.alive).toBe(true);
  expect(fake.kills).toEqual([]);
  fake.started();
  await time.advance(0);
  expect(restarts).toBe(1);
  await time.advance(STUCK_MS + HEARTBEAT_MS);
  expect(fake.kills).toHaveLength(1);
});

test('a thread that follows an old one has as long to start', async () => {
  for (let heartbeat = 0; heartbeat < 10; heartbeat++) {
    fake.heartbeat++;
    await time.advance(HEARTBEAT_MS);
  }
  void die();
  await time.advance(5 * STUCK_MS);
  expect(fake.alive).toBe(true);
  expect(fake.kills).toEqual([]);
});

test('a thread that never starts is given up', async () => {
  void die();
  await time.advance(60_000);
  expect(fake.kills.length).toBeGreaterThan(0);
  expect(restarts).toBe(0);
});

test('a thread that dies again and again is restarted after longer pauses', async () => {
  const pauses: number[] = [];
  for (let death = 0; death < 3; death++) {
    const diedMs = time.now();
    void die();
    while (!fake.alive) await time.advance(10);
    pauses.push(Math.round(time.now() - diedMs));
    fake.started();
    await time.advance(0);
  }
  expect(pauses).toEqual([50, 100, 200]);
  expect(restarts).toBe(3);
});

test('nothing is begun anew once the node stops', async () => {
  void die();
  supervisor.stop();
  await time.advance(60_000);
  expect(fake.alive).toBe(false);
  expect(restarts).toBe(0);
});
