import { expect, it } from 'vitest';
import type { ClusterView } from '../../../store/contract.ts';
import type { RedisStore } from '../../../store/redis/redis-store.ts';
import type { TestTime } from '../../doubles/test-time.ts';
import type { Shared } from './shared-store.ts';

const HOUR_MS = 3_600_000;
/** Far more than a busy machine takes for these steps, and far less than what the clock is moved by. */
const NEAR_MS = 200_000;

/** A process that has adopted the clock, and reads on. */
class Follower {
  /** What it reads beside the clock that it has adopted. */
  aheadMs = 0;
  readonly #store: RedisStore;
  readonly #time: TestTime;
  #adopted: ClusterView | undefined;

  constructor(store: RedisStore, time: TestTime) {
    this.#store = store;
    this.#time = time;
  }

  readingMs(): number {
    const { clockMs = 0, answeredMs = 0 } = this.#adopted ?? {};
    return clockMs + this.#time.now() - answeredMs + this.aheadMs;
  }

  async adopt(): Promise<number> {
    this.#adopted = await this.#store.heartbeats.send('adopts', undefined);
    return this.#adopted.clockMs;
  }

  /** What the clock was then. */
  async send(): Promise<number> {
    return (await this.#store.heartbeats.send('follows', this.readingMs())).clockMs;
  }
}

/** Two processes that have adopted the clock, in the order in which they have joined. */
async function followers(shared: Shared): Promise<[Follower, Follower]> {
  const open = async (name: string) => {
    const follower = new Follower(await shared().open(name), shared().time);
    await follower.adopt();
    await follower.send();
    return follower;
  };
  return [await open('first'), await open('second')];
}

function expectNear(actualMs: number, expectedMs: number): void {
  expect(Math.abs(actualMs - expectedMs)).toBeLessThan(NEAR_MS);
}

/** What the contract says of the clock that heartbeats give out. */
export function describeClock(shared: Shared): void {
  it('is that of the server at first, and runs with it', async () => {
    const { heartbeats } = await shared().open('first');
    const { clockMs } = await heartbeats.send(1, undefined);
    expectNear(clockMs, shared().time.wallMs());
    await shared().pass(HOUR_MS);
    expectNear((await heartbeats.send(1, undefined)).clockMs, clockMs + HOUR_MS);
  });

  it('runs on while nobody lives, and none that has left counts', async () => {
    const [first, second] = await followers(shared);
    const beforeMs = await first.send();
    await second.send();
    await shared().pass(HOUR_MS);
    const late = await shared().open('late');
    for (let i = 0; i < 6; i++) {
      await late.heartbeats.send(1, undefined);
      await shared().pass(shared().leaseMs / 4);
    }
    const { nodes, clockMs } = await late.heartbeats.send(1, undefined);
    expect(nodes.size).toBe(1);
    expectNear(clockMs, beforeMs + HOUR_MS);
  });

  it.each([HOUR_MS, -HOUR_MS])('does not jump with that of the server, by %i ms', async (ms) => {
    const [first, second] = await followers(shared);
    const beforeMs = await first.send();
    await shared().jump(ms);
    // Whoever is heard first: the others follow the clock as well.
    const afterMs = [await second.send(), await first.send(), await second.send()];
    for (const each of afterMs) expectNear(each, beforeMs);
    expect(afterMs).toEqual(afterMs.toSorted((a, b) => a - b));
    expect(afterMs[0]).toBeGreaterThanOrEqual(beforeMs);
  });

  it('does not jump for others if a process that has not adopted it is heard first', async () => {
    const [first] = await followers(shared);
    const late = await shared().open('late');
    const beforeMs = await first.send();
    await shared().jump(HOUR_MS);
    expectNear((await late.heartbeats.send(1, undefined)).clockMs, beforeMs);
    expectNear(await first.send(), beforeMs);
    expectNear((await late.heartbeats.send(1, undefined)).clockMs, beforeMs);
  });

  it('neither goes back nor stands without a reading', async () => {
    const { heartbeats } = await shared().open('first');
    const clock = async () => (await heartbeats.send(1, undefined)).clockMs;
    const beforeMs = await clock();
    await shared().jump(-HOUR_MS);
    const afterMs = await clock();
    expect(afterMs).toBeGreaterThanOrEqual(beforeMs);
    expectNear(afterMs, beforeMs);
    await shared().pass(HOUR_MS);
    expectNear(await clock(), afterMs + HOUR_MS);
  });

  it('follows the process that has followed it longest, and no other', async () => {
    const [first, second] = await followers(shared);
    second.aheadMs = HOUR_MS;
    const beforeMs = await second.send();
    expectNear(await first.send(), beforeMs);
    expectNear(await second.send(), beforeMs);
    first.aheadMs = HOUR_MS;
    expectNear(await first.send(), beforeMs + HOUR_MS);
    expectNear(await second.send(), beforeMs + HOUR_MS);
  });

  it('does not jump a little with that of the server, whoever is heard first', async () => {
    const [first, second] = await followers(shared);
    // More than clocks differ, and less than nobody takes for a jump.
    const jumpMs = Math.min(shared().leaseMs / 3, 3000);
    await first.send();
    await shared().jump(jumpMs);
    for (let round = 0; round < 16; round++) {
      await second.send();
      await shared().pass(jumpMs / 8);
      await first.send();
      await shared().pass(jumpMs / 8);
    }
    expect(Math.abs((await first.send()) - first.readingMs())).toBeLessThan(1000);
  });

  it('goes on though the process that has followed it longest stood still for a while', async () => {
    const [first, second] = await followers(shared);
    const beforeMs = await second.send();
    first.aheadMs = -HOUR_MS;
    const stepMs = shared().leaseMs / 4;
    for (let step = 0; step < 20; step++) {
      await shared().pass(stepMs);
      await first.send();
    }
    expect((await second.send()) - beforeMs).toBeGreaterThan(19 * stepMs);
  });

  it('never goes back to what a process reads', async () => {
    const [first] = await followers(shared);
    const beforeMs = await first.send();
    first.aheadMs = -HOUR_MS;
    const afterMs = [await first.send(), await first.send()];
    expect(afterMs[0]).toBeGreaterThanOrEqual(beforeMs);
    expect(afterMs[1]).toBeGreaterThanOrEqual(afterMs[0] ?? 0);
    first.aheadMs = 0;
    await shared().pass(HOUR_MS);
    expectNear(await first.send(), beforeMs + HOUR_MS);
  });

  it('is kept by a server that has lost its last writes', async () => {
    const [first, second] = await followers(shared);
    await shared().keepData();
    const beforeMs = await first.send();
    await shared().jump(HOUR_MS);
    await first.send();
    await shared().loseTail();
    await shared().jump(HOUR_MS);
    for (const follower of [second, first]) expectNear(await follower.send(), beforeMs);
  });
}
