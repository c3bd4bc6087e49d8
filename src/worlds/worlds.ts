import { CAR_COUNT, F_ALL, TICK_MS } from '../../assembly/layout.ts';
import type { City } from '../city/types.ts';
import type { NodeClock } from '../clock.ts';
import { TwinError } from '../errors.ts';
import { HANDLES_MAX } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import { eachFrame } from '../shard/batch-frames.ts';
import type { BeatReport, Report } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';
import type { Time } from '../time.ts';
import { randomWorldNumber, worldIdOf } from '../twin/ids.ts';
import { applyChange } from '../twin/journal.ts';
import type { TwinService, World, WorldFrame } from '../twin/service.ts';
import type { WorldOptions } from '../twin/world-options.ts';
import type { WorldSurroundings } from './dependencies.ts';
import { IdleIndex } from './idle-index.ts';
import { OwnedWorld } from './owned-world.ts';
import type { Records, WorldRecord } from './records.ts';

export interface WorldsOptions {
  clock: NodeClock;
  log: Log;
  /** Whether this node may show and change worlds at the moment. */
  mayServe(): boolean;
  cities: readonly City[];
  shards: readonly Shard[];
  /** Identity of this node's kernel. */
  kernel: string;
  /** The first world became hot, or none is any more. */
  anyHot(any: boolean): void;
  idleMs: number;
  time: Time;
  random: Random;
}

const ALL_ON: readonly number[] = Array.from({ length: CAR_COUNT }, () => F_ALL);
/** Where a world begins. It is the same for all, as their masks are: many are at hand. */
const START = { tick: 0, seq: 0, masks: ALL_ON };
const CREATE_ATTEMPTS = 3;
const EVICTION_LOOKS = 8;
/** A world that was called so lately may be in the hands of a request. */
const IN_USE_MS = 10_000;
/** Watched worlds that are brought back at the same time when a shard has a new thread. */
const REOPENED_AT_ONCE = 64;

/** The worlds of this node: at hand, in the store, or to be made. */
export class Worlds implements TwinService {
  readonly cities: readonly City[];
  readonly idle: IdleIndex;
  readonly #options: WorldsOptions;
  #records: Records;
  /** By number; least recently loaded first. */
  readonly #handles = new Map<number, OwnedWorld>();
  /** Where the search for those that can be let go of has come to. */
  #hand = this.#handles.values();
  /** By shard and city. */
  readonly #around: WorldSurroundings[] = [];
  readonly #loading = new Map<number, Promise<OwnedWorld | undefined>>();
  /** Worlds that are being removed from the store. */
  readonly #dropping = new Set<number>();
  /** Incidents that were explained. */
  explained = 0;
  #stay = 0;
  #sink: (frames: readonly WorldFrame[], done: () => void) => void = (_, done) => done();
  #endStreams: (world: World, code: 1012 | 1013) => void = () => {};

  constructor(options: WorldsOptions, records: Records) {
    this.#options = options;
    this.#records = records;
    this.cities = options.cities;
    this.idle = new IdleIndex({
      time: options.time,
      now: () => options.clock.now(),
      idleMs: options.idleMs,
      records: () => this.#records,
      log: options.log,
      atHand: (world) => this.#handles.get(world),
      forget: (world) => this.#drop(world),
      saved: () => this.#trim(),
    });
  }

  get atHand(): number {
    return this.#handles.size;
  }

  // ── making and finding ──────────────────────────────────────────────────────────────────────

  async create(options: WorldOptions): Promise<World> {
    this.#refuseUnlessServing();
    const record = this.#record(options);
    const lived = options.journal?.changes ?? [];
    for (let attempt = 1; ; attempt++) {
      const number = randomWorldNumber((count) => this.#options.random.bytes(count));
      try {
        await this.#records.create(number, record, lived);
      } catch (error) {
        if (attempt < CREATE_ATTEMPTS && (await this.#records.record(number))) continue;
        throw error;
      }
      const world = this.#make(number, record, Uint16Array.from(record.masks), {
        seq: record.maskSeq,
        tick: record.maskTick,
      });
      this.#keep(world);
      return world;
    }
  }

  #record({ seed, city, startTick, journal }: WorldOptions): WorldRecord {
    const lived = journal?.changes ?? [];
    const masks = [...ALL_ON];
    for (const change of lived) masks[change.car] = applyChange(masks[change.car] ?? 0, change);
    const { clock, cities, kernel, random } = this.#options;
    return {
      seed: seed ?? new DataView(random.bytes(4).buffer).getUint32(0),
      city: city ?? cities[0]?.name ?? '',
      createdAtMs: clock.now() - startTick * TICK_MS,
      kernel,
      exact: journal === undefined || journal.kernel === kernel,
      due: this.idle.slotOf(clock.now()),
      livedCount: lived.length,
      masks: lived.length === 0 ? ALL_ON : masks,
      maskSeq: lived.length,
      maskTick: lived.at(-1)?.tick ?? 0,
      from: START,
    };
  }

  #refuseUnlessServing(): void {
    if (!this.#options.mayServe()) throw new TwinError('store_unavailable', undefined, 2);
  }

  peek(number: number): OwnedWorld | undefined {
    this.#refuseUnlessServing();
    return this.#known(number);
  }

  async load(number: number): Promise<OwnedWorld | undefined> {
    const known = this.peek(number);
    if (known !== undefined || this.#dropping.has(number)) return known;
    let loading = this.#loading.get(number);
    if (loading === undefined) {
      loading = this.#load(number).finally(() => this.#loading.delete(number));
      this.#loading.set(number, loading);
    }
    return loading;
  }

  async #load(number: number): Promise<OwnedWorld | undefined> {
    const { clock } = this.#options;
    const records = this.#records;
    const record = await records.record(number);
    if (record === undefined) return undefined;
    const due = await records.due(number, record);
    if (due === undefined || due < this.idle.firstLivingSlot(clock.now())) return undefined;
    const changes = await records.changes(number, record, record.maskSeq);
    const masks = Uint16Array.from(record.masks);
    for (const change of changes) masks[change.car] = applyChange(masks[change.car] ?? 0, change);
    const last = changes.at(-1) ?? { seq: record.maskSeq, tick: record.maskTick };
    const world = this.#make(number, record, masks, last);
    world.due = due;
    this.#keep(world);
    return world;
  }

  #make(
    number: number,
    record: WorldRecord,
    masks: Uint16Array,
    last: { seq: number; tick: number },
  ): OwnedWorld {
    const { cities, shards } = this.#options;
    const cityIndex = cities.findIndex(({ name }) => name === record.city);
    const around = this.#surroundings(cityIndex, rendezvous(number, shards.length));
    return new OwnedWorld(number, record, masks, last, around);
  }

  /** The same for all worlds of a city and a shard: thousands of them are at hand. */
  #surroundings(cityIndex: number, shardIndex: number): WorldSurroundings {
    const { cities, clock, kernel, log, shards, time } = this.#options;
    const city = cities[cityIndex];
    if (city === undefined) throw new TwinError('world_unavailable', 'Its city is gone.', 3600);
    const shard = shards[shardIndex];
    if (shard === undefined) throw new Error('a node has shards');
    const position = shardIndex * cities.length + cityIndex;
    const known = this.#around[position];
    if (known !== undefined) return known;
    const around: WorldSurroundings = {
      now: () => clock.now(),
      time,
      city,
      cityIndex,
      records: this.#records,
      kernel,
      shard,
      touched: (world) => this.idle.touched(world),
      nextStay: () => ++this.#stay,
      endStreams: (world, code) => this.#endStreams(world, code),
      forget: (world) => this.#forget(world),
      heated: (hot) => this.#heated(shard, hot),
      warn: (world, message, err) => log.warn({ world: world.id, err }, message),
    };
    this.#around[position] = around;
    return around;
  }

  #heated(shard: Shard, hot: boolean): void {
    shard.hotCount += hot ? 1 : -1;
    const hotCount = this.#options.shards.reduce((sum, each) => sum + each.hotCount, 0);
    if (hotCount <= 1) this.#options.anyHot(hotCount > 0);
  }

  /**
   * Keeps a handle at hand, and about HANDLES_MAX of them, but for those that are in use. A hand goes
   * round over all of them and on by a few for each that comes, so the cost of it stays the same.
   */
  #keep(world: OwnedWorld): void {
    this.#handles.set(world.number, world);
    const now = this.#options.clock.now();
    for (let looks = 0; this.#handles.size > HANDLES_MAX && looks < EVICTION_LOOKS; looks++) {
      const { value: next } = this.#hand.next();
      if (next === undefined) this.#hand = this.#handles.values();
      else if (!this.#isInUse(next, now)) this.#handles.delete(next.number);
    }
  }

  /** Lets go of those beyond HANDLES_MAX that were in use when the last ones came. */
  #trim(): void {
    const now = this.#options.clock.now();
    for (const world of this.#handles.values()) {
      if (this.#handles.size <= HANDLES_MAX) return;
      if (!this.#isInUse(world, now)) this.#handles.delete(world.number);
    }
  }

  #isInUse(world: OwnedWorld, now: number): boolean {
    return now - world.lastTouchMs < IN_USE_MS || world.busy || this.idle.isUnsaved(world);
  }

  async #drop(number: number): Promise<void> {
    if (this.#dropping.has(number)) return;
    this.#dropping.add(number);
    try {
      await this.#loading.get(number)?.catch(() => {});
      const world = this.#handles.get(number);
      if (world !== undefined) {
        world.dropped = true;
        await world.close();
        await world.reports.close();
      }
      await this.#records.remove(number);
      this.#handles.delete(number);
    } finally {
      this.#dropping.delete(number);
    }
  }

  /** What is known of a world is not what the store has: the next request loads it anew. */
  #forget(world: OwnedWorld): void {
    if (this.#handles.get(world.number) === world) this.#handles.delete(world.number);
    this.#endStreams(world, 1012);
    world.forget();
  }

  /** Nothing may be shown any more, until it may again: streams end. */
  suspend(): void {
    for (const world of this.#handles.values()) {
      if (world.watcherCount > 0) this.#endStreams(world, 1013);
    }
  }

  /** What is known of all worlds does not count any more; from here on `records` do. */
  startOver(records = this.#records): void {
    this.#records = records;
    this.#around.length = 0;
    this.idle.forgetAll();
    for (const world of [...this.#handles.values()]) this.#forget(world);
  }

  // ── beats and reports ───────────────────────────────────────────────────────────────────────

  onBeat(sink: (frames: readonly WorldFrame[], done: () => void) => void): void {
    this.#sink = sink;
  }

  onStreamEnd(end: (world: World, code: 1012 | 1013) => void): void {
    this.#endStreams = end;
  }

  report(shard: Shard, report: Report): void {
    switch (report.kind) {
      case 'beat':
        this.#beat(shard, report);
        return;
      case 'contacts':
        this.#staying(report)?.collided(report.from, report.facts);
        return;
      case 'explained': {
        // Of whatever stay: collisions are explained long after it, too.
        this.explained++;
        const { tick, order, explanation } = report;
        this.#known(report.world)?.reports.explained({ tick, order, explanation });
        return;
      }
      case 'image': {
        const { tick, seq, bytes } = report;
        this.#staying(report)?.reports.image({ tick, seq, bytes });
        return;
      }
      case 'cold':
        this.#known(report.world)?.leftMemory(report.stay);
        return;
      case 'trapped': {
        const id = worldIdOf(report.world);
        this.#options.log.error({ world: id, trap: report.message }, 'world trapped');
        this.#known(report.world)?.trapped(report.stay);
      }
    }
  }

  /** Of a world that is being removed from the store nothing more may get there. */
  #known(number: number): OwnedWorld | undefined {
    const world = this.#handles.get(number);
    return world?.dropped ? undefined : world;
  }

  /**
   * The world that a report is of, where it is still in the memory that the report comes from. The
   * one that was loaded after it was forgotten must not hear of a life that the store may have lost.
   */
  #staying({ world, stay }: { world: number; stay: number }): OwnedWorld | undefined {
    const known = this.#known(world);
    return known?.stay === stay ? known : undefined;
  }

  #beat(shard: Shard, report: BeatReport): void {
    const frames: WorldFrame[] = [];
    eachFrame(report, (world, frame) => {
      const known = this.#handles.get(world);
      const shown = known === undefined || known.stay === 0 ? undefined : known.receive(frame);
      if (shown !== undefined) frames.push(shown);
    });
    const { incarnation } = shard;
    if (!this.#options.mayServe()) frames.length = 0;
    this.#sink(frames, () => {
      if (shard.incarnation === incarnation) shard.acknowledge(report.beat);
    });
  }

  /** A shard lost its thread: its worlds are not in memory any more. */
  shardLost(shard: Shard): void {
    for (const world of this.#handles.values()) if (world.shard === shard) world.leftMemory();
  }

  /** A shard has a new thread: whoever watches its worlds sees them go on. */
  async shardBack(shard: Shard): Promise<void> {
    const worlds = [...this.#handles.values()].filter((world) => world.shard === shard);
    for (let i = 0; i < worlds.length; i += REOPENED_AT_ONCE) {
      await Promise.all(worlds.slice(i, i + REOPENED_AT_ONCE).map((world) => world.reopen()));
    }
  }

  /** Threads died on this world again and again. */
  quarantine(number: number): void {
    this.#options.log.error({ world: worldIdOf(number) }, 'world rests');
    this.#handles.get(number)?.quarantine();
  }

  /** Resolves once all that the shards reported so far is in the store. */
  async stored(): Promise<void> {
    await Promise.all([...this.#handles.values()].map((world) => world.reports.close()));
  }
}

/** Which of `count` shards a world lives on: the highest of their scores (rendezvous hashing). */
export function rendezvous(world: number, count: number): number {
  let best = 0;
  let bestScore = -1;
  for (let shard = 0; shard < count; shard++) {
    const score = scramble((world % 2 ** 32) ^ scramble(Math.floor(world / 2 ** 32) + shard * 977));
    if (score > bestScore) {
      best = shard;
      bestScore = score;
    }
  }
  return best;
}

/** Finaliser of MurmurHash3, 32 bits. */
function scramble(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
