import { FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import type { Kernel, Slab } from '../kernel/kernel.ts';
import { FRAME_MS, IMAGE_TICKS, IMAGES_KEPT, RECENT_TICKS, STORED_IMAGE_TICKS } from '../limits.ts';
import { phaseOf } from '../phase.ts';
import { carTypesOf } from '../twin/fleet.ts';
import type { NumberedChange } from '../twin/journal.ts';
import type { StateImage, WorldPast } from './protocol.ts';
import type { WorldEncoder } from './world-encoder.ts';

export interface LoadedWorldStart
  extends Pick<
    LoadedWorld,
    'number' | 'residency' | 'slab' | 'cityIndex' | 'encoder' | 'createdAtMs' | 'seq'
  > {
  /** Those that are not in the slab. */
  changes: readonly NumberedChange[];
  /** See OpenTask. */
  sentTick?: number | undefined;
}

/** Puts the first state of a past into a slab. */
export function placePast(
  kernel: Kernel,
  slab: Slab,
  cityIndex: number,
  { seed, from, image }: Omit<WorldPast, 'changes'>,
): void {
  if (image !== undefined) kernel.restore(slab, image.bytes, cityIndex);
  else kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), ...from });
}

/** A world in a shard's memory: its slab, the changes to apply, and its holds. */
export class LoadedWorld {
  readonly number: number;
  readonly residency: number;
  readonly slab: Slab;
  readonly cityIndex: number;
  readonly encoder: WorldEncoder;
  readonly createdAtMs: number;
  /** The encodings that are needed. A world that needs any is hot. */
  json = false;
  msgpack = false;
  /** Whether readers need the packed frames as well. */
  sendsPacked = false;
  /**
   * When the thread should have visited it for the frame that is due; Infinity where none is, and where
   * something else than the thread kept the world back.
   */
  dueMs = Number.POSITIVE_INFINITY;
  /** Whether its frame is due. See DueWorlds. */
  isDue = false;
  /** Tick of the newest captured frame; -1 before the first. */
  packedTick = -1;
  /** Number of the last batch that its frame was written into when it was captured. */
  batch: number | undefined;
  /** Frames were due while it moved between nodes: watchers get each of them, one after the other. */
  owesFrames = false;
  images: StateImage[] = [];
  /** Tick of the last image that was sent to the store. */
  storedTick: number;
  /** Number of its contacts that were reported to the main thread. */
  contactsReported: number;
  tick: number;
  /** Number of the last change that is in the slab. */
  seq: number;

  readonly #kernel: Kernel;
  readonly #imagePhase: number;
  readonly #holds = new Map<number, number>();
  #holdTick = Number.POSITIVE_INFINITY;
  #queue: NumberedChange[];
  #next = 0;
  /** Applied changes with ticks after `#recentFrom`. */
  #recent: NumberedChange[] = [];
  #recentFrom: number;

  constructor(kernel: Kernel, start: LoadedWorldStart) {
    this.#kernel = kernel;
    this.number = start.number;
    this.residency = start.residency;
    this.slab = start.slab;
    this.cityIndex = start.cityIndex;
    this.encoder = start.encoder;
    this.contactsReported = kernel.contactCount(start.slab);
    this.createdAtMs = start.createdAtMs;
    this.seq = start.seq;
    this.tick = kernel.tick(start.slab);
    this.storedTick = this.tick;
    this.#imagePhase = phaseOf(start.number, STORED_IMAGE_TICKS);
    this.#recentFrom = this.tick;
    this.#queue = [...start.changes];
    if (this.tick === 0) this.#applyUpTo(0);
    this.follow(start.sentTick);
  }

  /** Its watchers get all frames after one; undefined: nobody has got any. */
  follow(sentTick: number | undefined): void {
    if (sentTick === undefined) return;
    // What lies before its state cannot be made any more.
    const lastTick = (Math.ceil(this.tick / FRAME_TICKS) - 1) * FRAME_TICKS;
    this.packedTick = Math.max(sentTick, lastTick);
    this.owesFrames = true;
  }

  get hot(): boolean {
    return this.json || this.msgpack;
  }

  get held(): boolean {
    return this.#holds.size > 0;
  }

  /** Whether it was stepped since its last image was sent to the store. */
  get hasMoved(): boolean {
    return this.tick > this.storedTick;
  }

  /** Whether a watched world has an image stored: once in every STORED_IMAGE_TICKS, at ticks of its own. */
  get isImageDue(): boolean {
    return this.#imagesUntil(this.tick) > this.#imagesUntil(this.storedTick);
  }

  #imagesUntil(tick: number): number {
    return Math.floor((tick + this.#imagePhase) / STORED_IMAGE_TICKS);
  }

  /** Whether a hold keeps the world from being stepped to `tick`. */
  heldAt(tick: number): boolean {
    return tick >= this.#holdTick;
  }

  /** The tick at a time of the clock. */
  tickAt(ms: number): number {
    return Math.floor((ms - this.createdAtMs) / TICK_MS);
  }

  /** The tick of the last frame that is due at a time of the clock. */
  frameTickAt(ms: number): number {
    return Math.floor((ms - this.createdAtMs) / FRAME_MS) * FRAME_TICKS;
  }

  /** The tick of the last frame that no hold keeps it from. */
  get lastFrameTick(): number {
    return Math.floor((this.#holdTick - 1) / FRAME_TICKS) * FRAME_TICKS;
  }

  /** Whether the frame after the newest one can be made: the world was not stepped past it. */
  get canMakeNextFrame(): boolean {
    return this.packedTick >= 0 && this.tick <= this.packedTick + FRAME_TICKS;
  }

  /** The tick up to which no frame is to be made: it may be stepped from a copy that is older. */
  get madeTick(): number {
    return Math.max(this.tick, this.packedTick);
  }

  /** Whether frames before the one at `due` were not made, and can be. */
  hasMissed(due: number): boolean {
    return this.canMakeNextFrame && due > this.packedTick + FRAME_TICKS;
  }

  /** Nobody waits for frames that were due before somebody watched it. */
  forgetMissed(nowMs: number): void {
    if (this.hasMissed(this.frameTickAt(nowMs))) this.packedTick = -1;
  }

  /** While it owes frames: the tick of the next one. */
  get nextFrameTick(): number {
    return this.owesFrames ? this.packedTick + FRAME_TICKS : Number.POSITIVE_INFINITY;
  }

  /** Changes that are not in the slab yet. */
  get changesAhead(): readonly NumberedChange[] {
    return this.#queue.slice(this.#next);
  }

  hold(hold: number, tick: number): void {
    this.#holds.set(hold, tick);
    this.#holdTick = Math.min(this.#holdTick, tick);
  }

  /**
   * Ends a hold, with the changes that the journal has for it. Skips known changes. Throws if the
   * world was stepped past the tick of a change.
   */
  resolve(hold: number, changes: readonly NumberedChange[]): void {
    this.#holds.delete(hold);
    this.#holdTick = Math.min(Number.POSITIVE_INFINITY, ...this.#holds.values());
    const last = this.#queue.at(-1)?.seq ?? this.seq;
    for (const change of changes) {
      if (change.seq <= last) continue;
      // The change would take effect later than the journal says: the world must be rebuilt.
      if (change.tick <= this.tick) throw new Error(`change ${change.seq} came too late`);
      this.#queue.push(change);
    }
  }

  /**
   * Steps towards `target` by at most `maxTicks`. Stops before a hold and at a contact. Returns the
   * number of ticks. A trap throws.
   */
  advance(target: number, maxTicks: number): number {
    const from = this.tick;
    const limit = Math.min(target, this.#holdTick - 1, from + maxTicks);
    const contacts = this.#kernel.contactCount(this.slab);
    const isFirst = this.images.length === 0 && this.tick % IMAGE_TICKS === 0;
    if (isFirst && this.tick < limit) this.#keepImage();
    while (this.tick < limit) {
      this.#applyUpTo(this.tick + 1);
      const end = Math.min(limit, this.#nextStop());
      this.tick += this.#kernel.step(this.slab, end - this.tick);
      if (this.tick % IMAGE_TICKS === 0) this.#keepImage();
      if (this.#kernel.contactCount(this.slab) !== contacts) break;
    }
    return this.tick - from;
  }

  /** The last tick before the next change takes effect, or the next image, whichever is first. */
  #nextStop(): number {
    const image = (Math.floor(this.tick / IMAGE_TICKS) + 1) * IMAGE_TICKS;
    const change = this.#queue[this.#next];
    return change === undefined ? image : Math.min(image, change.tick - 1);
  }

  /** Applies the changes up to a tick. A change takes effect in the step that computes its tick. */
  #applyUpTo(tick: number): void {
    for (;;) {
      const change = this.#queue[this.#next];
      if (change === undefined || change.tick > tick) break;
      this.#kernel.apply(this.slab, change.tick, change.car, change.touched, change.values);
      this.seq = change.seq;
      this.#recent.push(change);
      this.#next++;
    }
    if (this.#next > 0 && this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
  }

  #keepImage(): void {
    const oldest = this.images.length < IMAGES_KEPT ? undefined : this.images.shift();
    const bytes = this.#kernel.image(this.slab, oldest?.bytes);
    this.images.push({ tick: this.tick, seq: this.seq, bytes });
    this.#forgetChanges();
  }

  #forgetChanges(): void {
    const from = this.tick - RECENT_TICKS;
    if (from <= this.#recentFrom) return;
    this.#recentFrom = from;
    this.#recent = this.#recent.filter(({ tick }) => tick > from);
  }

  /** The applied changes after a tick; undefined if some of them are no longer known. */
  changesAfter(tick: number): NumberedChange[] | undefined {
    if (tick < this.#recentFrom) return undefined;
    return this.#recent.filter((change) => change.tick > tick);
  }

  forgetImages(): void {
    this.images = [];
  }

  /** An image of the current state, in memory of its own. */
  imageNow(): StateImage {
    return { tick: this.tick, seq: this.seq, bytes: this.#kernel.image(this.slab) };
  }

  /** Packs the current state as the newest frame: valid until another world is packed. */
  capture(): Int32Array {
    this.packedTick = this.tick;
    return this.#kernel.pack(this.slab);
  }
}
