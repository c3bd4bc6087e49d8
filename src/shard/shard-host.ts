import { receiveMessageOnPort } from 'node:worker_threads';
import { ShardClock } from '../clock.ts';
import type { FrameEncoder } from '../codec/frame-encoder.ts';
import { Kernel } from '../kernel/kernel.ts';
import {
  BURST_IMAGE_TICKS,
  HEARTBEAT_MS,
  IMAGE_BYTES_PER_S,
  STORED_IMAGE_TICKS,
} from '../limits.ts';
import type { StopTimer, Time } from '../time.ts';
import { CAR_TYPES, carTypesOf } from '../twin/fleet.ts';
import { Explainer, SCRATCH_SLABS } from './counterfactual/queue.ts';
import { Pins } from './counterfactual/rewind-cache.ts';
import { Beat } from './frame-batch.ts';
import { Resident, type StateImage } from './loaded-world.ts';
import {
  type CloseTask,
  type Command,
  type ExplainAnswer,
  type ExplainTask,
  type Fault,
  HALF_WORLD,
  type HoldCommand,
  type Look,
  type LookAnswer,
  type LookTask,
  type OpenAnswer,
  type OpenTask,
  PULSE_ACKED,
  PULSE_FRAME_NS,
  PULSE_HEARTBEAT,
  PULSE_HOT_SHARE,
  PULSE_TICK_NS,
  PULSE_WORLD_HIGH,
  PULSE_WORLD_LOW,
  type ReplayAnswer,
  type ReplayTask,
  type Report,
  type ResolveCommand,
  type ShardStart,
  transferred,
  unpackNumbered,
  type WatchCommand,
} from './protocol.ts';
import { Scheduler } from './scheduler.ts';
import { worldEncoder } from './world-encoder.ts';

/** How long a beat waits for the one before it to be taken before it looks again. */
const BEAT_RETRY_MS = 2;

interface Tenant {
  resident: Resident;
  encoder: FrameEncoder;
  contactsSent: number;
}

/** The thread side of a shard: one kernel, the worlds in it, and the loop that steps them. */
export class ShardHost {
  readonly #start: ShardStart;
  readonly #time: Time;
  readonly #kernel: Kernel;
  readonly #clock: ShardClock;
  readonly #scheduler: Scheduler;
  readonly #beat: Beat;
  readonly #pins = new Pins();
  readonly #explainer: Explainer;
  /** By world number; the least recently used first. */
  readonly #tenants = new Map<number, Tenant>();
  readonly #stopHeartbeat: StopTimer;
  #imageBytesLeft = IMAGE_BYTES_PER_S;
  #wakeLater: StopTimer | undefined;
  #wakeNow: StopTimer | undefined;
  #stopped: (() => void) | undefined;

  constructor(start: ShardStart, time: Time) {
    this.#start = start;
    this.#time = time;
    this.#kernel = new Kernel({
      module: new WebAssembly.Module(start.wasm),
      cityTables: start.cityTables,
      carTypes: CAR_TYPES,
      slabCount: start.slabCount + SCRATCH_SLABS,
    });
    this.#clock = new ShardClock(start.clockWords, start.clockOriginMs, time);
    this.#beat = new Beat((resident) => this.#tenant(resident).encoder);
    this.#scheduler = new Scheduler({
      now: () => this.#clock.now(),
      published: () => this.#clock.published(),
      elapsed: () => this.#time.now(),
      drain: () => this.#drain(),
      moved: (resident) => this.#moved(resident),
      framed: (resident) => this.#beat.add(resident),
      trapped: (resident, error) => this.#trapped(resident, error),
      stepping: (resident) => this.#stepping(resident?.world ?? 0),
      spare: (end, urgent) => {
        this.#explainer.work(end, urgent);
        return this.#explainer.busy;
      },
    });
    this.#explainer = new Explainer(this.#kernel, this.#pins, {
      elapsed: () => this.#time.now(),
      cityTable: (index) => start.cityTables[index] ?? new ArrayBuffer(0),
      resident: (world) => this.#tenants.get(world)?.resident,
      encoder: (world, cityIndex) => this.#encoder({ world, cityIndex }),
      report: (report) => this.#report(report),
      reliving: (world) => this.#stepping(world),
    });
    start.commands.on('message', (command: Command) => this.#take(command));
    // At once, too: until the pulse tells what a tick costs, no request would be too long.
    this.#beatHeart();
    this.#stopHeartbeat = time.every(HEARTBEAT_MS, () => this.#beatHeart());
  }

  /** Resolves when the shard is told to stop; rejects, with the thread, when it dies. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopped = resolve;
    });
  }

  /** Closes what keeps the thread alive. Images of the worlds have been asked for before. */
  stop(): void {
    this.#stopHeartbeat();
    this.#wakeLater?.();
    this.#wakeNow?.();
    this.#start.commands.close();
    this.#start.reports.close();
    this.#stopped?.();
  }

  // ── tasks ───────────────────────────────────────────────────────────────────────────────────

  open(task: OpenTask): OpenAnswer {
    const known = this.#tenants.get(task.world);
    if (known !== undefined) this.#leave(known);
    const slab = this.#kernel.acquire() ?? this.#makeRoom();
    if (slab === undefined) return { outcome: 'full' };
    try {
      return this.#enter(task, slab);
    } catch (error) {
      this.#kernel.release(slab);
      throw error;
    }
  }

  #enter(task: OpenTask, slab: number): OpenAnswer {
    if (task.image === undefined) {
      const carTypes = carTypesOf(task.seed);
      const { tick, masks } = task.from;
      this.#kernel.create(slab, {
        cityIndex: task.cityIndex,
        seed: task.seed,
        carTypes,
        tick,
        masks,
      });
    } else {
      this.#kernel.restore(slab, task.image.bytes);
    }
    const contacts = this.#kernel.contactCount(slab);
    const resident = new Resident(this.#kernel, {
      world: task.world,
      stay: task.stay,
      slab,
      createdAtMs: task.createdAtMs,
      seq: task.image?.seq ?? 0,
      changes: unpackNumbered(task.changes),
    });
    this.#tenants.set(task.world, {
      resident,
      encoder: this.#encoder(task),
      contactsSent: contacts,
    });
    return { outcome: 'opened', contacts };
  }

  look(task: LookTask): Promise<LookAnswer> {
    const tenant = this.#tenants.get(task.world);
    if (tenant === undefined || tenant.resident.stay !== task.stay) {
      return Promise.resolve({ outcome: 'gone' });
    }
    this.#use(tenant);
    return new Promise((resolve) => {
      this.#scheduler.reach(tenant.resident, {
        tick: task.tick,
        sinceMs: this.#clock.now(),
        background: task.background,
        reached: () => {
          try {
            resolve(this.#answer(tenant, task.want));
          } catch (error) {
            resolve({ outcome: 'gone' });
            throw error;
          }
        },
        lost: () => resolve({ outcome: 'gone' }),
      });
      this.#schedule(0);
    });
  }

  explain(task: ExplainTask): Promise<ExplainAnswer> {
    this.#schedule(0);
    return this.#explainer.explain(task);
  }

  replay(task: ReplayTask): Promise<ReplayAnswer> {
    this.#schedule(0);
    return this.#explainer.replay(task);
  }

  /** Takes a world out of memory, for good. */
  close({ world, stay }: CloseTask): void {
    const tenant = this.#tenants.get(world);
    if (tenant?.resident.stay === stay) this.#leave(tenant);
  }

  /** Reports images of worlds that have moved, at most `limit`; returns how many are left. */
  saveMoved(limit: number): number {
    const moved = [...this.#tenants.values()].filter(hasMoved);
    for (const tenant of moved.slice(0, limit)) this.#saveIfMoved(tenant);
    return Math.max(0, moved.length - limit);
  }

  #answer(tenant: Tenant, want: Look): LookAnswer {
    const { resident, encoder } = tenant;
    this.#moved(resident);
    this.#saveAfterBurst(tenant);
    const packed = () => this.#kernel.pack(resident.slab);
    return {
      outcome: 'seen',
      tick: resident.tick,
      bytes: want === 'json' || want === 'msgpack' ? encoder.encode(want, packed()) : undefined,
      packed: want === 'packed' ? packed().slice() : undefined,
      events: want === 'events' ? this.#kernel.events(resident.slab) : undefined,
    };
  }

  #encoder({ world, cityIndex }: Pick<OpenTask, 'world' | 'cityIndex'>): FrameEncoder {
    const city = this.#start.cityNames[cityIndex];
    if (city === undefined) throw new RangeError(`no city ${cityIndex}`);
    return worldEncoder(world, city);
  }

  // ── memory ──────────────────────────────────────────────────────────────────────────────────

  #tenant(resident: Resident): Tenant {
    const tenant = this.#tenants.get(resident.world);
    if (tenant === undefined) throw new Error(`world ${resident.world} is not in memory`);
    return tenant;
  }

  #use(tenant: Tenant): void {
    this.#tenants.delete(tenant.resident.world);
    this.#tenants.set(tenant.resident.world, tenant);
  }

  /** Turns the least recently used world that nobody waits for cold; its slab is then free. */
  #makeRoom(): number | undefined {
    for (const tenant of this.#tenants.values()) {
      if (this.#scheduler.isWanted(tenant.resident)) continue;
      const { world, stay } = tenant.resident;
      this.#saveIfMoved(tenant);
      this.#leave(tenant);
      this.#report({ kind: 'cold', world, stay });
      return this.#kernel.acquire();
    }
    return undefined;
  }

  #leave(tenant: Tenant): void {
    const { resident } = tenant;
    this.#tenants.delete(resident.world);
    this.#beat.delete(resident);
    this.#scheduler.remove(resident);
    this.#kernel.release(resident.slab);
  }

  // ── images ──────────────────────────────────────────────────────────────────────────────────

  #saveIfMoved(tenant: Tenant): void {
    if (hasMoved(tenant)) this.#save(tenant.resident, tenant.resident.imageNow());
  }

  #saveAfterBurst({ resident }: Tenant): void {
    if (resident.tick - resident.storedTick < BURST_IMAGE_TICKS) return;
    this.#save(resident, resident.imageNow());
  }

  #save(resident: Resident, { tick, seq, bytes }: StateImage): void {
    resident.storedTick = tick;
    const { world, stay } = resident;
    this.#report({ kind: 'image', world, stay, tick, seq, bytes });
  }

  /** A watched world's image, within the budget of bytes. */
  #saveWatched(resident: Resident): void {
    const image = resident.images.at(-1);
    if (image === undefined || image.tick - resident.storedTick < STORED_IMAGE_TICKS) return;
    if (this.#imageBytesLeft < image.bytes.length) return;
    this.#imageBytesLeft -= image.bytes.length;
    // The ring of kept images is written over in place: what goes out must be a copy.
    this.#save(resident, { ...image, bytes: image.bytes.slice() });
  }

  // ── stepping ────────────────────────────────────────────────────────────────────────────────

  /** Tells of new contacts before anything that was seen after them. */
  #moved(resident: Resident): void {
    const tenant = this.#tenant(resident);
    const count = this.#kernel.contactCount(resident.slab);
    if (count > tenant.contactsSent) {
      const facts = this.#kernel.contacts(resident.slab, tenant.contactsSent);
      const dueTick = resident.tickAt(this.#clock.now());
      if (resident.hot) for (const contact of facts) this.#pins.keep(resident, contact, dueTick);
      const { world, stay } = resident;
      this.#report({ kind: 'contacts', world, stay, from: tenant.contactsSent, facts });
      tenant.contactsSent = count;
    }
    if (resident.hot) this.#saveWatched(resident);
  }

  #trapped(resident: Resident, error: unknown): void {
    const { world, stay } = resident;
    const tenant = this.#tenants.get(world);
    if (tenant?.resident !== resident) return;
    this.#leave(tenant);
    const message = error instanceof Error ? error.message : String(error);
    this.#report({ kind: 'trapped', world, stay, message });
  }

  #stepping(world: number): void {
    this.#start.pulse[PULSE_WORLD_HIGH] = Math.floor(world / HALF_WORLD);
    this.#start.pulse[PULSE_WORLD_LOW] = world % HALF_WORLD;
  }

  // ── commands and loop ───────────────────────────────────────────────────────────────────────

  #drain(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#start.commands);
      if (received === undefined) return;
      this.#take(received.message as Command);
    }
  }

  #take(command: Command): void {
    if (command.kind === 'fault') {
      if (this.#start.faults) this.#suffer(command.fault);
      return;
    }
    const tenant = this.#tenants.get(command.world);
    if (tenant === undefined || tenant.resident.stay !== command.stay) return;
    try {
      this.#obey(tenant, command);
    } catch (error) {
      this.#trapped(tenant.resident, error);
    }
    if (command.kind !== 'hold') this.#schedule(0);
  }

  #obey(tenant: Tenant, command: HoldCommand | ResolveCommand | WatchCommand): void {
    const { resident } = tenant;
    switch (command.kind) {
      case 'hold':
        resident.hold(command.hold, command.tick);
        return;
      case 'resolve':
        resident.resolve(command.hold, command.changes);
        this.#scheduler.resume(resident);
        return;
      case 'watch':
        this.#use(tenant);
        this.#scheduler.watch(resident, command.json, command.msgpack);
    }
  }

  #suffer(fault: Fault): void {
    if (fault.what === 'die') this.#time.immediate(() => process.exit(1));
    else if (fault.what === 'stall') {
      const end = this.#time.now() + fault.ms;
      while (this.#time.now() < end);
    } else {
      const tenant = this.#tenants.get(fault.world);
      if (tenant !== undefined) this.#kernel.poison(tenant.resident.slab);
    }
  }

  #report(report: Report): void {
    this.#start.reports.postMessage(report, transferred(report));
  }

  /** Plans the next turn; one that is planned for at once stays. */
  #schedule(ms: number): void {
    if (this.#wakeNow !== undefined) return;
    this.#wakeLater?.();
    if (ms <= 0) this.#wakeNow = this.#time.immediate(this.#turn);
    else this.#wakeLater = this.#time.after(ms, this.#turn);
  }

  readonly #turn = (): void => {
    this.#wakeNow = undefined;
    this.#wakeLater?.();
    const begin = this.#time.now();
    const next = this.#scheduler.turn();
    const retry = this.#sendBeat();
    this.#scheduler.meter.turned(this.#time.now() - begin, threadMs());
    const wait = Math.min(next ?? Number.POSITIVE_INFINITY, retry ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(wait)) this.#schedule(wait);
  };

  /** Sends what is pending once the beat before has been taken; else says when to try again. */
  #sendBeat(): number | undefined {
    if (this.#beat.size === 0) return undefined;
    if (Atomics.load(this.#start.pulse, PULSE_ACKED) !== this.#beat.number) return BEAT_RETRY_MS;
    const begin = this.#time.now();
    const frames = this.#beat.size;
    this.#report(this.#beat.make());
    this.#scheduler.meter.encoded(frames - this.#beat.size, this.#time.now() - begin);
    return this.#beat.size > 0 ? BEAT_RETRY_MS : undefined;
  }

  #beatHeart(): void {
    const { pulse } = this.#start;
    const { meter } = this.#scheduler;
    meter.roll(this.#time.now());
    pulse[PULSE_HOT_SHARE] = Math.round(meter.hotPerMille);
    pulse[PULSE_FRAME_NS] = Math.round(meter.frameNs + meter.encodeNs);
    pulse[PULSE_TICK_NS] = Math.round(meter.tickNs);
    this.#imageBytesLeft = Math.min(
      IMAGE_BYTES_PER_S,
      this.#imageBytesLeft + (IMAGE_BYTES_PER_S * HEARTBEAT_MS) / 1000,
    );
    Atomics.add(pulse, PULSE_HEARTBEAT, 1);
  }
}

function hasMoved({ resident }: Tenant): boolean {
  return resident.tick > resident.storedTick;
}

/** Processor time of this thread, ms. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
