import { FRAME_TICKS } from '../../assembly/layout.ts';
import { BetweenNodes, TwinError } from '../errors.ts';
import {
  AUDIT_TICKS,
  AUDITED_ONE_IN,
  CATCH_UP_TICKS,
  LAG_TICKS,
  LOCKSTEP_LAG_TICKS,
  WAIT_MS_MAX,
  WORK_MS_MAX,
} from '../limits.ts';
import {
  type CopiedState,
  type FrozenWorld,
  type Query,
  type QueryAnswer,
  type QueryResult,
  type QueryTask,
  unpackNumbered,
  type WorldPast,
} from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import { hashDigits } from '../twin/hash-digits.ts';
import type { StateHash } from '../twin/lockstep.ts';
import type { Asker } from '../twin-service.ts';
import type { StandingWorld } from './catch-ups.ts';
import type { ReadForm } from './encoding-demand.ts';
import type { CopiedWorld } from './handed-world.ts';
import type { PreparedWorld } from './prepared-worlds.ts';
import type { WorldParts } from './world-parts.ts';

interface Given {
  past: WorldPast;
  /** See OpenTask. */
  sentTick: number | undefined;
}

interface QueryOptions {
  /** Pays for the steps; undefined: nobody does. */
  asker?: Asker | undefined;
  background?: boolean;
  /** A tick that the world has passed, if its state then is new enough; by default the current one. */
  tick?: number | undefined;
}

const CATCHING_UP =
  'The world stood still until now, and you have caused too much work to step it.';
const RETRY_AFTER_S = 5;
/** These have the same answer for all that ask at the same tick. */
const SHARED: ReadonlySet<Query> = new Set<Query>(['json', 'msgpack', 'packed']);
/** How many times a world is loaded for one query, or for its watchers, before they are refused. */
const ATTEMPTS_MAX = 4;
/** Pause before a watched world is loaded again whose records could not be read. */
const STORE_PAUSE_MS = 2000;

/** Loads a world into its shard's memory, from its image and its journal, and queries it there. */
export class WorldLoader implements StandingWorld {
  readonly #parts: WorldParts;
  readonly #audited: (state: StateHash) => void;
  #loading: Promise<number> | undefined;
  #startingOver: Promise<void> | undefined;
  /** The queries of a tick that are under way. */
  readonly #shared = new Map<Query, { tick: number; answer: Promise<QueryResult> }>();

  /** `audited`: called with the state of an audited world whenever it was brought to now in spare time. */
  constructor(parts: WorldParts, audited: (state: StateHash) => void) {
    this.#parts = parts;
    this.#audited = audited;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  // ── loading ─────────────────────────────────────────────────────────────────────────────────

  /** Resolves with the number of the world's residency. */
  #load(given?: Given): Promise<number> {
    const { residency, journal } = this.#parts;
    if (residency.number !== 0) return Promise.resolve(residency.number);
    this.#loading ??= this.#loadNow(given).finally(() => {
      this.#loading = undefined;
      journal.endLoading();
    });
    return this.#loading;
  }

  /** A state of the world, for the node to which it is about to move. */
  copied({ world: number, tick, seq, bytes }: CopiedState): CopiedWorld {
    const { record, residency, demand } = this.#parts;
    const { seed, city, createdAtMs, from } = record;
    const own = { residency: residency.number, encodings: demand.encodings };
    return { number, ...own, tick, seq, bytes, seed, city, createdAtMs, from };
  }

  /**
   * Goes on with a world that another node had in memory. What cannot be loaded now is loaded when needed.
   * @param takeCopy the copy that is ready for it, if its state is not given
   */
  takeIn(
    { tick, seq, bytes, contacts, changes }: FrozenWorld,
    sentTick: number | undefined,
    takeCopy?: () => PreparedWorld | undefined,
  ): void {
    // Copied: those of all worlds share the memory of a message, all of which would go to the shard with
    // each, and they may begin at an offset that is not aligned.
    const ahead = new Int32Array(changes.slice().buffer);
    if (bytes.length === 0) {
      const copy = takeCopy?.();
      if (copy !== undefined) this.#goOn(copy, contacts ?? copy.contacts, ahead, sentTick);
      return;
    }
    const { seed, from } = this.#parts.record;
    const past = { seed, from, image: { tick, seq, bytes: bytes.slice() }, changes: ahead };
    void this.#load({ past, sentTick }).catch(() => this.loadIfWatched());
  }

  /** `contacts`: number of those that were reported, also after the copy. */
  #goOn(
    copy: PreparedWorld,
    contacts: number,
    ahead: Int32Array,
    sentTick: number | undefined,
  ): void {
    const { residency, reports, ticks, guard, shared } = this.#parts;
    const isQuarantined = guard.untilMs > shared.clock.now();
    if (isQuarantined || !this.hasStartedOver || !residency.begin(copy.residency)) {
      copy.close();
      return;
    }
    reports.loaded(contacts);
    ticks.reached = copy.tick;
    residency.command({ kind: 'takeIn', changes: unpackNumbered(ahead), sentTick });
  }

  /** @param given its state and later changes, and the last frame that was sent; by default as stored */
  async #loadNow(given?: Given): Promise<number> {
    const { world, record, ticks, residency, journal, reports, demand, guard } = this.#parts;
    const { clock, records, shard, cityIndex } = this.#parts.shared;
    guard.refuseInQuarantine(clock.now());
    this.refuseWhenRetired();
    journal.beginLoading();
    await this.startedOver();
    const trustImage = !guard.distrustsImage(clock.now());
    const past = given?.past ?? (await records.past(world.number, record, trustImage));
    const number = shard.nextResidency();
    this.refuseWhenRetired();
    const answer = await shard.open({
      world: world.number,
      residency: number,
      cityIndex,
      createdAtMs: record.createdAtMs,
      past,
      sentTick: given?.sentTick,
    });
    if (answer.outcome === 'full') {
      throw new TwinError(
        'overloaded',
        'This node has no room for another loaded world; try again later.',
        5,
      );
    }
    if (residency.isRetired) await residency.close(number);
    this.refuseWhenRetired();
    // The shard may have evicted the world before its answer was read.
    if (!residency.begin(number)) return this.#loadNow();
    reports.loaded(answer.contacts);
    ticks.reached = (past.image ?? past.from).tick;
    journal.loaded();
    if (demand.frameWatcherCount > 0) this.sendDemand();
    return number;
  }

  /** Throws TwinError where the world was deleted, has left this node, or has another object here. */
  refuseWhenRetired(): void {
    if (!this.#parts.residency.isRetired) return;
    throw this.#parts.shared.isShown() ? reloading() : new BetweenNodes();
  }

  /** Whether the world begins under the kernel of this node. */
  get hasStartedOver(): boolean {
    const { record, shared } = this.#parts;
    return record.kernel === shared.kernel;
  }

  /** Resolves once the world begins under the kernel of this node, in the store too. */
  async startedOver(): Promise<void> {
    if (this.hasStartedOver) return;
    // Once: whoever lives the world already from its new start would be left behind by a second one.
    this.#startingOver ??= this.#startOver().finally(() => {
      this.#startingOver = undefined;
    });
    await this.#startingOver;
  }

  /**
   * Restarts a world that another kernel has stepped: identity, features and reports stay,
   * positions start over at the current tick.
   */
  async #startOver(): Promise<void> {
    const { world, record, ticks, journal, shared } = this.#parts;
    const { kernel, records } = shared;
    // The start includes all changes: none may be ahead of it.
    await journal.untilInEffect();
    this.refuseWhenRetired();
    const from = { tick: ticks.due(), seq: journal.seq, masks: journal.masks };
    const restarted = { ...record, kernel, exact: false, from };
    await records.replace(world.number, restarted);
    Object.assign(record, restarted);
    journal.startedOver();
  }

  /** The shard has unloaded the world. `number`: of the residency; by default the current one. */
  unloaded(number?: number): void {
    if (this.#parts.residency.end(number)) void this.loadIfWatched();
  }

  /**
   * Loads a watched world. Never rejects: if the world cannot be loaded, its streams end. While the store
   * does not answer, they wait some seconds for it, as do those of the worlds that are in memory.
   * @param asker pays for the steps up to now
   */
  async loadIfWatched(asker?: Asker): Promise<void> {
    const { world, residency, demand, shared } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      if (residency.isRetired || demand.frameWatcherCount === 0 || residency.number !== 0) return;
      try {
        await this.#load();
        this.payUpToNow(asker);
        return;
      } catch (err) {
        // If the shard has no thread, the world is loaded when it has a new one.
        if (demand.frameWatcherCount === 0 || !shared.shard.alive) return;
        const isPassing = err instanceof TwinError && err.code === 'store_unavailable';
        if (!isPassing || attempt === ATTEMPTS_MAX) {
          shared.log.warn({ world: world.id, err }, 'could not load a watched world');
          shared.owner.endStreams(world, 1013);
          return;
        }
      }
      await shared.time.sleep(STORE_PAUSE_MS);
    }
  }

  /** From now on frames come in this form as well, so that the next reader gets one at once. */
  read(form: ReadForm): void {
    if (this.#parts.demand.read(form)) this.sendDemand();
  }

  /** Sends the shard the encodings that are needed. */
  sendDemand(): void {
    const { residency, demand } = this.#parts;
    residency.command({
      kind: 'watch',
      json: demand.wants('json'),
      msgpack: demand.wants('msgpack'),
      packed: demand.wantsPacked,
    });
  }

  /** The asker has the shard step the world to now, and pays for that if it can or not. */
  payUpToNow(asker: Asker | undefined): void {
    const { ticks } = this.#parts;
    const tick = ticks.due();
    asker?.spend(Math.max(0, tick - Math.max(ticks.reached, ticks.paid)));
    ticks.reached = Math.max(ticks.reached, tick);
  }

  // ── queries ─────────────────────────────────────────────────────────────────────────────────

  /**
   * Steps the world to the current tick, or to the last one before a hold, and reads it. One query is
   * for all that ask for a state at the same tick: under load they would only wait for each other. In the
   * background it is stepped by CATCH_UP_TICKS at most, to a frame. Throws TwinError `rate_limited` if the asker
   * cannot pay for the steps, `overloaded` if too many wait for the shard.
   */
  query(query: Query, options: QueryOptions = {}): Promise<QueryResult> {
    if (!SHARED.has(query)) return this.#admit(query, options);
    const tick = this.#dueTick(options.tick);
    const other = this.#shared.get(query);
    // Whoever asked first may be refused for reasons of its own.
    if (other?.tick === tick) return other.answer.catch(() => this.#admit(query, options));
    const shared = { tick, answer: this.#admit(query, options) };
    this.#shared.set(query, shared);
    const forget = () => {
      if (this.#shared.get(query) === shared) this.#shared.delete(query);
    };
    shared.answer.then(forget, forget);
    return shared.answer;
  }

  /** Lets a client wait for the shard, if it may. */
  async #admit(query: Query, options: QueryOptions): Promise<QueryResult> {
    const { reads } = this.#parts.shared.shard;
    const client = options.asker?.client;
    if (client === undefined) return this.#query(query, options);
    reads.enter(client);
    try {
      return await this.#query(query, options);
    } finally {
      reads.leave(client);
    }
  }

  /** The tick that an answer must have reached: no other answer has shown a later one. */
  #dueTick(tick?: number): number {
    const { ticks } = this.#parts;
    return Math.max(tick ?? ticks.due(), ticks.answered);
  }

  async #query(query: Query, options: QueryOptions): Promise<QueryResult> {
    const { asker, background = false } = options;
    const { world, ticks } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const residency = await this.#load();
      const tick = background
        ? frameOf(Math.min(ticks.due(), ticks.reached + CATCH_UP_TICKS))
        : this.#dueTick(options.tick);
      const task = { world: world.number, residency, tick, query, background };
      const answer = await this.#queryWithin(task, asker);
      if (answer.outcome === 'unloaded') {
        this.unloaded(residency);
        continue;
      }
      // Meanwhile the process may have been paused, and another node may show later ticks.
      if (!this.#parts.shared.isShown()) throw new BetweenNodes();
      ticks.stepped = Math.max(ticks.stepped, answer.tick);
      ticks.answer(answer.tick);
      return answer;
    }
    throw reloading();
  }

  /**
   * Sends one query, once it is paid. A query that would take longer than WORK_MS_MAX is not sent. The answer of a
   * query that would take longer than WAIT_MS_MAX is not awaited. In both cases it throws TwinError
   * `overloaded`. Background queries have no limit.
   */
  async #queryWithin(task: QueryTask, asker: Asker | undefined): Promise<QueryAnswer> {
    const { ticks, shared } = this.#parts;
    const { shard } = shared;
    const debtTicks = Math.max(0, task.tick - ticks.reached);
    const waitMs = task.background ? 0 : shard.waitMs(debtTicks);
    const overloaded = () =>
      new TwinError(
        'overloaded',
        'The world is still catching up; try again later.',
        Math.ceil(waitMs / 1000),
      );
    if (waitMs > WORK_MS_MAX) {
      // Nobody waits for so long, but whoever asks again later shall find it nearer.
      shared.catchUps.add(this, true);
      throw overloaded();
    }
    if (asker !== undefined) pay(asker, task.tick - Math.max(ticks.reached, ticks.paid));
    ticks.reached = Math.max(ticks.reached, task.tick);
    const answer = shard.query(task, debtTicks).catch((error: unknown): QueryAnswer => {
      if (error instanceof TwinError) return { outcome: 'unloaded' };
      throw error;
    });
    if (waitMs <= WAIT_MS_MAX) return answer;
    // The shard does the work anyway: a later query finds the world stepped.
    answer.catch(() => {});
    throw overloaded();
  }

  // ── catching up ─────────────────────────────────────────────────────────────────────────────

  get id(): string {
    return this.#parts.world.id;
  }

  get shard(): Shard {
    return this.#parts.shared.shard;
  }

  /** How many ticks a query has to step the world. */
  get behindTicks(): number {
    const { ticks } = this.#parts;
    return ticks.due() - ticks.reached;
  }

  get isBehind(): boolean {
    const { demand, guard, residency, shared } = this.#parts;
    if (residency.isRetired || demand.frameWatcherCount > 0) return false;
    if (guard.untilMs > shared.clock.now()) return false;
    return this.behindTicks > this.#lagTicks;
  }

  /** How far behind it may be. An audit is put off where the shard has other things to do, or the node ends. */
  get #lagTicks(): number {
    const { demand, shared } = this.#parts;
    if (demand.lockstepCount === 0) return LAG_TICKS;
    const isDue = this.#isAudited && shared.shard.admits && !shared.isDraining();
    return isDue ? AUDIT_TICKS : LOCKSTEP_LAG_TICKS;
  }

  /** Whether those who live it are told now and then what it has come to here. */
  get #isAudited(): boolean {
    const { demand, world } = this.#parts;
    return demand.lockstepCount > 0 && world.number % AUDITED_ONE_IN === 0;
  }

  async catchUp(): Promise<number> {
    const { world, record, ticks, residency, shared } = this.#parts;
    if (residency.number === 0) {
      const image = await shared.records.image(world.number, record);
      ticks.reached = Math.max(ticks.reached, image?.tick ?? record.from.tick);
    }
    if (!this.isBehind) return 0;
    const before = ticks.reached;
    const { tick, hash } = await this.query('hash', { background: true });
    // No later change takes effect at this tick or before: what is not durable has held the world.
    if (hash !== undefined && this.#isAudited && !this.isBehind) {
      this.#audited({ tick, hash: hashDigits(hash) });
    }
    return ticks.reached - before;
  }
}

/** The last frame up to a tick. */
function frameOf(tick: number): number {
  return Math.floor(tick / FRAME_TICKS) * FRAME_TICKS;
}

/** Pays before the work is done. Throws TwinError `rate_limited`. */
export function pay(asker: Asker, ticks: number, hint = CATCHING_UP): void {
  if (ticks <= 0) return;
  if (!asker.affords(ticks)) throw new TwinError('rate_limited', hint, RETRY_AFTER_S);
  asker.spend(ticks);
}

/** A world that is being loaded again and again. */
export function reloading(): TwinError {
  return new TwinError('world_unavailable', 'The world is being reloaded; try again.', 1);
}

/** The part of an answer that was asked for. */
export function given<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the shard answered another query');
  return part;
}
