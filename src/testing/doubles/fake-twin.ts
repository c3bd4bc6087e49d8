import {
  CAR_COUNT,
  F_ALL,
  O_CARS,
  O_HAZARDS,
  O_LIGHTS,
  O_TICK,
  OC_GAP,
  OC_STRIDE,
  OUT_LENGTH,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { cityNames } from '../../city/names.ts';
import type { City } from '../../city/types.ts';
import type { Encoding, StreamEncoding } from '../../codec/encoding.ts';
import { snapshotOf } from '../../codec/snapshot.ts';
import { TwinError } from '../../errors.ts';
import { tagOf } from '../../http/server/etag.ts';
import { encode } from '../../http/server/reply.ts';
import { loadCities } from '../../load-cities.ts';
import { packNumbered } from '../../shard/protocol.ts';
import { fleetOf } from '../../twin/fleet.ts';
import { worldIdOf } from '../../twin/ids.ts';
import { parseIncidentId } from '../../twin/incidents.ts';
import { applyChange, type Change, packChanges, unpackChanges } from '../../twin/journal.ts';
import {
  type KnownJournal,
  type LockstepMessage,
  readingOf,
  type WorldPulse,
} from '../../twin/lockstep.ts';
import type { PerceptionRecord } from '../../twin/perception-record.ts';
import type { EventRecord, Incident, WorldOutlook } from '../../twin/wire.ts';
import type { WorldOptions } from '../../twin/world-options.ts';
import type {
  Asker,
  ChangeRange,
  ForkOrder,
  IncidentRange,
  ListPage,
  LockstepPast,
  LongList,
  PastState,
  PastStateOrder,
  Presence,
  Replay,
  ReplayOrder,
  Steps,
  StreamEnd,
  TwinService,
  World,
  WorldFrame,
} from '../../twin-service.ts';

const { cities } = loadCities();

/** A world that stands still, for tests of the front end. Everything in it can be set. */
export class FakeWorld implements World {
  readonly number: number;
  readonly id: string;
  readonly seed: number;
  readonly city: City;
  readonly createdAtMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  readonly fleet;
  exact = true;
  kernel = 'kernel';
  touches = 0;
  tickNow: number;
  watchers: Record<StreamEncoding, number> = { json: 0, msgpack: 0, lockstep: 0 };
  /** A client that knows this has the beginning of the journal. */
  journalHash = '0123456789abcdef';
  masks: number[] = new Array(CAR_COUNT).fill(F_ALL);
  changes: Change[] = [];
  incidentList: Incident[] = [];
  /** By car. */
  perceptions: PerceptionRecord[] = [];
  /** Who asked for incidents last. */
  asker: Asker | undefined;
  /** Entries of a page of a list. */
  pageSize = 2;
  /** Steps that lists take, in addition to the last. */
  steps = 0;
  /** Pages of lists that were read. */
  pagesRead = 0;
  outlookList: WorldOutlook['outlook'] = [];
  eventList: EventRecord[] = [];
  /** What a replay takes. */
  replayTicks = 1000;
  /** Those that were asked for. */
  readonly replayOrders: ReplayOrder[] = [];
  /** Replays are computed once this resolves. */
  replaysEnd: Promise<void> = Promise.resolve();
  /** A hot world answers at once. */
  isHot = true;
  /** Thrown by whatever asks something of the world. */
  failure: Error | undefined = undefined;
  /** Set to keep changes from becoming durable. */
  gate: Promise<void> | undefined = undefined;

  constructor(number: number, options: WorldOptions) {
    this.number = number;
    this.id = worldIdOf(number);
    this.seed = options.seed ?? 7;
    this.city = cities[0] as City;
    this.fleet = fleetOf(this.seed, number);
    this.tickNow = options.startTick;
    this.changes = options.journal ? unpackChanges(options.journal.changes) : [];
    this.exact = options.journal === undefined;
  }

  get watcherCount(): number {
    return this.watchers.json + this.watchers.msgpack + this.watchers.lockstep;
  }

  touch(): void {
    this.touches++;
  }

  tick(): number {
    return this.tickNow;
  }

  declared(car: number): number {
    return this.masks[car] ?? 0;
  }

  async change(car: number, touched: number, values: number): Promise<number> {
    await this.gate;
    if (this.failure) throw this.failure;
    const change = { tick: this.tickNow + 2, car, touched, values };
    const declared = applyChange(this.declared(car), change);
    this.masks[car] = declared;
    this.changes.push(change);
    return declared;
  }

  frame(encoding: Encoding): Uint8Array | Promise<Uint8Array> {
    return this.isHot ? this.bytes(encoding) : this.#later(() => this.bytes(encoding));
  }

  packed(): Int32Array | Promise<Int32Array> {
    return this.isHot ? this.snapshot() : this.#later(() => this.snapshot());
  }

  async #later<T>(read: () => T): Promise<T> {
    await this.gate;
    if (this.failure) throw this.failure;
    return read();
  }

  snapshot(): Int32Array {
    const packed = new Int32Array(OUT_LENGTH);
    packed[O_TICK] = this.tickNow;
    packed[O_LIGHTS] = this.city.lights.length;
    packed[O_HAZARDS] = this.city.hazards.length;
    for (let car = 0; car < CAR_COUNT; car++) packed[O_CARS + car * OC_STRIDE + OC_GAP] = -1;
    return packed;
  }

  bytes(encoding: Encoding): Uint8Array {
    const vins = this.fleet.map(({ vin }) => vin);
    const names = { worldId: this.id, vins, city: cityNames(this.city) };
    return Buffer.from(encode(snapshotOf(this.snapshot(), names), encoding));
  }

  /** The world stands still: whatever the tick. */
  async pastState({ encoding }: PastStateOrder): Promise<PastState> {
    await this.gate;
    if (this.failure) throw this.failure;
    return { snapshot: this.bytes(encoding), hash: '0123456789abcdef' };
  }

  async forkOptions({ tick, changes }: ForkOrder): Promise<WorldOptions> {
    if (this.failure) throw this.failure;
    const all = [...packChanges(this.changes), ...changes];
    const journal = { changes: Int32Array.from(all), kernel: undefined };
    return { seed: this.seed, city: this.city.name, startTick: tick, journal };
  }

  async events(): Promise<EventRecord[]> {
    return this.eventList;
  }

  async incidents(
    { after, untilTick = Number.POSITIVE_INFINITY, limit, car }: IncidentRange,
    asker?: Asker,
  ): Promise<LongList<Incident>> {
    this.asker = asker;
    const isAfter = ({ id }: Incident): boolean => {
      const place = parseIncidentId(id);
      if (after === undefined || place === undefined) return true;
      return place.tick === after.tick ? place.order > after.order : place.tick > after.tick;
    };
    const ofCar = car === undefined ? this.incidentList : this.#incidentsOf(car);
    const isWanted = (each: Incident) => isAfter(each) && each.tick <= untilTick;
    return this.#longList(ofCar.filter(isWanted).slice(0, limit));
  }

  async outlook(): Promise<WorldOutlook> {
    return { world: this.id, tick: this.tick(), outlook: this.outlookList };
  }

  async perception(_: Asker, car: number) {
    const record = this.perceptions[car] ?? { detections: [], intent: 'driving', about: undefined };
    return { packed: await this.packed(), record };
  }

  async *incidentIds(car: number): Steps<string[]> {
    if (this.failure) throw this.failure;
    for (let step = 0; step < this.steps; step++) yield '';
    return this.#incidentsOf(car).map(({ id }) => id);
  }

  #incidentsOf(car: number): Incident[] {
    const { vin } = at(this.fleet, car);
    return this.incidentList.filter(({ vehicles }) => vehicles.some((party) => party.vin === vin));
  }

  /** A list in pages. */
  #longList<Item>(items: readonly Item[]): LongList<Item> {
    const size = this.pageSize;
    const pageCount = Math.ceil(items.length / size);
    const pages = Array.from({ length: pageCount }, (_, i): ListPage<Item> => {
      const ofPage = items.slice(size * i, size * (i + 1));
      const read = async function* (this: FakeWorld): Steps<readonly Item[]> {
        this.pagesRead++;
        yield* steps();
        return ofPage;
      };
      return { name: JSON.stringify(ofPage), count: ofPage.length, read: () => read.call(this) };
    });
    const count = this.steps;
    async function* steps() {
      for (let step = 0; step < count; step++) yield '' as const;
    }
    return {
      tag: tagOf(JSON.stringify(items)),
      pages: async function* () {
        yield* steps();
        return pages;
      },
    };
  }

  async incident(id: string, asker?: Asker): Promise<Incident | undefined> {
    this.asker = asker;
    return this.incidentList.find((incident) => incident.id === id);
  }

  async recordedIncident(id: string): Promise<Incident | undefined> {
    if (this.failure) throw this.failure;
    return this.incidentList.find((incident) => incident.id === id);
  }

  /** Two frames of what there is, touched at the second where nothing is on. */
  async replay(id: string, order: ReplayOrder): Promise<Replay | undefined> {
    const { on, encoding, spend } = order;
    this.replayOrders.push(order);
    if (!this.incidentList.some((incident) => incident.id === id)) return undefined;
    spend(this.replayTicks);
    await this.replaysEnd;
    const frame = this.bytes(encoding);
    const gap = encoding === 'json' ? [Uint8Array.of(0x2c)] : [];
    const frames = Buffer.concat([frame, ...gap, frame]);
    return { frames, count: 2, contactTick: on === 0 ? this.tickNow : null };
  }

  journal({ after = 0, limit }: ChangeRange): LongList<Change> {
    return this.#longList(this.changes.slice(after).slice(0, limit));
  }

  async lockstep(known?: KnownJournal): Promise<LockstepPast> {
    await this.gate;
    if (this.failure) throw this.failure;
    const { seed, city } = this;
    const start = { tick: 0, seq: 0, masks: new Array(CAR_COUNT).fill(F_ALL) };
    const resumed = known?.journal === this.journalHash;
    const changes = packNumbered(
      this.changes.map((change, i) => ({ seq: i + 1, ...change })).slice(resumed ? known.seq : 0),
    );
    return {
      seed,
      city: city.name,
      start,
      resumed,
      image: undefined,
      changes,
      ...this.pulse(),
    };
  }

  pulse(): WorldPulse {
    const { watcherCount: watchers, journalHash: journal, tickNow: tick } = this;
    return { ...readingOf(tick), seq: this.changes.length, journal, watchers };
  }

  watch(encoding: StreamEncoding, _client?: string, asker?: Asker): void {
    if (this.failure) throw this.failure;
    this.asker = asker;
    this.watchers[encoding]++;
  }

  unwatch(encoding: StreamEncoding): void {
    this.watchers[encoding]--;
  }
}

/** Worlds in memory, some of them out of reach of `peek`. */
export class FakeTwin implements TwinService {
  cities: readonly City[] = cities;
  readonly worlds = new Map<number, FakeWorld>();
  readonly presence: Presence = {
    isKnown: (worldNumber) => this.peek(worldNumber) !== undefined,
    find: (worldNumber) => this.worlds.get(worldNumber) ?? 'gone',
  };
  /** Whom to tell that a world is deleted. */
  readonly deleted: (() => void)[] = [];
  /** Worlds that have to be loaded first. */
  readonly cold = new Set<FakeWorld>();
  loads = 0;
  readonly #firstNumber: number;
  loadFailure: Error | undefined = undefined;
  #sink: (frames: readonly WorldFrame[], done: () => void) => void = () => {};
  #end: (world: World, why: StreamEnd) => void = () => {};
  #tell: (world: World, message: LockstepMessage) => void = () => {};

  /** @param firstNumber world number of the first world */
  constructor(firstNumber = 123_456_789) {
    this.#firstNumber = firstNumber;
  }

  /** A world at once, for tests that are not about creation. */
  add(options: WorldOptions = { startTick: 0 }): FakeWorld {
    const world = new FakeWorld(this.#firstNumber + this.worlds.size * 1_000_003, options);
    this.worlds.set(world.number, world);
    return world;
  }

  async create(options: WorldOptions, deleted?: () => void): Promise<World> {
    if (deleted) this.deleted.push(deleted);
    return this.add(options);
  }

  peek(worldNumber: number): FakeWorld | undefined {
    const world = this.worlds.get(worldNumber);
    return world && this.cold.has(world) ? undefined : world;
  }

  async load(worldNumber: number): Promise<World | undefined> {
    this.loads++;
    if (this.loadFailure) throw this.loadFailure;
    return this.worlds.get(worldNumber);
  }

  onFrames(sink: (frames: readonly WorldFrame[], done: () => void) => void): void {
    this.#sink = sink;
  }

  onLockstep(tell: (world: World, message: LockstepMessage) => void): void {
    this.#tell = tell;
  }

  /** Those who live a world hear of something. */
  tell(world: World, message: LockstepMessage): void {
    this.#tell(world, message);
  }

  onStreamEnd(end: (world: World, why: StreamEnd) => void): void {
    this.#end = end;
  }

  /** Sends one frame of each world; resolves once they are delivered. */
  sendFrames(...worlds: FakeWorld[]): Promise<void> {
    const frames = worlds.map((world) => ({
      world,
      tick: world.tickNow,
      json: world.watchers.json > 0 ? world.bytes('json') : undefined,
      msgpack: world.watchers.msgpack > 0 ? world.bytes('msgpack') : undefined,
    }));
    return new Promise((resolve) => this.#sink(frames, resolve));
  }

  endStreams(world: World, why: StreamEnd): void {
    this.#end(world, why);
  }
}

/** What a store that cannot be reached looks like from here. */
export const STORE_DOWN = new TwinError('store_unavailable', undefined, 2);
