import type { Encoding } from '../../src/codec/encoding.ts';
import { FrameEncoder } from '../../src/codec/frame-encoder.ts';
import { perceptionOf } from '../../src/codec/perception.ts';
import { snapshotOf, telemetryOf } from '../../src/codec/snapshot.ts';
import { TwinError } from '../../src/errors.ts';
import { perceivedBy } from '../../src/kernel/perception.ts';
import { type FeatureName, featureState, knownBit } from '../../src/twin/catalogue.ts';
import { EVENTS_SHOWN, eventOf, type RawEvent } from '../../src/twin/events.ts';
import { type ContactFacts, parseIncidentId } from '../../src/twin/incidents.ts';
import {
  applyChange,
  journalEntryOf,
  type NumberedChange,
  withChanges,
} from '../../src/twin/journal.ts';
import type {
  EventRecord,
  FleetEntry,
  Incident,
  JournalEntry,
  Perception,
  Snapshot,
  Telemetry,
  WorldOutlook,
} from '../../src/twin/wire.ts';
import { ContactLog } from './contact-log.ts';
import { EventLog } from './event-log.ts';
import type { NewLocalWorld } from './given-world.ts';
import {
  ImageLadder,
  LASTING_EVERY_TICKS,
  RECENT_EVERY_TICKS,
  RECENT_TICKS,
} from './image-ladder.ts';
import { JournalPlayer } from './journal-player.ts';
import { LivedJournal } from './lived-journal.ts';
import { Moment, type MomentNames } from './moment.ts';
import { nextMultiple } from './next-multiple.ts';
import { type IncidentOf, ReRuns } from './re-runs.ts';
import { ScratchPlayer } from './scratch-player.ts';
import { SelfCheck } from './self-check.ts';
import type { Happened, Replay, StateImage } from './types.ts';
import { type Life, newParts, type WorldParts } from './world-parts.ts';

/** Ticks between two readings of the kernel's events, which keeps the last 64. */
const READ_TICKS = 100;

/** A world that follows one of a node: see LiveWorld. */
export interface FollowedLife {
  readonly ready: Promise<void>;
  readonly world: LocalWorld | undefined;
}

/**
 * A world that lives here: the same kernel, the same seed and the same journal as in a node give the same
 * world, to the bit. It stands still until it is stepped.
 */
export class LocalWorld {
  #parts: WorldParts;
  readonly #player: JournalPlayer;
  readonly #ladder: ImageLadder;
  readonly #scratch: ScratchPlayer;
  /** Apart, so that whoever looks at the past tick by tick goes on from the last one. */
  readonly #looking: ScratchPlayer;
  readonly #events: EventLog;
  readonly #contacts: ContactLog;
  readonly #of: MomentNames;
  readonly #reRuns: ReRuns;
  readonly #selfCheck: SelfCheck;

  private constructor(parts: WorldParts, life?: Life) {
    const { model, id, fleet, journal } = parts;
    this.#parts = parts;
    this.#ladder = life?.ladder ?? new ImageLadder();
    this.#scratch = new ScratchPlayer(() => this.#openParts(), this.#ladder);
    this.#looking = new ScratchPlayer(() => this.#openParts(), this.#ladder);
    this.#selfCheck = new SelfCheck(this.#ladder, this.#scratch);
    this.#events = life?.events ?? new EventLog();
    this.#contacts = life?.contacts ?? new ContactLog();
    const names = { worldId: id, vins: fleet.map(({ vin }) => vin), city: model.names };
    this.#of = { names, encoder: new FrameEncoder(model.frames, names) };
    const leased = model.slabs.lease();
    const { kernel, slab } = leased;
    this.#player = new JournalPlayer(leased, journal, () => this.#events.read(kernel, slab));
    this.#reRuns = new ReRuns({
      parts: () => this.#openParts(),
      contacts: this.#contacts,
      tick: () => this.tick,
      imageAt: (tick) => this.#playedTo(tick).image(),
      snapshotOf: (packed) => snapshotOf(packed, names),
    });
    if (life?.now) this.#player.restore(life.now);
    else this.#player.place(parts);
    this.#readEvents();
  }

  /** A new world. Rejects with TwinError for a seed, a city or a journal that a node would refuse. */
  static async create(options: NewLocalWorld): Promise<LocalWorld> {
    return new LocalWorld(await newParts(options));
  }

  /**
   * A world of its own that goes on where a followed one is now. Rejects if that does not live here, but is
   * shown as the node shows it.
   */
  static async from(followed: FollowedLife): Promise<LocalWorld> {
    await followed.ready;
    if (followed.world === undefined) throw new Error('the followed world does not live here now');
    return followed.world.fork();
  }

  /**
   * A world from its parts, such as a stream tells them.
   * @internal
   */
  static ofParts(parts: WorldParts): LocalWorld {
    return new LocalWorld(parts);
  }

  /** Throws if it is closed: nothing must be leased for it again. */
  #openParts(): WorldParts {
    if (this.#player.leased.isReleased) throw new Error('this world is closed');
    return this.#parts;
  }

  get id(): string {
    return this.#parts.id;
  }

  get city(): string {
    return this.#parts.model.city;
  }

  get seed(): number {
    return this.#parts.seed;
  }

  get fleet(): readonly FleetEntry[] {
    return this.#parts.fleet;
  }

  get tick(): number {
    return this.#player.tick;
  }

  /** Number of the last change that it knows. */
  get seq(): number {
    return this.#parts.journal.seq;
  }

  /** The first tick that it knows. */
  get firstTick(): number {
    const { image, from } = this.#parts;
    return (image ?? from).tick;
  }

  /** Whether that is its beginning. */
  get knowsAll(): boolean {
    return this.#parts.image === undefined;
  }

  // ── living ──────────────────────────────────────────────────────────────────────────────────

  /** Lives so many ticks of 20 ms. */
  step(ticks = 1): void {
    this.#liveTo(this.tick + ticks);
  }

  #liveTo(target: number): void {
    const player = this.#player;
    const { isFollower } = this.#parts;
    while (player.tick < target) {
      // Of many ticks only the last ones need images of every fourth.
      const isRecent = isFollower && player.tick >= target - RECENT_TICKS;
      const every = isRecent ? RECENT_EVERY_TICKS : READ_TICKS;
      const records = player.step(Math.min(target, nextMultiple(player.tick, every)));
      if (records.length > 0) this.#contacts.add(records);
      if (player.tick % every === 0) this.#passed(player.tick, every);
    }
  }

  #passed(tick: number, every: number): void {
    const { kernel, slab } = this.#player.leased;
    if (every === RECENT_EVERY_TICKS || tick % LASTING_EVERY_TICKS === 0) {
      this.#ladder.add(this.#player.image());
    }
    if (tick % READ_TICKS === 0) this.#events.read(kernel, slab);
    this.#selfCheck.passed(tick, () => this.hash());
  }

  #readEvents(): void {
    const { kernel, slab } = this.#player.leased;
    this.#events.readAgain(kernel, slab);
  }

  /**
   * Switches features of a car from the next tick on. Undefined if that changes nothing. Throws TwinError
   * `unknown_feature`, `invalid_value` or `unknown_vin`.
   * @param car index in the fleet, or VIN
   */
  set(car: number | string, features: Partial<Record<FeatureName, boolean>>) {
    const index = this.#carIndex(car);
    let [touched, values] = [0, 0];
    for (const [name, on] of Object.entries(features)) {
      if (typeof on !== 'boolean') throw new TwinError('invalid_value');
      touched |= knownBit(name);
      if (on) values |= knownBit(name);
    }
    const { journal } = this.#parts;
    const declared = this.#declared()[index] ?? 0;
    const tick = Math.max(this.tick + 1, journal.lastTick);
    const change = { seq: journal.seq + 1, tick, car: index, touched, values };
    if (applyChange(declared, change) === declared) return undefined;
    journal.add([change]);
    return change;
  }

  /**
   * Takes the next changes of its journal; those that it knows are passed over. If some are late, the ticks
   * since the first of them are lived again. Returns how many these are. Throws JournalGap if a change does
   * not come next or is older than what is known: the world is as before then.
   */
  change(...changes: readonly NumberedChange[]): number {
    const { journal } = this.#parts;
    const [first] = journal.add(changes, this.firstTick);
    if (first === undefined || first.tick > this.tick) return 0;
    const { tick } = this;
    this.#returnTo(first.tick - 1);
    this.#liveTo(tick);
    return tick - first.tick + 1;
  }

  /** Goes back to a tick or to one before it. */
  #returnTo(tick: number): void {
    const image = this.#ladder.newest(tick);
    this.#ladder.dropAfter(tick);
    if (image !== undefined) this.#player.restore(image);
    else this.#player.place(this.#parts);
    this.#selfCheck.dropAfter(tick);
    this.#scratch.dropAfter(tick);
    this.#looking.dropAfter(tick);
    this.#contacts.dropAfter(Math.max(this.tick, 0));
    this.#readEvents();
  }

  /**
   * Lives ten seconds of its life again and compares where they lead. False: this computer does not compute
   * as it should. Undefined if there is nothing that was not compared yet.
   */
  selfCheck(): boolean | undefined {
    return this.#selfCheck.run();
  }

  // ── looking ─────────────────────────────────────────────────────────────────────────────────

  /** As `GET /api/v1/worlds/{id}/state` answers, at every tick. */
  snapshot(): Snapshot {
    return snapshotOf(this.#packed(), this.#of.names);
  }

  /** The bytes of that answer. */
  frame(encoding: Encoding): Uint8Array {
    return this.#of.encoder.encode(encoding, this.#packed());
  }

  /** As `GET /api/v1/vehicle/perception` answers. @param car index in the fleet, or VIN */
  perception(car: number | string): Perception {
    const { kernel, slab } = this.#player.leased;
    const index = this.#carIndex(car);
    const record = perceivedBy(kernel.view(slab), index);
    return perceptionOf(kernel.pack(slab), index, record, this.#of.names);
  }

  /** @param car index in the fleet, or VIN */
  telemetry(car: number | string): Telemetry {
    return telemetryOf(this.#packed(), this.#carIndex(car), this.#of.names);
  }

  #packed(): Int32Array {
    const { kernel, slab } = this.#player.leased;
    return kernel.pack(slab);
  }

  /** As `GET /api/v1/vehicle/features` answers: with the changes that are known and lie ahead. */
  features(car: number | string): ReturnType<typeof featureState> {
    return featureState(this.#declared()[this.#carIndex(car)] ?? 0);
  }

  /** Masks of all cars, once the changes that lie ahead have come into effect. */
  #declared(): number[] {
    const { journal } = this.#parts;
    const { kernel, slab } = this.#player.leased;
    const ahead = journal.changes.slice(this.#player.seq - journal.baseSeq);
    return withChanges(kernel.declared(slab), ahead);
  }

  /** Of the whole state, 16 hexadecimal digits: equal worlds have equal hashes. */
  hash(): string {
    return this.#player.hash();
  }

  /** A copy of the whole state. */
  image(): StateImage {
    return this.#player.image();
  }

  /** The last events up to a tick, oldest first. */
  events(limit = EVENTS_SHOWN, untilTick = this.tick): EventRecord[] {
    this.#readEvents();
    return this.#named(this.#events.lastUpTo(untilTick, limit));
  }

  #named(events: readonly RawEvent[]): EventRecord[] {
    const { fleet, model } = this.#parts;
    return events.map((raw) => eventOf(raw, { fleet, hazards: model.hazards }));
  }

  /** The contacts of its life, as far as this is known. */
  contacts(): ContactFacts[] {
    return this.#contacts.contacts();
  }

  /** Reports of its collisions, as a node makes them. Those that `explain` was asked for are explained. */
  incidents(): Incident[] {
    return this.#contacts.chains().map((chain) => this.#contacts.report(chain, this.#parts));
  }

  /** One of these reports; undefined if it is not known. */
  incident(id: string): Incident | undefined {
    const place = parseIncidentId(id);
    const chain = place && this.#contacts.chainAt(place);
    return chain && this.#contacts.report(chain, this.#parts);
  }

  /** The events after one tick and up to another; and of the collisions that begin there contacts and reports. */
  happened(afterTick: number, untilTick: number): Happened {
    const { kernel, slab } = this.#player.leased;
    this.#events.read(kernel, slab);
    const chains = this.#contacts.chainsBetween(afterTick, untilTick);
    return {
      events: this.#named(this.#events.between(afterTick, untilTick)),
      contacts: chains.flat(),
      incidents: chains.map((chain) => this.#contacts.report(chain, this.#parts)),
    };
  }

  /** Its seed and all its changes, also those ahead. Throws Error if the first ones are not known here. */
  journal(): { seed: number; city: string; tick: number; changes: JournalEntry[] } {
    const { seed, city, tick } = this;
    return { seed, city, tick, changes: this.#parts.journal.whole.map(journalEntryOf) };
  }

  /**
   * The report of an incident with the features that would have avoided or mitigated it: the seconds before
   * are run again, as a node does. Other tasks run meanwhile. Rejects with RangeError if the incident is not
   * known, is not over, or if too little is known of what was before; with DivergedRun if the collision does
   * not happen again.
   */
  explain(incident: IncidentOf): Promise<Incident> {
    return this.#reRuns.explain(incident);
  }

  /**
   * The seconds around an incident, as `GET …/incidents/{incident}/replay` answers: as it was, or with
   * features on that the cars had off. Other tasks run meanwhile. Rejects with RangeError as `explain`.
   */
  async replay(incident: IncidentOf, features: readonly FeatureName[] = []): Promise<Replay> {
    return this.#reRuns.replay(incident, features);
  }

  /**
   * As `GET /api/v1/worlds/{id}/outlook` answers: what would happen next without a feature, in 90 s that are
   * lived ahead. Other tasks run meanwhile. @param car index in the fleet, or VIN; by default all cars
   */
  async outlook(car?: number | string): Promise<WorldOutlook> {
    return this.#reRuns.outlook(car === undefined ? undefined : this.#carIndex(car));
  }

  // ── other ticks ─────────────────────────────────────────────────────────────────────────────

  /** The world as it was at a tick of its life. Throws RangeError for a tick that is not known. */
  at(tick: number): Moment {
    const player = this.#playedTo(tick, this.#looking);
    const { kernel, slab } = player.leased;
    return new Moment(tick, player.hash(), kernel.pack(slab).slice(), this.#of);
  }

  /**
   * A world that begins where this one began, to be lived up to `firstTick` and handed to `takePast`.
   * @param changes of the whole life
   */
  beginning(changes: readonly NumberedChange[]): LocalWorld {
    const { from, journal: known } = this.#parts;
    const isBefore = ({ seq }: NumberedChange) => seq > from.seq && seq <= known.baseSeq;
    const journal = new LivedJournal(from.seq, changes.filter(isBefore));
    return new LocalWorld({ ...this.#parts, image: undefined, journal, isFollower: false });
  }

  /**
   * Takes what a world has lived that began where this one did, and is where this one is known from on, as its
   * own past. False if that one is in another state: then it was another life.
   */
  takePast(earlier: LocalWorld): boolean {
    const { firstTick } = this;
    if (earlier.tick !== firstTick || earlier.seq !== this.#parts.journal.baseSeq) return false;
    if (earlier.hash() !== this.#playedTo(firstTick).hash()) return false;
    this.#parts.journal.prepend(earlier.#parts.journal);
    this.#parts = { ...this.#parts, image: undefined };
    this.#ladder.prepend(earlier.#ladder.lastingUpTo(firstTick));
    this.#events.prepend(earlier.#events);
    this.#contacts.prepend(earlier.#contacts);
    return true;
  }

  /**
   * A world of its own that has the same past, up to a tick, and goes on without the changes after it.
   * Throws RangeError for a tick that is not known.
   */
  fork(tick = this.tick): LocalWorld {
    const now = this.#playedTo(tick).image();
    const ladder = new ImageLadder(this.#ladder.lastingUpTo(tick));
    const contacts = this.#contacts.copy();
    contacts.dropAfter(tick);
    const events = new EventLog(this.#events.events);
    const journal = this.#parts.journal.upTo(tick);
    const parts = { ...this.#parts, journal, isFollower: false };
    return new LocalWorld(parts, { now, ladder, events, contacts });
  }

  /** Throws RangeError for a tick that is not known. */
  #playedTo(tick: number, scratch = this.#scratch): JournalPlayer {
    if (!Number.isInteger(tick) || tick < this.firstTick || tick > this.tick) {
      throw new RangeError(`ticks ${this.firstTick} to ${this.tick} are known, ${tick} is not`);
    }
    return scratch.at(tick);
  }

  #carIndex(car: number | string): number {
    const index = typeof car === 'number' ? car : this.fleet.findIndex(({ vin }) => vin === car);
    if (!(index in this.fleet)) throw new TwinError('unknown_vin', 'No car of this world is that.');
    return index;
  }

  /** Frees its memory in the kernel. It must not be used afterwards. */
  close(): void {
    this.#scratch.release();
    this.#looking.release();
    this.#player.leased.release();
  }
}
