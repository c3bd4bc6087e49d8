import { TICK_MS } from '../../assembly/layout.ts';
import type { City } from '../city/types.ts';
import type { Encoding, StreamEncoding } from '../codec/encoding.ts';
import { TwinError } from '../errors.ts';
import { FRAME_AGE_MS_MAX } from '../limits.ts';
import type { BatchFrame } from '../shard/frame-batch.ts';
import type { FrozenWorld } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import { fleetOf } from '../twin/fleet.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { Change, NumberedChange } from '../twin/journal.ts';
import type { KnownJournal, WorldPulse } from '../twin/lockstep.ts';
import { outlookEntries } from '../twin/outlook.ts';
import type { EventRecord, FleetEntry, Incident, WorldOutlook } from '../twin/wire.ts';
import type { WorldOptions } from '../twin/world-options.ts';
import type {
  Asker,
  ChangeRange,
  ForkOrder,
  IncidentRange,
  LockstepPast,
  LongList,
  PastState,
  PastStateOrder,
  Replay,
  ReplayOrder,
  Steps,
  World,
  WorldFrame,
} from '../twin-service.ts';
import { CrashLoopGuard } from './crash-loop-guard.ts';
import { EncodingDemand } from './encoding-demand.ts';
import { forkOptions } from './forks.ts';
import { type HandedWorld, handedFrom } from './handed-world.ts';
import type { IdleWorld } from './idle-index.ts';
import { ImageLadder } from './image-ladder.ts';
import { LatestFrame } from './latest-frame.ts';
import { PastStates } from './past-states.ts';
import type { PreparedWorld } from './prepared-worlds.ts';
import type { WorldRecord } from './records.ts';
import { Residency } from './residency.ts';
import type { WorldDependencies } from './world-dependencies.ts';
import { WorldHistory } from './world-history.ts';
import { WorldJournal } from './world-journal.ts';
import { given, WorldLoader } from './world-loader.ts';
import { WorldLockstep } from './world-lockstep.ts';
import { WorldOutlooks } from './world-outlooks.ts';
import type { WorldParts } from './world-parts.ts';
import { WorldReports } from './world-reports.ts';
import { WorldTicks } from './world-ticks.ts';
import { RefusedWrite } from './write-errors.ts';

/** The main thread's object for one world. */
export class OwnedWorld implements World, IdleWorld {
  readonly number: number;
  readonly id: string;
  readonly seed: number;
  readonly createdAtMs: number;
  lastTouchMs: number;
  /** Its slot of the idle index, in the store. */
  due: number;
  readonly loader: WorldLoader;
  readonly #lockstep: WorldLockstep;
  readonly #parts: WorldParts;
  readonly #shared: WorldDependencies;
  /** Made at first use, because most worlds at hand never need it. */
  #history: WorldHistory | undefined;
  #outlooks: WorldOutlooks | undefined;
  #pastStates: PastStates | undefined;
  /**
   * A weak reference, so that unused fleets are freed: 20 entries take more memory than the rest of
   * an unloaded world.
   */
  #fleet: WeakRef<readonly FleetEntry[]> | undefined;
  /** The newest frame, while the world is watched: its tick, and what readers ask for. */
  #latest: LatestFrame | undefined;
  /** Up to this tick another node may have sent frames, by a clock that may have been ahead. */
  #sentTick: number;

  /** `changes`: those after the masks of the record. */
  constructor(
    number: number,
    record: WorldRecord,
    changes: readonly NumberedChange[],
    shared: WorldDependencies,
  ) {
    this.number = number;
    this.id = worldIdOf(number);
    this.seed = record.seed;
    this.createdAtMs = record.createdAtMs;
    this.due = record.due;
    this.lastTouchMs = shared.clock.now();
    const ticks = new WorldTicks(shared.clock, record.createdAtMs, shared.records.grant.floorMs);
    this.#sentTick = ticks.floor - 1;
    const residency = new Residency(number, shared.shard);
    const base = { world: this, record, ticks, residency, shared };
    const ladder = new ImageLadder(number, record, shared.records);
    this.#shared = shared;
    this.#parts = {
      ...base,
      journal: new WorldJournal(changes, {
        ...base,
        changed: (change) => this.#lockstep.changed(change),
      }),
      ladder,
      reports: new WorldReports(number, shared, ladder, (incidents, isExplained) =>
        this.#lockstep.stored(incidents, isExplained),
      ),
      demand: new EncodingDemand(),
      guard: new CrashLoopGuard(),
    };
    this.loader = new WorldLoader(this.#parts, (state) => this.#lockstep.audited(state));
    this.#lockstep = new WorldLockstep(this.#parts, this.loader);
  }

  get city(): City {
    return this.#shared.city;
  }

  get exact(): boolean {
    return this.#parts.record.exact && this.loader.hasStartedOver;
  }

  get kernel(): string {
    const { kernel, from } = this.#parts.record;
    return from.tick === 0 ? kernel : '';
  }

  get shard(): Shard {
    return this.#shared.shard;
  }

  get fleet(): readonly FleetEntry[] {
    const known = this.#fleet?.deref();
    if (known !== undefined) return known;
    const fleet = fleetOf(this.seed, this.number);
    this.#fleet = new WeakRef(fleet);
    return fleet;
  }

  /** The reports of its shard, on their way to the store. */
  get reports(): WorldReports {
    return this.#parts.reports;
  }

  /** Number of its residency; 0: it is not in memory. */
  get residency(): number {
    return this.#parts.residency.number;
  }

  /** Whether the world was deleted, or this object was replaced. */
  get isRetired(): boolean {
    return this.#parts.residency.isRetired;
  }

  /** Whether this object has state that evicting it would lose. */
  get isBusy(): boolean {
    const { journal, reports, guard } = this.#parts;
    const isMoving = this.residency !== 0 || this.loader.isLoading || this.watcherCount > 0;
    const isWriting = !journal.isIdle || !reports.isIdle;
    const isExplaining = this.#history?.explanations.isIdle === false;
    const { clock, idle } = this.#shared;
    const isRemembered = guard.hasRecent(clock.now()) || idle.isUnsaved(this);
    return isMoving || isWriting || isExplaining || isRemembered;
  }

  get isQuarantined(): boolean {
    return this.#parts.guard.untilMs > this.#shared.clock.now();
  }

  /** Of its newest frame, while the world is watched. */
  get frameTick(): number | undefined {
    return this.#latest?.tick;
  }

  /** Its steps up to this tick are paid. */
  paidUpTo(tick: number): void {
    this.#parts.ticks.paid = tick;
  }

  touch(): void {
    this.lastTouchMs = this.#shared.clock.now();
    this.#shared.idle.touched(this);
  }

  // ── features ────────────────────────────────────────────────────────────────────────────────

  declared(car: number): number {
    return this.#parts.journal.declared(car);
  }

  async change(car: number, touched: number, values: number): Promise<number> {
    const { journal } = this.#parts;
    // While it starts over, it would be neither before the new start nor after it.
    if (!this.loader.hasStartedOver) await this.loader.startedOver();
    this.loader.refuseWhenRetired();
    try {
      return await journal.change(car, touched, values);
    } catch (error) {
      if (error instanceof RefusedWrite) {
        void this.#shared.owner.forget(this);
        void this.retire();
      }
      throw error;
    }
  }

  journal(range: ChangeRange): LongList<Change> {
    this.#parts.journal.refuseInDoubt();
    return this.history.journal(range);
  }

  // ── memory ──────────────────────────────────────────────────────────────────────────────────

  /**
   * Reloads a trapped world: after one trap from its image, after two traps within a minute from
   * its beginning and its journal, after three when its quarantine ends.
   */
  trapped(residency: number): void {
    this.#parts.guard.trapped(this.#shared.clock.now());
    this.loader.unloaded(residency);
  }

  /** Quarantines the world, because threads died repeatedly while they stepped it, the last at `atMs`. */
  quarantine(atMs: number): void {
    this.#parts.guard.quarantine(atMs);
    this.loader.unloaded();
  }

  /** Unloads the world for good. Resolves once its reports are stored, or the store has failed. */
  async retire(): Promise<void> {
    const { journal, reports, residency } = this.#parts;
    residency.retire();
    this.#history?.explanations.stopUnwanted();
    journal.forget();
    this.#lockstep.stop();
    await residency.close();
    await reports.close();
  }

  // ── moving to another node ──────────────────────────────────────────────────────────────────

  /** Resolves once the outcomes of all changes are known, and all reports are stored. */
  async settled(): Promise<void> {
    await this.#parts.journal.settled();
    await this.#parts.reports.written();
  }

  handOut(frozen: FrozenWorld | null): HandedWorld {
    // It is in use while it is watched, also without calls.
    const lastTouchMs = this.watcherCount > 0 ? this.#shared.clock.now() : this.lastTouchMs;
    const own = { number: this.number, due: this.due, sentTick: this.#latest?.tick ?? null };
    return handedFrom(this.#parts, { ...own, lastTouchMs, frozen });
  }

  takeIn(handed: HandedWorld, takeCopy?: () => PreparedWorld | undefined): void {
    const { trapsMs, answeredTick, paidTick, frozen, sentTick } = handed;
    const { guard, ticks } = this.#parts;
    this.due = handed.due;
    this.lastTouchMs = handed.lastTouchMs;
    this.#shared.idle.touched(this);
    guard.trapsMs = trapsMs;
    this.paidUpTo(paidTick);
    ticks.floor = Math.max(ticks.floor, answeredTick, frozen?.tick ?? 0);
    this.#sentTick = sentTick ?? ticks.floor - 1;
    if (frozen !== null) this.loader.takeIn(frozen, sentTick ?? undefined, takeCopy);
  }

  // ── reading ─────────────────────────────────────────────────────────────────────────────────

  tick(): number {
    const { ticks } = this.#parts;
    const shown = this.#fresh()?.tick ?? ticks.due();
    return ticks.answer(Math.max(shown, ticks.answered));
  }

  /** The newest frame, if it is recent and no answer has shown a later tick, at another node neither. */
  #fresh(): LatestFrame | undefined {
    const { ticks } = this.#parts;
    const shownTick = Math.max(ticks.answered, ticks.floor);
    if (this.#latest === undefined || this.#latest.tick < shownTick) return undefined;
    const ageMs = (ticks.due() - this.#latest.tick) * TICK_MS;
    return ageMs <= FRAME_AGE_MS_MAX ? this.#latest : undefined;
  }

  frame(encoding: Encoding, asker?: () => Asker): Uint8Array | Promise<Uint8Array> {
    const latest = this.#fresh();
    const bytes = latest?.[encoding];
    if (latest !== undefined && bytes !== undefined) {
      this.#parts.ticks.answer(latest.tick);
      return bytes;
    }
    if (latest !== undefined) this.loader.read(encoding);
    const asked = this.loader.query(encoding, { asker: asker?.(), tick: latest?.tick });
    return asked.then((answer) => given(answer.bytes));
  }

  /** Stops frames in forms that only readers needed. */
  forgetReaders(): void {
    if (this.#parts.demand.forgetReaders()) this.loader.sendDemand();
  }

  packed(asker?: () => Asker): Int32Array | Promise<Int32Array> {
    const latest = this.#fresh();
    if (latest?.packed !== undefined) {
      this.#parts.ticks.answer(latest.tick);
      return latest.packed;
    }
    if (latest !== undefined) this.loader.read('packed');
    const asked = this.loader.query('packed', { asker: asker?.(), tick: latest?.tick });
    return asked.then(({ packed }) => given(packed));
  }

  // ── history ─────────────────────────────────────────────────────────────────────────────────

  get history(): WorldHistory {
    this.#history ??= new WorldHistory(this.#parts, this.loader);
    return this.#history;
  }

  pastState(order: PastStateOrder): Promise<PastState> {
    this.#pastStates ??= new PastStates(this.#parts, this.loader);
    return this.#pastStates.at(order);
  }

  forkOptions(order: ForkOrder, asker: Asker): Promise<WorldOptions> {
    return forkOptions(this.#parts, this.loader, order, asker);
  }

  async outlook(asker: Asker, car?: number): Promise<WorldOutlook> {
    this.#outlooks ??= new WorldOutlooks(this.#parts, this.loader);
    const { outlook, tick } = await this.#outlooks.outlook(asker);
    const { fleet, city, id } = this;
    const context = { fleet, hazards: city.hazards };
    return { world: id, tick, outlook: outlookEntries(outlook, tick, context, car) };
  }

  async perception(asker: Asker, car: number) {
    // A watched world is not stepped for it between frames: other answers would have to wait for the next one.
    const tick = this.#fresh()?.tick;
    const answer = await this.loader.query({ perceivedBy: car }, { asker, tick });
    return { packed: given(answer.packed), record: given(answer.perception) };
  }

  events(asker?: Asker): Promise<EventRecord[]> {
    return this.history.events(asker);
  }

  incidents(range: IncidentRange, asker?: Asker): Promise<LongList<Incident>> {
    return this.history.incidents(range, asker);
  }

  incidentIds(car: number): Steps<string[]> {
    return this.history.incidentIds(car);
  }

  incident(id: string, asker?: Asker): Promise<Incident | undefined> {
    return this.history.incident(id, asker);
  }

  recordedIncident(id: string): Promise<Incident | undefined> {
    return this.history.recordedIncident(id);
  }

  replay(id: string, order: ReplayOrder): Promise<Replay | undefined> {
    return this.history.replay(id, order);
  }

  /** Takes new contacts. `from`: number of the first. */
  collided(from: number, facts: readonly ContactRecord[]): void {
    this.reports.contacts(from, facts);
    if (this.isHot) this.history.explanations.wakeAfter(facts.at(-1)?.tick ?? 0);
  }

  // ── watchers ────────────────────────────────────────────────────────────────────────────────

  get watcherCount(): number {
    return this.#parts.demand.watcherCount;
  }

  /** Whether its frames are watched. */
  get isHot(): boolean {
    return this.#parts.demand.frameWatcherCount > 0;
  }

  lockstep(known?: KnownJournal): Promise<LockstepPast> {
    return this.#lockstep.past(known);
  }

  pulse(): WorldPulse {
    return this.#lockstep.pulse();
  }

  watch(encoding: StreamEncoding, client: string, asker?: Asker): void {
    this.#parts.guard.refuseInQuarantine(this.#shared.clock.now());
    if (encoding === 'lockstep') this.#lockstep.join();
    else this.#watchFrames(encoding, client, asker);
  }

  #watchFrames(encoding: Encoding, client: string, asker: Asker | undefined): void {
    const { demand, ticks } = this.#parts;
    if (!this.isHot && !this.shard.admits) {
      throw new TwinError(
        'overloaded',
        'This node has no capacity for another watched world; try again later.',
        5,
      );
    }
    if (!this.isHot && asker?.affords(0) === false) throw new TwinError('rate_limited');
    const isNew = demand.join(encoding, client);
    const isFirst = demand.frameWatcherCount === 1;
    if (isFirst) {
      this.#shared.owner.hotChanged(this.shard, true);
      this.history.explanations.wakeAfter(ticks.now());
    }
    if (this.residency === 0) {
      void this.loader.loadIfWatched(asker);
      return;
    }
    if (isFirst) this.loader.payUpToNow(asker);
    if (isNew) this.loader.sendDemand();
  }

  unwatch(encoding: StreamEncoding, client: string): void {
    if (encoding === 'lockstep') this.#lockstep.leave();
    else this.#unwatchFrames(encoding, client);
    // The idle time starts now: it does not run while the world is watched.
    if (this.watcherCount === 0) this.touch();
  }

  #unwatchFrames(encoding: Encoding, client: string): void {
    const isGone = this.#parts.demand.leave(encoding, client);
    if (isGone) this.loader.sendDemand();
    if (this.isHot) return;
    this.#shared.owner.hotChanged(this.shard, false);
    this.#history?.explanations.stopUnwanted();
    this.#latest = undefined;
  }

  /** Takes a new frame from the shard; returns it for the sockets if the world is watched. */
  receive(frame: BatchFrame): WorldFrame | undefined {
    this.#parts.ticks.step(frame.tick);
    if (!this.isHot || frame.tick <= this.#sentTick) return undefined;
    this.#latest ??= new LatestFrame();
    this.#latest.take(frame, this.#parts.demand.readers);
    const { tick, json, msgpack } = frame;
    return { world: this, tick, json, msgpack };
  }
}
