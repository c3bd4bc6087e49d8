import { TICK_MS } from '../../assembly/layout.ts';
import type { City } from '../city/types.ts';
import type { Encoding } from '../codec/encoding.ts';
import { TwinError } from '../errors.ts';
import { BEAT_AGE_MS_MAX } from '../limits.ts';
import type { BeatFrame } from '../shard/batch-frames.ts';
import { type Look, type LookAnswer, packNumbered, type WorldCommand } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import { fleetOf } from '../twin/fleet.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import type { Change } from '../twin/journal.ts';
import type { Replay, ReplayOrder, World, WorldFrame } from '../twin/service.ts';
import type { EventRecord, FleetEntry, Incident } from '../twin/wire.ts';
import { Traps } from './crash-guard.ts';
import type { WorldSurroundings } from './dependencies.ts';
import { Audience } from './encoding-demand.ts';
import { LatestFrame } from './latest-frame.ts';
import { lookWithin } from './query-budget.ts';
import type { WorldRecord } from './records.ts';
import { WorldHistory } from './world-history.ts';
import { WorldJournal } from './world-journal.ts';
import { WorldReports } from './world-reports.ts';

/** How often a world is brought back to memory for one request before it is given up. */
const ATTEMPTS_MAX = 4;

/** A living world that this node serves, as the main thread knows it. */
export class OwnedWorld implements World {
  readonly number: number;
  readonly id: string;
  readonly seed: number;
  readonly createdAtMs: number;
  readonly exact: boolean;
  readonly city: City;
  readonly cityIndex: number;
  readonly shard: Shard;
  lastTouchMs: number;
  /** Slot of the index in which the store has it. */
  due: number;
  /** Removed from the store, or forgotten: it must not come to memory any more. */
  dropped = false;
  readonly #around: WorldSurroundings;
  readonly #record: WorldRecord;
  readonly #journal: WorldJournal;
  readonly #audience = new Audience();
  readonly #traps = new Traps();
  /** What its shard tells of it, on its way to the store. */
  readonly reports: WorldReports;
  /** Made when first asked: most worlds at hand are never asked what happened in them. */
  #madeHistory: WorldHistory | undefined;
  /** Until the next collection: 20 cars are more than all else that is known of a world at rest. */
  #fleet: WeakRef<readonly FleetEntry[]> | undefined;
  #stay = 0;
  /** The last stay that the shard is known to have ended. */
  #endedStay = 0;
  #opening: Promise<number> | undefined;
  /** The newest frame, while anybody watches. */
  #latest: LatestFrame | undefined;
  /** Highest tick that any answer has shown. */
  #answeredTick = 0;
  /** Where the shard will have brought the world once all looks are answered. */
  #reachedTick = 0;
  /** Where the shard has brought it. */
  #livedTick = 0;

  /** `last`: number and tick of the last change in the journal; `masks`: with it in. */
  constructor(
    number: number,
    record: WorldRecord,
    masks: Uint16Array,
    last: { seq: number; tick: number },
    around: WorldSurroundings,
  ) {
    this.number = number;
    this.id = worldIdOf(number);
    this.seed = record.seed;
    this.createdAtMs = record.createdAtMs;
    this.exact = record.exact;
    this.due = record.due;
    this.city = around.city;
    this.cityIndex = around.cityIndex;
    this.shard = around.shard;
    this.#record = record;
    this.#around = around;
    this.lastTouchMs = around.now();
    const { time } = around;
    this.reports = new WorldReports({
      time,
      saveIncidents: (facts) => around.records.saveIncidents(number, facts),
      saveExplanations: (explained) => around.records.saveExplanations(number, explained),
      saveImage: (image) => around.records.saveImage(number, { kernel: around.kernel, ...image }),
      warn: (message, error) => around.warn(this, message, error),
    });
    this.#journal = new WorldJournal(record, masks, last, {
      time,
      clockTick: () => this.#clockTick(),
      append: (changes, upToDate) => around.records.append(number, changes, upToDate),
      // Before that its start-over does.
      mayWriteRecord: () => record.kernel === around.kernel,
      hasChange: (change) => around.records.hasChange(number, change),
      refused: () => around.forget(this),
      command: (command) => this.#command(command),
    });
  }

  get fleet(): readonly FleetEntry[] {
    const kept = this.#fleet?.deref();
    if (kept !== undefined) return kept;
    const fleet = fleetOf(this.seed, this.number);
    this.#fleet = new WeakRef(fleet);
    return fleet;
  }

  get watcherCount(): number {
    return this.#audience.watcherCount;
  }

  /** Number of its stay in its shard's memory, 0 none: what others report is of a life before. */
  get stay(): number {
    return this.#stay;
  }

  /** Whether anything would be lost if this object were forgotten. */
  get busy(): boolean {
    const moving = this.#stay !== 0 || this.#opening !== undefined || this.watcherCount > 0;
    const isWriting = !this.#journal.idle || !this.reports.idle;
    const isExplaining = this.#madeHistory?.explanations.idle === false;
    return moving || isWriting || isExplaining || this.#traps.remembers(this.#around.now());
  }

  touch(): void {
    this.lastTouchMs = this.#around.now();
    this.#around.touched(this);
  }

  // ── time ────────────────────────────────────────────────────────────────────────────────────

  #clockTick(): number {
    return Math.floor((this.#around.now() - this.createdAtMs) / TICK_MS);
  }

  /** How far a look would have to step it. */
  get behindTicks(): number {
    return this.#clockTick() - this.#reachedTick;
  }

  tick(): number {
    const shown = this.#fresh()?.tick ?? this.#clockTick();
    return this.#answer(Math.max(shown, this.#answeredTick));
  }

  #answer(tick: number): number {
    this.#answeredTick = Math.max(this.#answeredTick, tick);
    return tick;
  }

  /** The last frame where it is new enough to answer with, and no answer has shown a later tick. */
  #fresh(): LatestFrame | undefined {
    if (this.#latest === undefined || this.#latest.tick < this.#answeredTick) return undefined;
    const ageMs = (this.#clockTick() - this.#latest.tick) * TICK_MS;
    return ageMs <= BEAT_AGE_MS_MAX ? this.#latest : undefined;
  }

  // ── features ────────────────────────────────────────────────────────────────────────────────

  declared(car: number): number {
    return this.#journal.declared(car);
  }

  change(car: number, touched: number, values: number): Promise<number> {
    return this.#journal.change(car, touched, values);
  }

  #command(command: WorldCommand): void {
    const address = { world: this.number, stay: this.#stay };
    if (this.#stay !== 0) this.shard.command({ ...command, ...address });
  }

  // ── memory ──────────────────────────────────────────────────────────────────────────────────

  /** Brings the world to its shard's memory; resolves with the number of its stay there. */
  #open(): Promise<number> {
    if (this.#stay !== 0) return Promise.resolve(this.#stay);
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
      this.#journal.endHandOver();
    });
    return this.#opening;
  }

  async #openNow(): Promise<number> {
    this.#traps.refuseWhileResting(this.#around.now());
    this.#refuseWhenDropped();
    this.#journal.beginHandOver();
    if (this.#record.kernel !== this.#around.kernel) await this.#startOver();
    const { records } = this.#around;
    const trustImage = !this.#traps.distrustImage(this.#around.now());
    const { image, changes } = await records.past(this.number, this.#record, trustImage);
    const stay = this.#around.nextStay();
    this.#refuseWhenDropped();
    const answer = await this.shard.open({
      world: this.number,
      stay,
      seed: this.seed,
      cityIndex: this.cityIndex,
      createdAtMs: this.createdAtMs,
      from: this.#record.from,
      image,
      changes: packNumbered(changes),
    });
    if (answer.outcome === 'full') {
      throw new TwinError('overloaded', 'The node holds as many moving worlds as it can.', 5);
    }
    if (this.dropped) await this.shard.close({ world: this.number, stay }).catch(() => {});
    this.#refuseWhenDropped();
    // The shard may have needed the room for others before its answer was read.
    if (this.#endedStay === stay) return this.#openNow();
    this.reports.opened(answer.contacts);
    this.#reachedTick = image?.tick ?? this.#record.from.tick;
    this.#enter(stay);
    return stay;
  }

  /** Another object may stand for the world by now, whose stay must not be ended by this one's. */
  #refuseWhenDropped(): void {
    if (this.dropped) throw new TwinError('world_unavailable', undefined, 1);
  }

  /**
   * Another kernel lived it until now: identity, features and reports stay, positions start over
   * at the tick of now.
   */
  async #startOver(): Promise<void> {
    const { kernel, records } = this.#around;
    const from = { tick: this.#clockTick(), seq: this.#journal.seq, masks: this.#journal.masks };
    const record = { ...this.#record, kernel, exact: false, from };
    await records.replace(this.number, record);
    Object.assign(this.#record, record);
  }

  /** In memory from here on. */
  #enter(stay: number): void {
    this.#stay = stay;
    this.#journal.handOver();
    if (this.watcherCount > 0) this.#sendWatch();
  }

  /** The shard no longer has it: this stay is over, or whatever stay there was. */
  leftMemory(stay = this.#stay): void {
    this.#endedStay = Math.max(this.#endedStay, stay);
    if (stay !== this.#stay) return;
    this.#stay = 0;
    this.#latest = undefined;
    void this.reopen();
  }

  /** It trapped: rebuilt from its record, the second time without its image; then it rests. */
  trapped(stay: number): void {
    this.#traps.trapped(this.#around.now());
    this.leftMemory(stay);
  }

  /** Rests at once: threads died on it again and again. */
  quarantine(): void {
    this.#traps.quarantine(this.#around.now());
    this.leftMemory();
  }

  /** Whatever is known of it here does not count any more; it may still be writing. */
  forget(): void {
    this.dropped = true;
    this.#journal.forget();
    void this.close();
    void this.reports.close();
  }

  async close(): Promise<void> {
    const stay = this.#stay;
    this.#stay = 0;
    if (stay !== 0) await this.shard.close({ world: this.number, stay }).catch(() => {});
  }

  // ── looking ─────────────────────────────────────────────────────────────────────────────────

  /** Brings the world to now and reads it there. */
  async #look(want: Look, background = false): Promise<LookAnswer & { outcome: 'seen' }> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const stay = await this.#open();
      const tick = Math.max(this.#clockTick(), this.#answeredTick);
      const task = { world: this.number, stay, tick, want, background };
      const looking = lookWithin(this.shard, task, Math.max(0, tick - this.#reachedTick));
      this.#reachedTick = Math.max(this.#reachedTick, tick);
      const answer = await looking;
      if (answer.outcome === 'gone') {
        this.leftMemory(stay);
        continue;
      }
      this.#livedTick = Math.max(this.#livedTick, answer.tick);
      this.#answer(answer.tick);
      return answer;
    }
    throw new TwinError('world_unavailable', undefined, 1);
  }

  /** Where it is further behind than that, catches up behind everybody else, up to an image. */
  async catchUp(limitTicks: number): Promise<void> {
    if (this.#stay === 0) {
      const image = await this.#around.records.image(this.number, this.#record);
      this.#reachedTick = Math.max(this.#reachedTick, image?.tick ?? 0);
    }
    if (this.behindTicks > limitTicks) await this.#look('tick', true);
  }

  latestFrame(encoding: Encoding): Uint8Array | undefined {
    const latest = this.#fresh();
    if (latest === undefined) return undefined;
    // From the next beat on, frames in this encoding are at hand.
    if (latest[encoding] !== undefined) this.#answer(latest.tick);
    else if (this.#audience.read(encoding)) this.#sendWatch();
    return latest[encoding];
  }

  /** Encodings that only readers wanted are no longer made. */
  forgetReaders(): void {
    if (this.#audience.forgetReaders() && this.#stay !== 0) this.#sendWatch();
  }

  async frame(encoding: Encoding): Promise<Uint8Array> {
    const { bytes } = await this.#look(encoding);
    if (bytes === undefined) throw new Error('a frame was asked for');
    return bytes;
  }

  latestPacked(): Int32Array | undefined {
    const latest = this.#fresh();
    if (latest !== undefined) this.#answer(latest.tick);
    return latest?.packed;
  }

  async packed(): Promise<Int32Array> {
    const { packed } = await this.#look('packed');
    if (packed === undefined) throw new Error('a packed snapshot was asked for');
    return packed;
  }

  // ── what happened ───────────────────────────────────────────────────────────────────────────

  get #history(): WorldHistory {
    this.#madeHistory ??= this.#makeHistory();
    return this.#madeHistory;
  }

  #makeHistory(): WorldHistory {
    const { city, cityIndex, id, number, reports, shard } = this;
    const { records, time, warn } = this.#around;
    return new WorldHistory({
      ...{ city, cityIndex, id, number, record: this.#record, records, reports, shard, time },
      fleet: () => this.fleet,
      look: (want) => this.#look(want),
      lastChangeTick: () => this.#journal.lastTick,
      clockTick: () => this.#clockTick(),
      livedTick: () => this.#livedTick,
      isWatched: () => this.watcherCount > 0,
      isDropped: () => this.dropped,
      warn: (message, error) => warn(this, message, error),
    });
  }

  events(): Promise<EventRecord[]> {
    return this.#history.events();
  }

  incidents(): Promise<Incident[]> {
    return this.#history.incidents();
  }

  incident(id: string): Promise<Incident | undefined> {
    return this.#history.incident(id);
  }

  replay(id: string, order: ReplayOrder): Promise<Replay | undefined> {
    return this.#history.replay(id, order);
  }

  /** New contacts, numbered on from `from`. */
  collided(from: number, facts: readonly ContactFacts[]): void {
    this.reports.contacts(from, facts);
    if (this.watcherCount > 0) this.#history.explanations.wakeAfter(facts.at(-1)?.tick ?? 0);
  }

  journal(): Promise<Change[]> {
    return this.#around.records.changes(this.number, this.#record, 0);
  }

  // ── watchers ────────────────────────────────────────────────────────────────────────────────

  watch(encoding: Encoding): void {
    this.#traps.refuseWhileResting(this.#around.now());
    if (this.watcherCount === 0 && !this.shard.admits) {
      throw new TwinError('overloaded', 'The node shows as many worlds as it can.', 5);
    }
    const isNew = this.#audience.join(encoding);
    if (this.watcherCount === 1) {
      this.#around.heated(true);
      this.#history.explanations.wakeAfter(this.#clockTick());
    }
    if (this.#stay === 0) void this.reopen();
    else if (isNew) this.#sendWatch();
  }

  unwatch(encoding: Encoding): void {
    const isGone = this.#audience.leave(encoding);
    if (isGone && this.#stay !== 0) this.#sendWatch();
    if (this.watcherCount > 0) return;
    this.#around.heated(false);
    this.#latest = undefined;
    // While it was watched nobody had to call.
    this.touch();
  }

  #sendWatch(): void {
    const [json, msgpack] = [this.#audience.wants('json'), this.#audience.wants('msgpack')];
    this.#command({ kind: 'watch', json, msgpack });
  }

  /** Brings it to memory where it is watched and not there. Never rejects. */
  async reopen(): Promise<void> {
    if (this.dropped || this.watcherCount === 0 || this.#stay !== 0) return;
    await this.#open().catch((error: unknown) => {
      if (this.watcherCount === 0) return;
      // A shard that is being replaced calls again when it is back.
      if (!this.shard.alive) return;
      this.#around.warn(this, 'a watched world did not open', error);
      this.#around.endStreams(this, 1013);
    });
  }

  /** A beat brought a new frame; as the front end takes it, where anybody watches. */
  receive(frame: BeatFrame): WorldFrame | undefined {
    this.#reachedTick = Math.max(this.#reachedTick, frame.tick);
    this.#livedTick = Math.max(this.#livedTick, frame.tick);
    if (this.watcherCount === 0) return undefined;
    this.#latest ??= new LatestFrame();
    this.#latest.take(frame);
    const { tick, json, msgpack } = this.#latest;
    return { world: this, tick, json, msgpack };
  }
}
