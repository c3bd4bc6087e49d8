import type { CitySet } from '../city/city-set.ts';
import type { NodeClock } from '../clock.ts';
import { TwinError } from '../errors.ts';
import {
  ADMISSION_PER_MILLE,
  FORECASTS_OF_CLIENT_MAX,
  OLDEST_TURN,
  PAST_STATES_MAX,
  PAST_STATES_OF_CLIENT_MAX,
  PROCESSORS_PER_MILLE,
  READS_MAX,
  REPLAYS_MAX,
} from '../limits.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
import type { KnownCosts } from './meter.ts';
import { PooledThread } from './pooled-thread.ts';
import type {
  Address,
  Command,
  CopiedState,
  ForecastAnswer,
  ForecastTask,
  FrozenTask,
  FrozenWorld,
  OpenAnswer,
  OpenTask,
  PastStateAnswer,
  PastStateTask,
  QueryAnswer,
  QueryTask,
  ReplayAnswer,
  ReplayTask,
  Report,
  RewindTask,
  SearchAnswer,
  SearchTask,
} from './protocol.ts';
import { Pulse } from './pulse.ts';
import { ReadAdmission } from './read-admission.ts';
import type { TaskAnswer, TaskInput, TaskName } from './shard-pool.ts';
import type { MakeThread, ShardThread } from './shard-thread.ts';
import { Together } from './together.ts';

/** A thread that takes longer to stop is ended. */
const STOP_MS = 2000;
/** Worlds that are opened in one piece: watched ones must not wait longer than for some frames. */
const OPENED_AT_ONCE = 16;
const CLOSED_AT_ONCE = 256;

export interface ShardDependencies {
  wasm: Uint8Array;
  cities: CitySet;
  /** Worlds in memory of one shard. */
  slabCount: number;
  /** Share of its thread's time that watched worlds may take, per mille. */
  admittedPerMille: number;
  /** From an earlier run; undefined: nothing is known. */
  costs?: KnownCosts | undefined;
  clock: NodeClock;
  time: Time;
  log: Log;
  /** Whether the thread takes `fault` commands. */
  faults: boolean;
  /** When it wakes for hot worlds, from 0 to below 1 of its period: shards that wake together are in each other's way. */
  wakeOffset?: number;
  /** By default a thread of Piscina. */
  makeThread?: MakeThread;
}

/**
 * The share of its thread's time that watched worlds of a shard may take, per mille. The main thread,
 * which sends their frames, counts like one more shard.
 */
export function admittedPerMille(shards: number, processors: number): number {
  return Math.min(ADMISSION_PER_MILLE, (PROCESSORS_PER_MILLE * processors) / (shards + 1));
}

/** Gets the events of a shard, of all its threads. */
export interface ShardListener {
  report(shard: Shard, report: Report): void;
  /** The thread died while it stepped `world` (0: none). Its memory is lost. */
  died(shard: Shard, world: number): void;
}

interface StartedThread {
  thread: ShardThread;
  pulse: Pulse;
}

const pooledThread: MakeThread = (start, listener) => new PooledThread(start, listener);

/** The main thread's end of one shard, through all its threads. */
export class Shard {
  readonly index: number;
  /** Of all its threads. */
  readonly reads = new ReadAdmission(READS_MAX);
  readonly pastReads = new ReadAdmission(PAST_STATES_MAX, PAST_STATES_OF_CLIENT_MAX);
  /** Grows with each start and end of a thread; messages of earlier threads are ignored. */
  incarnation = 0;
  /** Threads that ended by themselves, or were ended because they hung. */
  deathCount = 0;
  /** Number of watched worlds. */
  hotCount = 0;
  /** Number of running searches, and of explained incidents. */
  searching = 0;
  explained = 0;
  #replays = 0;
  /** Forecasts under way, by client. */
  readonly #forecasts = new Map<string, number>();
  #residencies = 0;
  /** Queries that are not answered yet, and the ticks that they have to step. */
  readonly #debts = new Map<QueryTask, number>();
  readonly #opening = new Together(OPENED_AT_ONCE, (tasks: readonly OpenTask[]) =>
    this.#run('openMany', tasks),
  );
  readonly #closing = new Together(CLOSED_AT_ONCE, (addresses: readonly Address[]) =>
    this.#run('closeMany', addresses),
  );
  readonly #dependencies: ShardDependencies;
  #listener: ShardListener | undefined;
  #started: StartedThread | undefined;
  /** What earlier threads have measured, or an earlier run. */
  #costs: KnownCosts | undefined;

  constructor(index: number, dependencies: ShardDependencies) {
    this.index = index;
    this.#dependencies = dependencies;
    this.#costs = dependencies.costs;
  }

  get alive(): boolean {
    return this.#started !== undefined;
  }

  /** Starts the first thread. Resolves when it accepts tasks. */
  start(listener: ShardListener): Promise<void> {
    this.#listener = listener;
    return this.restart();
  }

  /** Starts a new thread. Resolves when it accepts tasks. */
  async restart(): Promise<void> {
    const incarnation = ++this.incarnation;
    const pulse = new Pulse();
    const {
      cities,
      clock,
      wasm,
      slabCount,
      faults,
      wakeOffset = 0,
      makeThread = pooledThread,
    } = this.#dependencies;
    const start = {
      wasm,
      cities: { tables: cities.tables, names: cities.names },
      slabCount,
      clockWords: clock.words,
      clockOriginMs: clock.originMs,
      pulse: pulse.words,
      costs: this.#costs,
      faults,
      wakeOffset,
    };
    const thread = makeThread(start, {
      report: (report) => {
        if (incarnation === this.incarnation) this.#listener?.report(this, report);
      },
      ended: (error) => this.#end(incarnation, error),
    });
    this.#started = { thread, pulse };
    this.#debts.clear();
    try {
      await thread.ready;
    } catch (error) {
      this.#end(incarnation, error);
      throw error;
    }
  }

  /** The thread has ended, or hangs: its memory is lost. */
  #end(incarnation: number, error: unknown): void {
    if (incarnation !== this.incarnation || this.#started === undefined) return;
    const { world } = this.#started.pulse;
    this.deathCount++;
    this.#dependencies.log.error({ shard: this.index, incarnation, err: error }, 'shard died');
    this.#discard();
    this.#listener?.died(this, world);
  }

  #discard(): void {
    const thread = this.#started?.thread;
    this.#costs = this.knownCosts;
    this.#started = undefined;
    this.incarnation++;
    thread?.end().catch((error: unknown) => {
      this.#dependencies.log.warn(
        { shard: this.index, err: error },
        'a shard thread did not stop without an error',
      );
    });
  }

  /** Ends a thread that hangs. */
  kill(reason: string): void {
    this.#end(this.incarnation, new Error(reason));
  }

  // ── commands and tasks ──────────────────────────────────────────────────────────────────────

  command(command: Command): void {
    this.#started?.thread.command(command);
  }

  /** The number of the next residency. It grows over all worlds and threads of this shard. */
  nextResidency(): number {
    return ++this.#residencies;
  }

  async open(task: OpenTask): Promise<OpenAnswer> {
    const outcome = await this.#opening.add(task);
    if (outcome.outcome === 'failed') throw outcome.error;
    return outcome;
  }

  /** `debtTicks`: number of ticks that the world must be stepped for this query. */
  async query(task: QueryTask, debtTicks: number): Promise<QueryAnswer> {
    this.#debts.set(task, debtTicks);
    try {
      return await this.#run('query', task);
    } finally {
      this.#debts.delete(task);
    }
  }

  /** The states of those that are in memory, while they go on. */
  copies(addresses: readonly Address[]): Promise<CopiedState[]> {
    return this.#run('copies', addresses);
  }

  /** Has worlds stand still. Resolves when all frames that they have made are handled. */
  freeze(addresses: readonly Address[]): Promise<void> {
    return this.#run('freeze', addresses);
  }

  /** Lets frozen worlds go on. Never rejects: without its thread no world stands still. */
  async thaw(addresses: readonly Address[]): Promise<void> {
    await this.#run('thaw', addresses).catch(() => {});
  }

  /** Those that are in memory, as they stand still, with all changes that were sent before. */
  frozen(tasks: readonly FrozenTask[]): Promise<FrozenWorld[]> {
    return this.#run('frozen', tasks);
  }

  async close(address: Address): Promise<void> {
    await this.#closing.add(address);
  }

  /** Rejects if the re-run fails. For a replay, the limit of `replay` applies. */
  rewind(task: RewindTask): Promise<void> {
    const run = () => this.#run('rewind', task);
    return task.background ? run() : this.#limited(run);
  }

  async search(task: SearchTask): Promise<SearchAnswer> {
    this.searching++;
    try {
      const answer = await this.#run('search', task);
      if (answer.outcome === 'explained') this.explained++;
      return answer;
    } finally {
      this.searching--;
    }
  }

  /** Ends the searches for a world, and the rewinds for them. Never rejects. */
  async stopSearches(world: number): Promise<void> {
    await this.#run('stopSearches', world).catch(() => {});
  }

  /**
   * Throws TwinError `overloaded` if too many replays or forecasts are waiting, and `rate_limited` if
   * too many forecasts of the client are.
   */
  async forecast(task: ForecastTask): Promise<ForecastAnswer> {
    const { client } = task;
    const waiting = this.#forecasts.get(client) ?? 0;
    if (waiting >= FORECASTS_OF_CLIENT_MAX) {
      throw new TwinError('rate_limited', 'Wait for the other outlooks first.');
    }
    this.#forecasts.set(client, waiting + 1);
    try {
      return await this.#limited(() => this.#run('forecast', task));
    } finally {
      const left = (this.#forecasts.get(client) ?? 1) - 1;
      if (left > 0) this.#forecasts.set(client, left);
      else this.#forecasts.delete(client);
    }
  }

  /** Throws TwinError `overloaded` if too many replays or forecasts are waiting. */
  replay(task: ReplayTask): Promise<ReplayAnswer> {
    return this.#limited(() => this.#run('replay', task));
  }

  /** Whoever asks has entered `pastReads`. Rejects if the world cannot be lived up to this tick. */
  pastState(task: PastStateTask): Promise<PastStateAnswer> {
    return this.#run('pastState', task);
  }

  async #limited<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    if (this.#replays >= REPLAYS_MAX) throw new TwinError('overloaded', undefined, 5);
    this.#replays++;
    try {
      return await run();
    } finally {
      this.#replays--;
    }
  }

  /** Requests images of worlds that were stepped, at most `limit`. Resolves to the number left. */
  saveMoved(limit: number): Promise<number> {
    return this.#run('saveMoved', limit);
  }

  async stop(): Promise<void> {
    const thread = this.#started?.thread;
    if (thread === undefined) return;
    const stopped = thread.run('stop', undefined).catch(() => {});
    await Promise.race([stopped, this.#dependencies.time.sleep(STOP_MS)]);
    this.#discard();
  }

  /**
   * Runs a task in the thread. Before this resolves, all reports that the thread sent before its
   * answer are handled. Rejects with TwinError `world_unavailable` if there is no thread, or if it
   * ends.
   */
  async #run<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<TaskAnswer<Name>> {
    const thread = this.#started?.thread;
    const lost = () =>
      new TwinError('world_unavailable', 'The world is being reloaded; try again.', 1);
    if (thread === undefined) throw lost();
    const answer = await thread.run(name, task).catch((error: unknown) => {
      throw thread === this.#started?.thread ? error : lost();
    });
    if (thread !== this.#started?.thread) throw lost();
    this.#drain(thread);
    return answer;
  }

  /** Handles all waiting reports: they use another port, and may arrive after a later answer. */
  #drain(thread: ShardThread): void {
    for (;;) {
      const report = thread.nextReport();
      if (report === undefined) return;
      this.#listener?.report(this, report);
    }
  }

  // ── load ────────────────────────────────────────────────────────────────────────────────────

  get heartbeat(): number {
    return this.#started?.pulse.heartbeat ?? 0;
  }

  get hotPerMille(): number {
    return this.#started?.pulse.hotPerMille ?? 0;
  }

  /** Share of the frames that were late in the last half second, per mille. */
  get latePerMille(): number {
    return this.#started?.pulse.latePerMille ?? 0;
  }

  /** Mean cost of a frame, encoding included, ns; 0 while there is no thread. */
  get frameNs(): number {
    return this.#started?.pulse.frameNs ?? 0;
  }

  /** What its threads have measured, or what is known from an earlier run. */
  get knownCosts(): KnownCosts | undefined {
    const pulse = this.#started?.pulse;
    if (!pulse?.isKnown) return this.#costs;
    return { frameNs: pulse.frameNs, tickNs: pulse.tickNs };
  }

  /** The frames of a batch were passed to the sockets: the shard may send the next batch. */
  acknowledge(batch: number): void {
    this.#started?.pulse.acknowledge(batch);
  }

  /** Whether the thread has time for one more watched world. */
  get admits(): boolean {
    const { admittedPerMille } = this.#dependencies;
    return this.#started?.pulse.admits(this.hotCount, admittedPerMille) ?? false;
  }

  /** Number of ticks that pending queries have to step. */
  get debtTicks(): number {
    return [...this.#debts.values()].reduce((sum, debt) => sum + debt, 0);
  }

  /** How long a burst of this many ticks would take, ms; shorter bursts go first. */
  waitMs(ticks: number): number {
    let before = ticks;
    for (const [{ background }, debt] of this.#debts) {
      if (!background && debt <= ticks) before += debt;
    }
    const share = Math.max(0.2, 1 - this.hotPerMille / 1000) * (1 - 1 / OLDEST_TURN);
    return this.burstMs(before) / share;
  }

  /** The time of its thread that so many ticks take, ms. */
  burstMs(ticks: number): number {
    return (ticks * (this.#started?.pulse.tickNs ?? 0)) / 1e6;
  }
}
