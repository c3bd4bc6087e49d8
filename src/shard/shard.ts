import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CitySet } from '../city/city-set.ts';
import type { NodeClock } from '../clock.ts';
import { TwinError } from '../errors.ts';
import { ADMISSION_PER_MILLE, FRAME_MS, OLDEST_TURN, REPLAYS_MAX } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Time } from '../time.ts';
import {
  type CloseTask,
  type Command,
  type ExplainAnswer,
  type ExplainTask,
  HALF_WORLD,
  type LookAnswer,
  type LookTask,
  type OpenAnswer,
  type OpenTask,
  PULSE_ACKED,
  PULSE_FRAME_NS,
  PULSE_HEARTBEAT,
  PULSE_HOT_SHARE,
  PULSE_TICK_NS,
  PULSE_WORDS,
  PULSE_WORLD_HIGH,
  PULSE_WORLD_LOW,
  type ReplayAnswer,
  type ReplayTask,
  type Report,
  type ShardStart,
} from './protocol.ts';
import { ShardPool } from './shard-pool.ts';

/** A thread that takes longer to stop is ended. */
const STOP_MS = 2000;

export interface ShardSettings {
  wasm: Uint8Array;
  cities: CitySet;
  /** Worlds in memory of one shard. */
  slabCount: number;
  clock: NodeClock;
  time: Time;
  log: Log;
  faults: boolean;
}

export interface ShardListener {
  report(shard: Shard, report: Report): void;
  /** The thread died, `world` being stepped (0 none); what it had in memory is lost. */
  died(shard: Shard, world: number): void;
}

/** A burst under way. */
interface Debt {
  ticks: number;
}

interface Life {
  pool: ShardPool;
  commands: MessagePort;
  reports: MessagePort;
  pulse: Int32Array;
}

/** The main thread's end of one shard, through all the threads that it has in its time. */
export class Shard {
  readonly index: number;
  /** Counts the threads: what an earlier one still says is not listened to. */
  incarnation = 0;
  /** Bursts that are asked for and not done yet. */
  readonly #debts = new Set<Debt>();
  /** Watched worlds. */
  hotCount = 0;
  /** Incidents that it has been given to explain. */
  explaining = 0;
  #replays = 0;
  readonly #settings: ShardSettings;
  readonly #listener: ShardListener;
  #life: Life | undefined;

  constructor(index: number, settings: ShardSettings, listener: ShardListener) {
    this.index = index;
    this.#settings = settings;
    this.#listener = listener;
  }

  get alive(): boolean {
    return this.#life !== undefined;
  }

  /** Begins a new thread. Resolves once it takes tasks. */
  async start(): Promise<void> {
    const incarnation = ++this.incarnation;
    const commands = new MessageChannel();
    const reports = new MessageChannel();
    const pulse = new Int32Array(new SharedArrayBuffer(PULSE_WORDS * 4));
    const pool = new ShardPool((error) => this.#end(incarnation, error));
    this.#life = { pool, commands: commands.port1, reports: reports.port1, pulse };
    this.#debts.clear();
    reports.port1.on('message', (report: Report) => {
      if (incarnation === this.incarnation) this.#listener.report(this, report);
    });
    const { cities, clock, wasm, slabCount, faults } = this.#settings;
    const start: ShardStart = {
      wasm,
      cityTables: cities.tables,
      cityNames: cities.names,
      slabCount,
      clockWords: clock.words,
      clockOriginMs: clock.originMs,
      pulse,
      commands: commands.port2,
      reports: reports.port2,
      faults,
    };
    const served = pool.run('serve', start, [commands.port2, reports.port2]);
    served.catch((error: unknown) => this.#end(incarnation, error));
    // A thread that cannot begin says why where it serves; `ready` only hears that it is gone.
    try {
      await Promise.race([pool.run('ready', undefined), served]);
    } catch (error) {
      this.#end(incarnation, error);
      throw error;
    }
  }

  /** A thread ended by itself, or was found stuck: what it had is lost from memory. */
  #end(incarnation: number, error: unknown): void {
    if (incarnation !== this.incarnation || this.#life === undefined) return;
    const world = this.currentWorld();
    this.#settings.log.error({ shard: this.index, incarnation, err: error }, 'shard died');
    this.#discard();
    this.#listener.died(this, world);
  }

  #discard(): void {
    const life = this.#life;
    this.#life = undefined;
    this.incarnation++;
    life?.commands.close();
    life?.reports.close();
    life?.pool.destroy().catch((error: unknown) => {
      this.#settings.log.warn({ shard: this.index, err: error }, 'ending a shard thread');
    });
  }

  /** Gives up on a thread that does not answer. */
  kill(reason: string): void {
    this.#end(this.incarnation, new Error(reason));
  }

  // ── what it is asked ────────────────────────────────────────────────────────────────────────

  command(command: Command): void {
    this.#life?.commands.postMessage(command);
  }

  open(task: OpenTask): Promise<OpenAnswer> {
    return this.#run('open', task);
  }

  look(task: LookTask): Promise<LookAnswer> {
    return this.#run('look', task);
  }

  async explain(task: ExplainTask): Promise<ExplainAnswer> {
    this.explaining += task.chains.length;
    try {
      return await this.#run('explain', task);
    } finally {
      this.explaining -= task.chains.length;
    }
  }

  /** Throws TwinError `overloaded` where too many wait for theirs. */
  async replay(task: ReplayTask): Promise<ReplayAnswer> {
    if (this.#replays >= REPLAYS_MAX) throw new TwinError('overloaded', undefined, 5);
    this.#replays++;
    try {
      return await this.#run('replay', task);
    } finally {
      this.#replays--;
    }
  }

  close(task: CloseTask): Promise<void> {
    return this.#run('close', task);
  }

  /** Has images of worlds that have moved reported, at most `limit`; resolves with how many are left. */
  saveMoved(limit: number): Promise<number> {
    return this.#run('saveMoved', limit);
  }

  async stop(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const stopped = life.pool.run('stop', undefined).catch(() => {});
    await Promise.race([stopped, this.#settings.time.sleep(STOP_MS)]);
    this.#discard();
  }

  /**
   * Runs a task of the thread; all that the thread reported before it answered has been taken when
   * this resolves. Rejects with TwinError `world_unavailable` where there is no thread, or it ends.
   */
  async #run<Answer>(name: string, task: unknown): Promise<Answer> {
    const life = this.#life;
    const lost = () => new TwinError('world_unavailable', 'It is brought back to memory.', 1);
    if (life === undefined) throw lost();
    const answer = await life.pool.run<Answer>(name, task).catch((error: unknown) => {
      throw life === this.#life ? error : lost();
    });
    if (life !== this.#life) throw lost();
    this.#drain(life.reports);
    return answer;
  }

  /** Reports and answers come by different ports: what was said first need not arrive first. */
  #drain(reports: MessagePort): void {
    for (;;) {
      const received = receiveMessageOnPort(reports);
      if (received === undefined) return;
      this.#listener.report(this, received.message as Report);
    }
  }

  // ── what it shows ───────────────────────────────────────────────────────────────────────────

  #word(index: number): number {
    return this.#life?.pulse[index] ?? 0;
  }

  get heartbeat(): number {
    return this.#word(PULSE_HEARTBEAT);
  }

  get hotPerMille(): number {
    return this.#word(PULSE_HOT_SHARE);
  }

  get tickNs(): number {
    return this.#word(PULSE_TICK_NS);
  }

  /** The frames of a beat are with their sockets: the next may come. */
  acknowledge(beat: number): void {
    if (this.#life !== undefined) Atomics.store(this.#life.pulse, PULSE_ACKED, beat);
  }

  /** The world that is being stepped, or 0. */
  currentWorld(): number {
    return this.#word(PULSE_WORLD_HIGH) * HALF_WORLD + this.#word(PULSE_WORLD_LOW);
  }

  /** Whether one more watched world fits in the share of the thread for them. */
  get admits(): boolean {
    if (this.#life === undefined) return false;
    const expected = ((this.hotCount + 1) * this.#word(PULSE_FRAME_NS) * 1000) / FRAME_MS / 1e6;
    return this.hotPerMille <= ADMISSION_PER_MILLE && expected <= ADMISSION_PER_MILLE;
  }

  /** Ticks that bursts asked for and not done yet have to do. */
  get debtTicks(): number {
    let sum = 0;
    for (const { ticks } of this.#debts) sum += ticks;
    return sum;
  }

  /** Counts a burst until the function that it returns is called. */
  owe(ticks: number): () => void {
    const debt = { ticks };
    this.#debts.add(debt);
    return () => this.#debts.delete(debt);
  }

  /** How long a burst of so many ticks would take to be done, shorter ones going first. */
  waitMs(ticks: number): number {
    let before = ticks;
    for (const debt of this.#debts) if (debt.ticks <= ticks) before += debt.ticks;
    const share = Math.max(0.2, 1 - this.hotPerMille / 1000) * (1 - 1 / OLDEST_TURN);
    return (before * this.tickNs) / 1e6 / share;
  }
}
