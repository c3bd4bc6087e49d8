import { availableParallelism, cpus } from 'node:os';
import type { KnownCosts } from './shard/meter.ts';
import type { Store } from './store/contract.ts';
import type { StopTimer, Time } from './time.ts';

/** How often what the shards have measured is saved, if it has changed. */
const SAVE_MS = 60_000;
/** A cost that has changed by less is not saved again. */
const CHANGED_PART = 0.05;
/** Nothing outside of these bounds is believed, ns. */
const BOUNDS_NS = { min: 100, max: 1e8 };

type CostStore = Pick<Store, 'get' | 'commit'>;

/** What measures costs. */
interface Measuring {
  readonly knownCosts: KnownCosts | undefined;
}

/** The machine of this process, as far as costs depend on it. */
export function machineName(): string {
  return `${cpus()[0]?.model ?? 'unknown'} × ${availableParallelism()}`;
}

/** Costs are of one kernel on one kind of machine. */
export interface CostsOf {
  kernel: string;
  machine: string;
}

function keyOf({ kernel, machine }: CostsOf): readonly string[] {
  return ['costs', machine, kernel];
}

/**
 * What a frame and a tick cost here in an earlier run, or at another node of the cluster on such a machine.
 * Undefined if that is not known, or the store does not tell it: then shards begin with guesses.
 */
export async function readCosts(
  store: Pick<CostStore, 'get'>,
  of: CostsOf,
): Promise<KnownCosts | undefined> {
  const entry = await store.get<unknown>(keyOf(of)).catch(() => undefined);
  const value = entry?.value as Partial<KnownCosts> | null | undefined;
  const { frameNs, tickNs } = value ?? {};
  return isBelievable(frameNs) && isBelievable(tickNs) ? { frameNs, tickNs } : undefined;
}

function isBelievable(ns: unknown): ns is number {
  return typeof ns === 'number' && ns >= BOUNDS_NS.min && ns <= BOUNDS_NS.max;
}

/** Saves what the shards of a node have measured, so that the next run begins with it. */
export class CostKeeper {
  readonly #store: CostStore;
  readonly #of: CostsOf;
  readonly #shards: readonly Measuring[];
  readonly #stopTimer: StopTimer;
  #saved: KnownCosts | undefined;

  /** `saved`: what the store has. */
  constructor(
    shards: readonly Measuring[],
    {
      store,
      of,
      saved,
      time,
    }: {
      store: CostStore;
      of: CostsOf;
      saved: KnownCosts | undefined;
      time: Time;
    },
  ) {
    this.#shards = shards;
    this.#store = store;
    this.#of = of;
    this.#saved = saved;
    this.#stopTimer = time.every(SAVE_MS, () => void this.#save());
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#save();
  }

  async #save(): Promise<void> {
    const known = this.#shards.flatMap(({ knownCosts }) => knownCosts ?? []);
    if (known.length === 0) return;
    const meanOf = (cost: keyof KnownCosts) =>
      Math.round(known.reduce((sum, costs) => sum + costs[cost], 0) / known.length);
    const value = { frameNs: meanOf('frameNs'), tickNs: meanOf('tickNs') };
    if (!this.#hasChanged(value)) return;
    // A failure is ignored: the next run begins with guesses at worst.
    const isSaved = await this.#store.commit([], [{ key: keyOf(this.#of), value }]).then(
      () => true,
      () => false,
    );
    if (isSaved) this.#saved = value;
  }

  #hasChanged({ frameNs, tickNs }: KnownCosts): boolean {
    const saved = this.#saved;
    if (saved === undefined) return true;
    const part = (now: number, before: number) => Math.abs(now - before) / before;
    return Math.max(part(frameNs, saved.frameNs), part(tickNs, saved.tickNs)) > CHANGED_PART;
  }
}
