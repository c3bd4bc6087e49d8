import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CitySet } from '../city/city-set.ts';
import type { NodeClock } from '../clock.ts';
import { TwinError } from '../errors.ts';
import { ADMISSION_PER_MILLE, FRAME_MS, OLDEST_TURN, REPLAYS_MAX } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
import type {
  Address,
  Command,
  OpenAnswer,
  OpenTask,
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
import { ShardPool, type TaskAnswer, type TaskInput, type TaskName } from './shard-pool.ts';

/** A thread that takes longer to stop is ended. */
const STOP_MS = 2000;

export interface ShardDependencies {
  wasm: Uint8Array;
  cities: CitySet;
  /** Worlds in memory of one shard. */
  slabCount: number;
  clock: NodeClock;
  time: Time;
  log: Log;
  /** Whether the thread takes `fault` commands. */
  faults: boolean;
}

/** Hears of a shard, through all its threads. */
export interface ShardListener {
  report(shard: Shard, report: Report): void;
  /** The thread died while it stepped `world` (0 none); what it had in memory is lost. */
  died(shard: Shard, world: number): void;
}

interface ShardThread {
  pool: ShardPool;
  commands: MessagePort;
  reports: MessagePort;
  pulse: Pulse;
}

/** The main thread's end of one shard, through all its threads. */
export class Shard {
  readonly index: number;
  /** Counts the threads; messages of earlier ones are dropped. */
  incarnation = 0;
  /** Watched worlds. */
  hotCount = 0;
  /** Searches under way, and incidents explained so far. */
  searching = 0;
  explained = 0;
  #replays = 0;
  #residencies = 0;
  /** Queries that are not answered yet, and the ticks that they have to step. */
  readonly #debts = new Map<QueryTask, number>();
  readonly #dependencies: ShardDependencies;
  #listener: ShardListener | undefined;
  #thread: ShardThread | undefined;

  constructor(index: number, dependencies: ShardDependencies) {
    this.index = index;
    this.#dependencies = dependencies;
  }

  get alive(): boolean {
    return this.#thread !== undefined;
  }

  /** Begins the first thread. Resolves once it takes tasks. */
  start(listener: ShardListener): Promise<void> {
    this.#listener = listener;
    return this.restart();
  }

  /** Begins a new thread. Resolves once it takes tasks. */
  async restart(): Promise<void> {
    const incarnation = ++this.incarnation;
    const commands = new MessageChannel();
    const reports = new MessageChannel();
    const pulse = new Pulse();
    const pool = new ShardPool((error) => this.#end(incarnation, error));
    this.#thread = { pool, commands: commands.port1, reports: reports.port1, pulse };
    this.#debts.clear();
    reports.port1.on('message', (report: Report) => {
      if (incarnation === this.incarnation) this.#listener?.report(this, report);
    });
    const { cities, clock, wasm, slabCount, faults } = this.#dependencies;
    const start = {
      wasm,
      cities: { tables: cities.tables, names: cities.names },
      slabCount,
      clockWords: clock.words,
      clockOriginMs: clock.originMs,
      pulse: pulse.words,
      commands: commands.port2,
      reports: reports.port2,
      faults,
    };
    const served = pool.run('serve', start, [commands.port2, reports.port2]);
    served.catch((error: unknown) => this.#end(incarnation, error));
    // If the thread cannot start, `serve` rejects with the reason, `ready` only with its end.
    try {
      await Promise.race([pool.run('ready', undefined), served]);
    } catch (error) {
      this.#end(incarnation, error);
      throw error;
    }
  }

  /** The thread ended by itself, or is stuck: what it had in memory is lost. */
  #end(incarnation: number, error: unknown): void {
    if (incarnation !== this.incarnation || this.#thread === undefined) return;
    const world = this.#thread.pulse.world;
    this.#dependencies.log.error({ shard: this.index, incarnation, err: error }, 'shard died');
    this.#discard();
    this.#listener?.died(this, world);
  }

  #discard(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    this.incarnation++;
    thread?.commands.close();
    thread?.reports.close();
    thread?.pool.destroy().catch((error: unknown) => {
      this.#dependencies.log.warn(
        { shard: this.index, err: error },
        'a shard thread did not end cleanly',
      );
    });
  }

  /** Ends a thread that does not answer. */
  kill(reason: string): void {
    this.#end(this.incarnation, new Error(reason));
  }

  // ── commands and tasks ──────────────────────────────────────────────────────────────────────

  command(command: Command): void {
    this.#thread?.commands.postMessage(command);
  }

  /** A number for the next residency of any of its worlds; it rises through all threads. */
  nextResidency(): number {
    return ++this.#residencies;
  }

  open(task: OpenTask): Promise<OpenAnswer> {
    return this.#run('open', task);
  }

  /** `debtTicks`: how far the world has to be stepped for it. */
  async query(task: QueryTask, debtTicks: number): Promise<QueryAnswer> {
    this.#debts.set(task, debtTicks);
    try {
      return await this.#run('query', task);
    } finally {
      this.#debts.delete(task);
    }
  }

  close(task: Address): Promise<void> {
    return this.#run('close', task);
  }

  /** Rejects if the world cannot be run up to the collisions. Limited as `replay` for replays. */
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

  /** Throws TwinError `overloaded` if too many replays are waiting. */
  replay(task: ReplayTask): Promise<ReplayAnswer> {
    return this.#limited(() => this.#run('replay', task));
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

  /** Has images of worlds that have moved reported, at most `limit`; resolves with how many are left. */
  saveMoved(limit: number): Promise<number> {
    return this.#run('saveMoved', limit);
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    const stopped = thread.pool.run('stop', undefined).catch(() => {});
    await Promise.race([stopped, this.#dependencies.time.sleep(STOP_MS)]);
    this.#discard();
  }

  /**
   * Runs a task in the thread. When this resolves, all reports that the thread sent before its answer
   * have been taken. Rejects with TwinError `world_unavailable` if there is no thread, or it ends.
   */
  async #run<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<TaskAnswer<Name>> {
    const thread = this.#thread;
    const lost = () => new TwinError('world_unavailable', 'The world is being reloaded.', 1);
    if (thread === undefined) throw lost();
    const answer = await thread.pool.run(name, task).catch((error: unknown) => {
      throw thread === this.#thread ? error : lost();
    });
    if (thread !== this.#thread) throw lost();
    this.#drain(thread.reports);
    return answer;
  }

  /** Reports and answers come by different ports: an earlier report may arrive after an answer. */
  #drain(reports: MessagePort): void {
    for (;;) {
      const received = receiveMessageOnPort(reports);
      if (received === undefined) return;
      this.#listener?.report(this, received.message as Report);
    }
  }

  // ── load ────────────────────────────────────────────────────────────────────────────────────

  get heartbeat(): number {
    return this.#thread?.pulse.heartbeat ?? 0;
  }

  get hotPerMille(): number {
    return this.#thread?.pulse.hotPerMille ?? 0;
  }

  /** The frames of a batch were handed to their sockets: the next may come. */
  acknowledge(batch: number): void {
    this.#thread?.pulse.acknowledge(batch);
  }

  /** Whether one more watched world fits in the share of the thread for them. */
  get admits(): boolean {
    if (this.#thread === undefined) return false;
    const { frameNs, hotPerMille } = this.#thread.pulse;
    const expectedPerMille = ((this.hotCount + 1) * frameNs * 1000) / FRAME_MS / 1e6;
    return hotPerMille <= ADMISSION_PER_MILLE && expectedPerMille <= ADMISSION_PER_MILLE;
  }

  /** Ticks that the queries under way have to step. */
  get debtTicks(): number {
    let sum = 0;
    for (const debt of this.#debts.values()) sum += debt;
    return sum;
  }

  /** How long a burst of so many ticks would take, shorter ones going first, ms. */
  waitMs(ticks: number): number {
    let before = ticks;
    for (const debt of this.#debts.values()) if (debt <= ticks) before += debt;
    const share = Math.max(0.2, 1 - this.hotPerMille / 1000) * (1 - 1 / OLDEST_TURN);
    return (before * (this.#thread?.pulse.tickNs ?? 0)) / 1e6 / share;
  }
}
