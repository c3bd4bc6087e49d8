import type { CitySet } from '../../city/city-set.ts';
import { at } from '../../city/geometry.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { LEAD_TICKS_MAX, PAST_STATES_AT_ONCE, REWINDS_AT_ONCE } from '../../limits.ts';
import type { Time } from '../../time.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';
import type { LoadedWorld } from '../loaded-world.ts';
import type {
  ForecastAnswer,
  ForecastTask,
  PastStateAnswer,
  PastStateTask,
  ReplayAnswer,
  ReplayTask,
  RewindTask,
  SearchAnswer,
  SearchTask,
} from '../protocol.ts';
import type { Pulse } from '../pulse.ts';
import { type WorldEncoder, worldEncoder } from '../world-encoder.ts';
import { CounterfactualRunner } from './counterfactual-runner.ts';
import { forecast } from './forecast.ts';
import { Lane, type Order } from './lane.ts';
import { playFrames } from './replay.ts';
import { Rewind, type RewindStart, type Slices } from './rewind.ts';
import type { RewindCache } from './rewind-cache.ts';

export interface CounterfactualDependencies {
  time: Time;
  kernel: Kernel;
  cities: Pick<CitySet, 'tables' | 'names'>;
  cache: RewindCache;
  /** By number: the worlds in memory. */
  worlds: ReadonlyMap<number, LoadedWorld>;
  /** Shows the world that is being re-run. */
  pulse: Pick<Pulse, 'world'>;
  /** Called when a job is added. */
  wake(): void;
}

/** Slabs in addition to those of the worlds: one for each lane of searches, more for the others. */
export const REWIND_SLABS = 2 + 2 * REWINDS_AT_ONCE + PAST_STATES_AT_ONCE;

/**
 * Runs parts of worlds again: to explain and to replay collisions, and to tell past states. It uses slabs
 * of its own and works in small steps. Searches for watched worlds are urgent, because watchers saw the
 * collision: they get half of the steps at least. Replays, with the rewinds for them, past states and
 * background work take turns. In the background searches go first, then rewinds.
 */
export class CounterfactualQueue {
  readonly #dependencies: CounterfactualDependencies;
  readonly #urgent: Lane;
  readonly #replays: Lane;
  readonly #searches: Lane;
  readonly #rewinds: Lane;
  readonly #pastStates: Lane;
  #turns = 0;
  /** Which of those that take turns had the last one. */
  #last = 0;

  constructor(dependencies: CounterfactualDependencies) {
    this.#dependencies = dependencies;
    const { kernel } = dependencies;
    const lane = (slabs: number) =>
      new Lane(Array.from({ length: slabs }, () => new Rewind(kernel, acquire(kernel))));
    this.#urgent = lane(1);
    this.#replays = lane(REWINDS_AT_ONCE);
    this.#searches = lane(1);
    this.#rewinds = lane(REWINDS_AT_ONCE);
    this.#pastStates = lane(PAST_STATES_AT_ONCE);
  }

  get isBusy(): boolean {
    return this.#nextLane(false) !== undefined;
  }

  #nextLane(urgentOnly: boolean): Lane | undefined {
    const urgent = this.#urgent.isEmpty ? undefined : this.#urgent;
    if (urgentOnly || (urgent && this.#turns % 2 === 0)) return urgent;
    const background = this.#searches.isEmpty ? this.#rewinds : this.#searches;
    const lanes = [this.#replays, background, this.#pastStates];
    // Where one of them is empty its turns are for what is urgent, else for the next one.
    for (const _ of lanes) {
      this.#last = (this.#last + 1) % lanes.length;
      const lane = lanes[this.#last];
      if (lane?.isEmpty === false) return lane;
      if (urgent !== undefined) return urgent;
    }
    return undefined;
  }

  /** Works until `endMs`, by `Time.now`, or until nothing is left. */
  work(endMs: number, urgentOnly = false): void {
    const { time, pulse } = this.#dependencies;
    while (time.now() < endMs) {
      this.#turns++;
      const lane = this.#nextLane(urgentOnly);
      const running = lane?.next();
      if (lane === undefined || running === undefined) break;
      pulse.world = running.job.world;
      if (running.work.next().done) lane.finish(running);
    }
    pulse.world = 0;
  }

  /** Ends the searches for a world, and the rewinds for them, wherever they are. */
  stop(world: number): void {
    for (const lane of [this.#urgent, this.#searches, this.#rewinds]) lane.stop(world);
  }

  /** Adds a job. Resolves with its result; rejects with what it throws. */
  #add<T>(
    lane: Lane,
    { client, world }: Order,
    slices: (rewind: Rewind) => Slices<T>,
    stopped?: (ticks: number) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      function* begin(rewind: Rewind): Slices<void> {
        try {
          resolve(yield* slices(rewind));
        } catch (error) {
          reject(error);
        }
      }
      const stop = stopped && ((ticks: number) => resolve(stopped(ticks)));
      lane.add({ client, world, begin, stop });
      this.#dependencies.wake();
    });
  }

  /** `untilTick`: of the re-run; by default as far as one goes. */
  #startOf(
    world: number,
    chain: IncidentContacts,
    untilTick = Number.POSITIVE_INFINITY,
  ): RewindStart | undefined {
    const { cache, worlds } = this.#dependencies;
    return cache.get(world, chain, { world: worlds.get(world), untilTick });
  }

  #encoderOf(world: number, cityIndex: number): WorldEncoder {
    const { cities, worlds } = this.#dependencies;
    return worlds.get(world)?.encoder ?? worldEncoder(world, at(cities.names, cityIndex));
  }

  // ── tasks ───────────────────────────────────────────────────────────────────────────────────

  /**
   * Runs the world once, and caches the state before each collision; if it is stopped, only before
   * some. Rejects on a trap.
   */
  rewind(task: RewindTask): Promise<void> {
    const lane = task.background ? this.#rewinds : this.#replays;
    return this.#add(
      lane,
      task,
      (rewind) => this.#rewind(rewind, task),
      () => {},
    );
  }

  *#rewind(rewind: Rewind, task: RewindTask): Slices<void> {
    const { world, cityIndex, past, chains, completeTick } = task;
    yield* rewind.begin(cityIndex, past);
    for (const chain of chains.toSorted(([a], [b]) => a.tick - b.tick)) {
      const tick = chain[0].tick - LEAD_TICKS_MAX;
      yield* rewind.stepTo(tick);
      const image = rewind.kernel.image(rewind.slab);
      const state = { tick, image, journal: past.changes, completeTick };
      this.#dependencies.cache.add(world, chain, state);
    }
  }

  search(task: SearchTask): Promise<SearchAnswer> {
    const lane = task.background ? this.#searches : this.#urgent;
    const stopped = (ticks: number): SearchAnswer => ({ outcome: 'stopped', ticks });
    return this.#add(lane, task, (rewind) => this.#search(rewind, task), stopped);
  }

  *#search(rewind: Rewind, { world, cityIndex, chain }: SearchTask): Slices<SearchAnswer> {
    const start = this.#startOf(world, chain);
    if (start === undefined) return { outcome: 'missing', ticks: 0 };
    const before = rewind.stepped;
    const table = at(this.#dependencies.cities.tables, cityIndex);
    const runner = new CounterfactualRunner(rewind, start, chain, table);
    try {
      const explanation = yield* runner.explain();
      return { outcome: 'explained', ticks: rewind.stepped - before, explanation };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: 'failed', ticks: rewind.stepped - before, message };
    }
  }

  /** Lives a world ahead from where it is now. Rejects on a trap. */
  forecast(task: ForecastTask): Promise<ForecastAnswer> {
    const { worlds, kernel, cities } = this.#dependencies;
    const world = worlds.get(task.world);
    if (world?.residency !== task.residency) return Promise.resolve({ outcome: 'unloaded' });
    const image = kernel.image(world.slab);
    const table = at(cities.tables, task.cityIndex);
    return this.#add(this.#replays, task, function* (rewind) {
      return { outcome: 'told', ...(yield* forecast(rewind, image, table, task.needs)) } as const;
    });
  }

  /** Rejects on a trap. */
  pastState(task: PastStateTask): Promise<PastStateAnswer> {
    return this.#add(this.#pastStates, task, (rewind) => this.#pastState(rewind, task));
  }

  *#pastState(rewind: Rewind, task: PastStateTask): Slices<PastStateAnswer> {
    const { world, cityIndex, past, tick, encoding } = task;
    yield* rewind.begin(cityIndex, past);
    yield* rewind.stepTo(tick);
    const { kernel, slab } = rewind;
    const state = { image: kernel.image(slab), hash: kernel.hash(slab) };
    if (encoding === undefined) return { ...state, snapshot: undefined };
    yield;
    const encoder = this.#encoderOf(world, cityIndex);
    return { ...state, snapshot: encoder.encode(encoding, kernel.pack(slab)) };
  }

  /** Rejects if the re-run traps or diverges from the recorded collision. */
  replay(task: ReplayTask): Promise<ReplayAnswer> {
    return this.#add(this.#replays, task, (rewind) => this.#replay(rewind, task));
  }

  *#replay(rewind: Rewind, task: ReplayTask): Slices<ReplayAnswer> {
    const { world, cityIndex, chain, encoding, untilTick } = task;
    const start = this.#startOf(world, chain, untilTick);
    if (start === undefined) return { outcome: 'missing' };
    const table = at(this.#dependencies.cities.tables, cityIndex);
    const encoder = this.#encoderOf(world, cityIndex);
    const frames: Uint8Array[] = [];
    const contactTick = yield* playFrames(rewind, start, task, table, (packed) =>
      frames.push(encoder.encode(encoding, packed)),
    );
    return {
      outcome: 'played',
      frames: joinFrames(frames, encoding === 'json'),
      count: frames.length,
      contactTick,
    };
  }
}

function acquire(kernel: Kernel): Slab {
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('the kernel has no slab for re-runs');
  return slab;
}

const COMMA = 0x2c;

function joinFrames(frames: readonly Uint8Array[], withCommas: boolean): Uint8Array {
  const gap = withCommas ? 1 : 0;
  const bytes = frames.reduce((sum, frame) => sum + frame.length + gap, 0);
  const joined = new Uint8Array(Math.max(0, bytes - gap)).fill(COMMA);
  let offset = 0;
  for (const frame of frames) {
    joined.set(frame, offset);
    offset += frame.length + gap;
  }
  return joined;
}
