import type { City } from '../city/types.ts';
import type { Clock } from '../clock.ts';
import type { PartitionLoad } from '../cluster-operator.ts';
import { BetweenNodes } from '../errors.ts';
import { PARTITION_COUNT } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import { eachFrame } from '../shard/frame-batch.ts';
import type { Address, FrameBatch, Report } from '../shard/protocol.ts';
import type { Shard, ShardListener } from '../shard/shard.ts';
import type { Supervisor } from '../shard/supervisor.ts';
import { Slices } from '../slices.ts';
import type { Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { NumberedChange } from '../twin/journal.ts';
import type { WorldOptions } from '../twin/world-options.ts';
import type { StreamEnd, TwinService, World, WorldFrame } from '../twin-service.ts';
import { CatchUps } from './catch-ups.ts';
import { countDue, listDue } from './due-entries.ts';
import type { HeldPartitions, PartitionedWorlds } from './held-partitions.ts';
import { IdleIndex, type IdleWorlds } from './idle-index.ts';
import { KeptStates } from './kept-states.ts';
import { LateFrames } from './late-frames.ts';
import { NewWorlds } from './new-worlds.ts';
import { type CommonDependencies, OwnedPartition } from './owned-partition.ts';
import { OwnedWorld } from './owned-world.ts';
import { PreparedWorlds } from './prepared-worlds.ts';
import { Records, type WorldRecord } from './records.ts';
import { rendezvous } from './rendezvous.ts';
import type { WorldDependencies, WorldOwner } from './world-dependencies.ts';
import { WorldHandles } from './world-handles.ts';
import { WorldHandover } from './world-handover.ts';
import { WorldPresence } from './world-presence.ts';

export interface WorldsDependencies {
  clock: Clock;
  time: Time;
  random: Random;
  log: Log;
  store: Store;
  ranges: HeldPartitions;
  cities: readonly City[];
  shards: readonly Shard[];
  supervisor: Supervisor;
  /** Publishes the clock regularly while worlds are watched. */
  publisher: { publish(isOn: boolean): void };
  /** Identity of this node's kernel. */
  kernel: string;
  idleMs: number;
  explanationBudget: WorldDependencies['explanationBudget'];
  isDraining: WorldDependencies['isDraining'];
}

const CREATE_ATTEMPTS = 3;
/** Watched worlds that are loaded at a time after a shard has restarted. */
const RELOADED_AT_ONCE = 64;
/** Images that a shard saves at a time when the node stops: 14 MB. */
const IMAGES_AT_ONCE = 1000;

/** The worlds of this node: makes, finds, loads and deletes them, and handles reports of shards. */
export class Worlds
  implements TwinService, WorldOwner, IdleWorlds, PartitionedWorlds, ShardListener
{
  readonly cities: readonly City[];
  readonly shards: readonly Shard[];
  readonly idle: IdleIndex;
  readonly catchUps: CatchUps;
  readonly presence: WorldPresence;
  readonly handover: WorldHandover;
  readonly lateFrames = new LateFrames();
  readonly #dependencies: WorldsDependencies;
  readonly #common: CommonDependencies;
  readonly #newWorlds: NewWorlds;
  readonly #handles = new WorldHandles();
  /** By partition. */
  readonly #partitions = new Map<number, OwnedPartition>();
  readonly #loading = new Map<number, Promise<OwnedWorld | undefined>>();
  /** Worlds that are being removed from the store. */
  readonly #dropping = new Set<number>();
  /** Whom to tell that a world is deleted: those that were made here. */
  readonly #deleted = new Map<number, () => void>();
  #sink: (frames: readonly WorldFrame[], done: () => void) => void = (_, done) => done();
  endStreams: WorldOwner['endStreams'] = () => {};
  tell: WorldOwner['tell'] = () => {};

  constructor(dependencies: WorldsDependencies) {
    const { cities, clock, idleMs, log, shards, store, time } = dependencies;
    this.#dependencies = dependencies;
    this.cities = cities;
    this.shards = shards;
    this.catchUps = new CatchUps({ time, log });
    const { catchUps } = this;
    this.idle = new IdleIndex({ time, clock, log, worlds: this, catchUps, idleMs });
    this.#newWorlds = new NewWorlds({ ...dependencies, idle: this.idle });
    this.presence = new WorldPresence({ store, clock, idle: this.idle, worlds: this });
    const prepared = new PreparedWorlds(cities, shards);
    this.handover = new WorldHandover(this.#handles, prepared, ({ number, record }) =>
      this.#add(this.#heldPartitionOf(number), number, record, []),
    );
    const { explanationBudget, isDraining, kernel, random } = dependencies;
    const keptStates = new KeptStates();
    const own = { owner: this, idle: this.idle, slices: new Slices(time), keptStates, catchUps };
    const cluster = { isDraining, isPartitionShown: (each: number) => this.#isShown(each) };
    const given = { cities, clock, explanationBudget, kernel, log, random, shards, store, time };
    this.#common = { ...given, ...own, ...cluster };
  }

  /** How many worlds are at hand. */
  get handleCount(): number {
    return this.#handles.size;
  }

  /** What the partitions weigh that this node holds. */
  loads(): PartitionLoad[] {
    const atHand = Map.groupBy(this.#handles.all(), ({ number }) => partitionOf(number));
    return this.#dependencies.ranges.shown().map((partition) => ({
      partition,
      worldCount: this.idle.lastCountOf(partition),
      hotCount: (atHand.get(partition) ?? []).filter(({ isHot }) => isHot).length,
    }));
  }

  /** How many worlds are quarantined. */
  get quarantinedCount(): number {
    return this.#handles.all().filter(({ isQuarantined }) => isQuarantined).length;
  }

  // ── making and finding ──────────────────────────────────────────────────────────────────────

  async create(options: WorldOptions, deleted?: () => void): Promise<World> {
    const { record, changes } = this.#newWorlds.record(options);
    for (let attempt = 1; ; attempt++) {
      const number = this.#newWorlds.number();
      const partition = this.#partitionOf(number);
      try {
        await partition.records.create(number, record, changes);
      } catch (error) {
        if (attempt < CREATE_ATTEMPTS && (await partition.records.record(number))) continue;
        throw error;
      }
      const world = this.#add(partition, number, record, []);
      if (deleted) this.#deleted.set(number, deleted);
      world.paidUpTo(options.startTick);
      return world;
    }
  }

  /** Throws TwinError `store_unavailable` unless the partition of a world is held and shown. */
  #partitionOf(number: number): OwnedPartition {
    if (!this.#isShown(partitionOf(number))) throw new BetweenNodes();
    return this.#heldPartitionOf(number);
  }

  /** The same, of a partition that may not be shown yet. */
  #heldPartitionOf(number: number): OwnedPartition {
    const partition = partitionOf(number);
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const records = this.recordsOf(partition);
    if (records === undefined) throw new BetweenNodes();
    const made = new OwnedPartition(records, this.#common);
    this.#partitions.set(partition, made);
    return made;
  }

  #isShown(partition: number): boolean {
    const { ranges, time } = this.#dependencies;
    return ranges.isShown(partition, time.now());
  }

  recordsOf(partition: number): Records | undefined {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known.records;
    const grant = this.#dependencies.ranges.grantOf(partition);
    return grant && new Records(this.#dependencies.store, grant);
  }

  listDue(...asked: Parameters<IdleWorlds['listDue']>): ReturnType<IdleWorlds['listDue']> {
    return listDue(this.#dependencies.store, ...asked);
  }

  countDue(partition: number, from: number): Promise<number> {
    return countDue(this.#dependencies.store, partition, from);
  }

  serves(number: number): boolean {
    return this.#isShown(partitionOf(number));
  }

  peek(number: number): OwnedWorld | undefined {
    if (!this.serves(number)) throw new BetweenNodes();
    return this.atHand(number);
  }

  /** Undefined for a world that is being deleted. */
  atHand(number: number): OwnedWorld | undefined {
    const world = this.#handles.get(number);
    return world?.isRetired ? undefined : world;
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
    const { clock } = this.#dependencies;
    const partition = this.#partitionOf(number);
    const { records } = partition;
    const [record] = await Promise.all([records.record(number), partition.readSuspects()]);
    if (record === undefined) return undefined;
    const due = await records.due(number, record);
    if (due === undefined || due < this.idle.firstLivingSlot(clock.now())) return undefined;
    const changes = await records.changes(number, record, record.maskSeq);
    // While the store was read, the deadline may have passed.
    if (!this.#isShown(records.grant.partition)) throw new BetweenNodes();
    const world = this.#add(partition, number, record, changes);
    world.due = due;
    partition.quarantineSuspect(world);
    return world;
  }

  /**
   * `changes`: those after the masks of the record. Throws TwinError `store_unavailable` if the grant
   * under which they were read is over.
   */
  #add(
    partition: OwnedPartition,
    number: number,
    record: WorldRecord,
    changes: readonly NumberedChange[],
  ): OwnedWorld {
    const { grant } = partition.records;
    if (this.#partitions.get(grant.partition) !== partition) throw new BetweenNodes();
    const { cities, clock, shards } = this.#dependencies;
    const cityIndex = cities.findIndex(({ name }) => name === record.city);
    const shared = partition.sharedBy(cityIndex, rendezvous(number, shards.length));
    const world = new OwnedWorld(number, record, changes, shared);
    this.#handles.add(world, clock.now());
    return world;
  }

  // ── forgetting ──────────────────────────────────────────────────────────────────────────────

  hotChanged(shard: Shard, isHot: boolean): void {
    shard.hotCount += isHot ? 1 : -1;
    const hotCount = this.shards.reduce((sum, each) => sum + each.hotCount, 0);
    if (hotCount <= 1) this.#dependencies.publisher.publish(hotCount > 0);
  }

  trim(): void {
    this.#handles.trim(this.#dependencies.clock.now());
  }

  async drop(number: number): Promise<void> {
    if (this.#dropping.has(number)) return;
    this.#dropping.add(number);
    try {
      await this.#loading.get(number)?.catch(() => {});
      const world = this.#handles.get(number);
      // A world at the end of its life may be watched.
      if (world !== undefined) this.endStreams(world, 1012);
      await world?.retire();
      await this.#partitionOf(number).records.remove(number);
      this.#handles.delete(number);
      this.#tellDeleted(number);
    } finally {
      this.#dropping.delete(number);
    }
  }

  #tellDeleted(number: number): void {
    this.#deleted.get(number)?.();
    this.#deleted.delete(number);
  }

  async forget(world: World): Promise<void> {
    const known = this.#handles.get(world.number);
    this.endStreams(world, 'moved');
    if (known !== world) return;
    this.#handles.delete(world.number);
    await known.retire();
  }

  suspend(partitions: ReadonlySet<number>): void {
    for (const world of this.#handles.all()) {
      const isSuspended = partitions.has(partitionOf(world.number));
      if (isSuspended && world.watcherCount > 0) this.endStreams(world, 1013);
    }
  }

  leaveAll(): Promise<void> {
    return this.leave(
      new Set(Array.from({ length: PARTITION_COUNT }, (_, partition) => partition)),
    );
  }

  async leave(partitions: ReadonlySet<number>): Promise<void> {
    for (const partition of partitions) this.#partitions.delete(partition);
    const left: Promise<void>[] = [];
    for (const world of this.#handles.all()) {
      if (!partitions.has(partitionOf(world.number))) continue;
      this.idle.forget(world);
      left.push(this.forget(world));
    }
    for (const number of this.#deleted.keys()) {
      if (partitions.has(partitionOf(number))) this.#tellDeleted(number);
    }
    await Promise.all(left);
  }

  // ── streams and reports ─────────────────────────────────────────────────────────────────────

  onFrames(sink: (frames: readonly WorldFrame[], done: () => void) => void): void {
    this.#sink = sink;
  }

  onLockstep(tell: WorldOwner['tell']): void {
    this.tell = tell;
  }

  onStreamEnd(end: (world: World, why: StreamEnd) => void): void {
    this.endStreams = end;
  }

  report(shard: Shard, report: Report): void {
    switch (report.kind) {
      case 'frames':
        this.#deliver(shard, report);
        return;
      case 'contacts':
        this.#worldOf(report)?.collided(report.from, report.facts);
        return;
      case 'image':
        this.#worldOf(report)?.reports.image(report.image);
        return;
      case 'evicted':
        this.atHand(report.world)?.loader.unloaded(report.residency);
        return;
      case 'trapped': {
        const id = worldIdOf(report.world);
        this.#dependencies.log.error({ world: id, trap: report.message }, 'world trapped');
        this.atHand(report.world)?.trapped(report.residency);
      }
    }
  }

  /**
   * The world of a report; undefined if the report is of an earlier residency: it may contradict
   * the store.
   */
  #worldOf({ world, residency }: Address): OwnedWorld | undefined {
    const known = this.atHand(world);
    return known?.residency === residency ? known : undefined;
  }

  #deliver(shard: Shard, batch: FrameBatch): void {
    const { ranges, time, clock } = this.#dependencies;
    const nowMs = time.now();
    const readingMs = clock.now();
    const frames: WorldFrame[] = [];
    eachFrame(batch, (number, frame) => {
      if (!ranges.isShown(partitionOf(number), nowMs)) return;
      const world = this.#handles.get(number);
      if (world === undefined || world.residency === 0) return;
      if (world.isHot) this.lateFrames.framed(world, frame.tick, readingMs);
      const shown = world.receive(frame);
      if (shown !== undefined) frames.push(shown);
    });
    const { incarnation } = shard;
    this.#sink(frames, () => {
      if (shard.incarnation === incarnation) shard.acknowledge(batch.number);
    });
  }

  // ── shards ──────────────────────────────────────────────────────────────────────────────────

  /** Starts the shards' threads. */
  async start(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.start(this)));
  }

  died(shard: Shard, world: number): void {
    for (const each of this.#handles.ofShard(shard)) each.loader.unloaded();
    void this.#restart(shard, world);
  }

  /**
   * Starts a new thread for a shard and loads its watched worlds again. First the store has the world on
   * which the thread died (0: none): this process may be next.
   */
  async #restart(shard: Shard, diedOn: number): Promise<void> {
    if (diedOn !== 0) await this.#noteDeath(diedOn);
    if (!(await this.#dependencies.supervisor.restart(shard))) return;
    const worlds = this.#handles.ofShard(shard);
    for (let i = 0; i < worlds.length; i += RELOADED_AT_ONCE) {
      const some = worlds.slice(i, i + RELOADED_AT_ONCE);
      await Promise.all(some.map((world) => world.loader.loadIfWatched()));
    }
  }

  async #noteDeath(number: number): Promise<void> {
    const partition = this.#partitions.get(partitionOf(number));
    await partition?.noteDeath(number);
    const world = this.#handles.get(number);
    if (world !== undefined) partition?.quarantineSuspect(world);
  }

  /** Resolves once all reports of the shards are stored, or the store has failed. */
  async stored(): Promise<void> {
    await Promise.all(this.#handles.all().map((world) => world.reports.close()));
  }

  /** Saves images of all worlds that were stepped since their last image, some at a time. */
  async saveImages(): Promise<void> {
    for (const shard of this.shards) {
      // A shard that is restarting has nothing to save.
      const save = () => shard.saveMoved(IMAGES_AT_ONCE).catch(() => 0);
      for (let left = await save(); left > 0; left = await save()) await this.stored();
    }
    await this.stored();
  }
}
