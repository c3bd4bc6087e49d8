import type { MessagePort } from 'node:worker_threads';
import { at } from '../city/geometry.ts';
import { ShardClock } from '../clock.ts';
import { Kernel } from '../kernel/kernel.ts';
import { perceivedBy } from '../kernel/perception.ts';
import {
  BURST_IMAGE_TICKS,
  FRAME_BATCH_WORLDS,
  HEARTBEAT_MS,
  IMAGES_PER_HEARTBEAT,
} from '../limits.ts';
import type { StopTimer, Time } from '../time.ts';
import { CAR_TYPES } from '../twin/fleet.ts';
import { CounterfactualQueue, REWIND_SLABS } from './counterfactual/counterfactual-queue.ts';
import { RewindCache } from './counterfactual/rewind-cache.ts';
import { FrameBatcher } from './frame-batcher.ts';
import type { HostThread } from './host-thread.ts';
import { LoadedWorld, placePast } from './loaded-world.ts';
import {
  type Address,
  type Command,
  type Fault,
  FREEZE_HOLD,
  type OpenAnswer,
  type OpenOutcome,
  type OpenTask,
  type Query,
  type QueryAnswer,
  type QueryResult,
  type QueryTask,
  type Report,
  type ShardPort,
  type ShardStart,
  type StateImage,
  transferred,
  unpackNumbered,
  type WorldCommand,
} from './protocol.ts';
import { Pulse } from './pulse.ts';
import { LATE_MS, Scheduler, type SchedulerHost } from './scheduler.ts';
import { loadedOf, StandingWorlds } from './standing-worlds.ts';

/** Pause before the next check whether the last frame batch was acknowledged. */
const BATCH_RETRY_MS = 2;
/** While frames are due, a batch waits for so many: each costs a turn of both threads, like several frames. */
const BATCH_WORLDS_MIN = FRAME_BATCH_WORLDS / 2;
/** But no longer than this. */
const BATCH_WAIT_MS = 6;

/** The thread side of a shard: one kernel, the worlds in it, and the loop that steps them. */
export class ShardHost<Port extends ShardPort = MessagePort> implements SchedulerHost {
  readonly counterfactuals: CounterfactualQueue;
  readonly standing: StandingWorlds;
  readonly #start: ShardStart<Port>;
  readonly #thread: HostThread<Port>;
  readonly #time: Time;
  readonly #kernel: Kernel;
  readonly #clock: ShardClock;
  readonly #pulse: Pulse;
  readonly #scheduler: Scheduler;
  readonly #frames: FrameBatcher;
  readonly #rewindCache = new RewindCache();
  /** By number; least recently used first. */
  readonly #worlds = new Map<number, LoadedWorld>();
  readonly #stopHeartbeat: StopTimer;
  #wakeLater: StopTimer | undefined;
  #wakeNow: StopTimer | undefined;
  /** Its next trap ends the thread. */
  #fatal: LoadedWorld | undefined;
  #stopped: (() => void) | undefined;
  /** Since when frames wait for the main thread. */
  #keptSinceMs = Number.POSITIVE_INFINITY;
  /** Since when a batch that might be sent waits for more frames. */
  #batchSinceMs = Number.POSITIVE_INFINITY;

  constructor(start: ShardStart<Port>, time: Time, thread: HostThread<Port>) {
    this.#start = start;
    this.#thread = thread;
    this.#time = time;
    const kernel = new Kernel({
      module: thread.kernelOf(start.wasm),
      cityTables: start.cities.tables,
      carTypes: CAR_TYPES,
      slabCount: start.slabCount + REWIND_SLABS,
    });
    const clock = new ShardClock(start.clockWords, start.clockOriginMs, time);
    const pulse = new Pulse(start.pulse);
    const { cities } = start;
    const [cache, worlds] = [this.#rewindCache, this.#worlds];
    const wake = () => this.#schedule(0);
    const parts = { time, kernel, cities, cache, worlds, pulse, wake };
    const counterfactuals = new CounterfactualQueue(parts);
    const isAcknowledged = (batch: number) => pulse.acknowledged === batch;
    const frames = new FrameBatcher(isAcknowledged, thread.frameMemory);
    this.#frames = frames;
    const { costs, wakeOffset } = start;
    const schedulerParts = { time, clock, frames, pulse, counterfactuals, costs, wakeOffset };
    this.#scheduler = new Scheduler({ ...schedulerParts, host: this });
    const drainCommands = () => this.drainCommands();
    const scheduler = this.#scheduler;
    this.standing = new StandingWorlds({ worlds, frames, scheduler, time, drainCommands, wake });
    this.#kernel = kernel;
    this.#clock = clock;
    this.#pulse = pulse;
    this.counterfactuals = counterfactuals;
    start.commands.on('message', (message) => this.#takeAll(message as readonly Command[]));
    // The first heartbeat is sent at once, because admission needs the cost of a tick.
    this.#sendHeartbeat();
    this.#stopHeartbeat = time.every(HEARTBEAT_MS, () => this.#sendHeartbeat());
  }

  /** Resolves when `stop` is called. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopped = resolve;
    });
  }

  /** Ends everything that keeps the thread alive. Call `saveMoved` before. */
  stop(): void {
    this.#stopHeartbeat();
    this.#wakeLater?.();
    this.#wakeNow?.();
    this.#start.commands.close();
    this.#start.reports.close();
    this.#stopped?.();
  }

  // ── tasks ───────────────────────────────────────────────────────────────────────────────────

  /** Each is opened, also where another one cannot be. */
  openMany(tasks: readonly OpenTask[]): OpenOutcome[] {
    return tasks.map((task) => {
      try {
        return this.#open(task);
      } catch (error) {
        return { outcome: 'failed', error };
      }
    });
  }

  #open(task: OpenTask): OpenAnswer {
    const known = this.#worlds.get(task.world);
    if (known !== undefined) {
      // It may be in use: the partition may have come to this node by another way.
      if (task.prepared) return { outcome: 'full' };
      this.#unload(known);
    }
    const slab = this.#kernel.acquire() ?? this.#evict();
    if (slab === undefined) return { outcome: 'full' };
    try {
      const world = this.#load(task, slab);
      if (task.prepared) {
        world.hold(FREEZE_HOLD, 0);
        for (const encoding of task.prepared) world.encoder.prepare(encoding);
      }
      this.#worlds.set(task.world, world);
      return { outcome: 'opened', contacts: world.contactsReported };
    } catch (error) {
      this.#kernel.release(slab);
      throw error;
    }
  }

  #load(task: OpenTask, slab: number): LoadedWorld {
    const { world: number, residency, createdAtMs, cityIndex, past, sentTick } = task;
    placePast(this.#kernel, slab, cityIndex, past);
    return new LoadedWorld(this.#kernel, {
      number,
      residency,
      slab,
      cityIndex,
      encoder: this.#thread.encoderOf(number, at(this.#start.cities.names, cityIndex)),
      createdAtMs,
      seq: (past.image ?? past.from).seq,
      changes: unpackNumbered(past.changes),
      sentTick,
    });
  }

  query({ world: number, residency, tick, query, background }: QueryTask): Promise<QueryAnswer> {
    const world = this.#worlds.get(number);
    if (world?.residency !== residency) return Promise.resolve({ outcome: 'unloaded' });
    this.#touch(world);
    return new Promise((resolve) => {
      this.#scheduler.reach(world, {
        tick,
        sinceMs: this.#clock.now(),
        background,
        reached: () => resolve(this.#answer(world, query)),
        lost: () => resolve({ outcome: 'unloaded' }),
      });
      this.#schedule(0);
    });
  }

  #answer(world: LoadedWorld, query: Query): QueryResult {
    const { encoder, slab, tick } = world;
    this.worldMoved(world);
    if (tick - world.storedTick >= BURST_IMAGE_TICKS) this.#save(world, world.imageNow());
    const isFrame = query === 'json' || query === 'msgpack';
    const car = typeof query === 'object' ? query.perceivedBy : undefined;
    const isPacked = query === 'packed' || car !== undefined;
    return {
      outcome: 'answered',
      tick,
      bytes: isFrame ? encoder.encode(query, this.#kernel.pack(slab)) : undefined,
      packed: isPacked ? this.#kernel.pack(slab).slice() : undefined,
      perception: car === undefined ? undefined : perceivedBy(this.#kernel.view(slab), car),
      events: query === 'events' ? this.#kernel.events(slab) : undefined,
      hash: query === 'hash' ? this.#kernel.hash(slab) : undefined,
    };
  }

  /** Unloads worlds, without saving them. Answers something for each. */
  closeMany(addresses: readonly Address[]): true[] {
    for (const world of loadedOf(this.#worlds, addresses)) this.#unload(world);
    return addresses.map(() => true);
  }

  /** Reports images of worlds that were stepped, at most `limit`. Returns how many are left. */
  saveMoved(limit: number): number {
    const moved = [...this.#worlds.values()].filter(({ hasMoved }) => hasMoved);
    for (const world of moved.slice(0, limit)) this.#save(world, world.imageNow());
    return Math.max(0, moved.length - limit);
  }

  // ── memory ──────────────────────────────────────────────────────────────────────────────────

  /** Marks a world as the most recently used. */
  #touch(world: LoadedWorld): void {
    this.#worlds.delete(world.number);
    this.#worlds.set(world.number, world);
  }

  /** Unloads the least recently used world that is not in use, and returns its slab. */
  #evict(): number | undefined {
    for (const world of this.#worlds.values()) {
      if (this.#scheduler.isInUse(world)) continue;
      if (world.hasMoved) this.#save(world, world.imageNow());
      this.#unload(world);
      const { number, residency } = world;
      this.#report({ kind: 'evicted', world: number, residency });
      return this.#kernel.acquire();
    }
    return undefined;
  }

  #unload(world: LoadedWorld): void {
    this.#worlds.delete(world.number);
    this.#frames.delete(world);
    this.#scheduler.remove(world);
    this.#kernel.release(world.slab);
  }

  /** Those of one heartbeat share a commit of the store. */
  #saveDue(): void {
    let left = IMAGES_PER_HEARTBEAT;
    for (const world of this.#worlds.values()) {
      if (left === 0) break;
      if (!world.hot || !world.isImageDue) continue;
      this.#save(world, world.imageNow());
      left--;
    }
  }

  #save(world: LoadedWorld, image: StateImage): void {
    world.storedTick = image.tick;
    const { number, residency } = world;
    this.#report({ kind: 'image', world: number, residency, image });
  }

  // ── for the scheduler ───────────────────────────────────────────────────────────────────────

  /** Reports new contacts, before any answer or frame that shows their effect. */
  worldMoved(world: LoadedWorld): void {
    const count = this.#kernel.contactCount(world.slab);
    if (count > world.contactsReported) this.#reportContacts(world, count);
  }

  #reportContacts(world: LoadedWorld, count: number): void {
    const { number, residency, contactsReported: from } = world;
    const facts = this.#kernel.records(world.slab, from);
    const dueTick = world.tickAt(this.#clock.now());
    if (world.hot) for (const contact of facts) this.#rewindCache.keep(world, contact, dueTick);
    this.#report({ kind: 'contacts', world: number, residency, from, facts });
    world.contactsReported = count;
  }

  worldTrapped(world: LoadedWorld, error: unknown): void {
    const { number, residency } = world;
    if (this.#worlds.get(number) !== world) return;
    if (world === this.#fatal) process.exit(1);
    this.#unload(world);
    const message = error instanceof Error ? error.message : String(error);
    this.#report({ kind: 'trapped', world: number, residency, message });
  }

  drainCommands(): void {
    for (;;) {
      const received = this.#thread.receive(this.#start.commands);
      if (received === undefined) return;
      this.#takeAll(received.message as readonly Command[]);
    }
  }

  // ── commands and loop ───────────────────────────────────────────────────────────────────────

  #takeAll(commands: readonly Command[]): void {
    for (const command of commands) this.#take(command);
  }

  #take(command: Command): void {
    if (command.kind === 'fault') {
      if (this.#start.faults) this.#injectFault(command.fault);
      return;
    }
    const world = this.#worlds.get(command.world);
    if (world?.residency !== command.residency) return;
    try {
      this.#execute(world, command);
    } catch (error) {
      this.worldTrapped(world, error);
    }
    if (command.kind !== 'hold') this.#schedule(0);
  }

  #execute(world: LoadedWorld, command: WorldCommand): void {
    switch (command.kind) {
      case 'hold':
        world.hold(command.hold, command.tick);
        return;
      case 'resolve':
        world.resolve(command.hold, command.changes);
        this.#scheduler.resume(world);
        return;
      case 'takeIn':
        world.resolve(FREEZE_HOLD, command.changes);
        world.follow(command.sentTick);
        return;
      case 'watch':
        this.#touch(world);
        world.sendsPacked = command.packed;
        this.#scheduler.watch(world, command.json, command.msgpack);
    }
  }

  #injectFault(fault: Fault): void {
    if (fault.what === 'die') this.#time.immediate(() => process.exit(1));
    else if (fault.what === 'stall') {
      const endMs = this.#time.now() + fault.ms;
      while (this.#time.now() < endMs);
    } else {
      const world = this.#worlds.get(fault.world);
      if (world === undefined) return;
      this.#kernel.poison(world.slab);
      // No step has left it so: its image must not be stored.
      world.storedTick = world.tick;
      if (fault.isFatal) this.#fatal = world;
    }
  }

  #report(report: Report): void {
    this.#start.reports.postMessage(report, transferred(report));
  }

  /** Plans the next turn, unless one is already due immediately. */
  #schedule(ms: number): void {
    if (this.#wakeNow !== undefined) return;
    this.#wakeLater?.();
    if (ms <= 0) this.#wakeNow = this.#time.immediate(this.#turn);
    else this.#wakeLater = this.#time.after(ms, this.#turn);
  }

  readonly #turn = (): void => {
    this.#wakeNow = undefined;
    this.#wakeLater?.();
    const startMs = this.#time.now();
    const next = this.#scheduler.turn();
    const retry = this.#sendFrames();
    this.#scheduler.meter.turned(this.#time.now() - startMs, this.#thread.workedMs());
    const waitMs = Math.min(next ?? Number.POSITIVE_INFINITY, retry ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(waitMs)) this.#schedule(waitMs);
  };

  /** Sends pending frames if the last batch was acknowledged. Returns the ms until a retry. */
  #sendFrames(): number | undefined {
    const pending = this.#frames.size;
    if (pending === 0) return undefined;
    const startMs = this.#time.now();
    if (!this.#frames.isFree) {
      this.#keptSinceMs = Math.min(this.#keptSinceMs, startMs);
      return BATCH_RETRY_MS;
    }
    if (this.#growsSoon(pending, startMs)) return undefined;
    this.#batchSinceMs = Number.POSITIVE_INFINITY;
    this.#report(this.#frames.make());
    const { size } = this.#frames;
    const { meter } = this.#scheduler;
    const sent = pending - size;
    meter.encoded(sent, this.#time.now() - startMs);
    // The main thread took so long to pass on the last ones.
    if (startMs - this.#keptSinceMs > LATE_MS) meter.late(sent);
    this.#keptSinceMs = size > 0 ? startMs : Number.POSITIVE_INFINITY;
    return size > 0 ? BATCH_RETRY_MS : undefined;
  }

  /** Whether the next turn, which comes at once, makes more frames for the batch. */
  #growsSoon(pending: number, nowMs: number): boolean {
    if (!this.#scheduler.hasDue || pending >= BATCH_WORLDS_MIN) return false;
    this.#batchSinceMs = Math.min(this.#batchSinceMs, nowMs);
    return nowMs - this.#batchSinceMs < BATCH_WAIT_MS;
  }

  #sendHeartbeat(): void {
    const { meter } = this.#scheduler;
    meter.roll(this.#time.now());
    this.#pulse.showCosts(meter.costs);
    this.#saveDue();
    this.#pulse.countHeartbeat();
  }
}
