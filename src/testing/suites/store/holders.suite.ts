import { expect, it } from 'vitest';
import { type Grant, type Held, StoreUnavailable } from '../../../store/contract.ts';
import type { RedisStore } from '../../../store/redis/redis-store.ts';
import { Dice } from '../../rigs/dice.ts';
import { until } from '../../rigs/until.ts';
import type { Shared, SharedStore } from './shared-store.ts';

const PARTITION = 5;
const STEPS = 200;
const NAMES = ['first', 'second', 'third'];
/** Later than any clock of a server. */
const EPOCH_MS = 4e12;

/** What all holders together have done. */
interface History {
  highestEpoch: number;
  /** The latest reading that a holder has shown, and its process. */
  shownMs: number;
  shownBy: string;
  floorMs: number;
  takeCount: number;
  writeCount: number;
  refusedCount: number;
}

/** A process that takes the partition, shows the clock as far as it may, writes, and gives it up. */
class Holder {
  grant: Grant | undefined;
  readonly store: RedisStore;
  readonly #shared: SharedStore;
  readonly #history: History;
  /** Grants that are over. */
  readonly #former: Grant[] = [];

  constructor(store: RedisStore, shared: SharedStore, history: History) {
    this.store = store;
    this.#shared = shared;
    this.#history = history;
    store.claims.readClock((atMs) => EPOCH_MS + atMs);
  }

  get isHolding(): boolean {
    return (this.grant?.untilMs() ?? 0) > this.#shared.time.now();
  }

  async take(what: 'free' | 'expired'): Promise<void> {
    if (this.grant !== undefined) return;
    const taken: Grant | Held = await this.store.claims.take(PARTITION, what);
    if ('holder' in taken) return;
    this.grant = taken;
    const history = this.#history;
    history.takeCount++;
    expect(taken.epoch).toBeGreaterThan(history.highestEpoch);
    history.highestEpoch = taken.epoch;
    expect(taken.floorMs).toBeGreaterThanOrEqual(history.floorMs);
    history.floorMs = taken.floorMs;
    if (history.shownBy !== this.store.heartbeats.process) {
      expect(taken.floorMs).toBeGreaterThanOrEqual(history.shownMs);
    }
  }

  async renew(): Promise<void> {
    if (this.grant === undefined) return;
    const lost = await this.store.claims.renew([this.grant]);
    if (lost.length > 0) this.#giveUp();
  }

  async release(): Promise<void> {
    if (this.grant === undefined) return;
    const { grant } = this;
    this.#giveUp();
    await this.store.claims.release([grant]);
  }

  #giveUp(): void {
    if (this.grant !== undefined) this.#former.push(this.grant);
    this.grant = undefined;
  }

  /** Shows the clock as far as it may. */
  show(): void {
    if (this.grant === undefined || !this.isHolding) return;
    const readingMs = EPOCH_MS + this.#shared.time.now();
    this.#history.shownMs = Math.min(readingMs, this.grant.latestReadingMs());
    this.#history.shownBy = this.store.heartbeats.process;
  }

  /** Writes under a grant that it has, or that is over. */
  async write(dice: Dice): Promise<void> {
    const isFormer = dice.below(2) === 0;
    const grant = isFormer ? this.#former[dice.below(this.#former.length)] : this.grant;
    if (grant === undefined) return;
    const write = { key: ['p', PARTITION, 'by'], value: grant.epoch };
    try {
      expect(await this.store.commit([], [write], grant)).toBe(true);
      this.#history.writeCount++;
      expect(grant.epoch).toBe(this.#history.highestEpoch);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      expect(error.reason).toBe('failed');
      this.#history.refusedCount++;
    }
  }
}

async function step(dice: Dice, holder: Holder, shared: SharedStore): Promise<void> {
  switch (dice.below(8)) {
    case 0:
    case 1:
      return holder.take('expired');
    case 2:
    case 3:
      return holder.take('free');
    case 4:
      return holder.renew();
    case 5:
      return holder.release();
    default:
      return shared.pass(dice.pick([0.05, 0.2, 0.5, 1.1]) * shared.leaseMs);
  }
}

/** Random steps of three processes, each of which keeps what the contract promises. */
async function run(
  dice: Dice,
  shared: SharedStore,
  afterStep: (holders: readonly Holder[]) => Promise<void>,
): Promise<void> {
  const history: History = {
    ...{ highestEpoch: 0, shownMs: 0, shownBy: '', floorMs: 0 },
    ...{ takeCount: 0, writeCount: 0, refusedCount: 0 },
  };
  const holders = await Promise.all(
    NAMES.map(async (name) => new Holder(await shared.open(name), shared, history)),
  );
  for (let i = 0; i < STEPS; i++) {
    const holder = dice.pick(holders);
    // It may have to enter again first.
    await holder.store.heartbeats.send(i, undefined);
    await until('the process', () => holder.store.isReady);
    await step(dice, holder, shared);
    for (const each of holders) {
      await each.write(dice);
      each.show();
    }
    await afterStep(holders);
  }
  const { takeCount, writeCount, refusedCount } = history;
  expect(Math.min(takeCount, writeCount, refusedCount)).toBeGreaterThan(5);
}

export function describeHolders(shared: Shared): void {
  it.each([1, 2, 3])('have one holder at a time, sequence %i', async (seed) => {
    await run(new Dice(seed), shared(), async (holders) => {
      expect(holders.filter(({ isHolding }) => isHolding).length).toBeLessThan(2);
    });
  });

  it.each([4, 5])('have one writer at a time though clocks jump, sequence %i', async (seed) => {
    const dice = new Dice(seed);
    await run(dice, shared(), async () => {
      if (dice.below(5) === 0) await shared().jump(dice.pick([3_600_000, -1_800_000]));
    });
  });
}
