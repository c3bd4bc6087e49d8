import { FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import type { ShardClock } from '../clock.ts';
import { BEHIND_TICKS, FRAME_MS, OLDEST_TURN, OWED_TICKS_MAX, SLICE_MS } from '../limits.ts';
import type { Time } from '../time.ts';
import { ageScore, type Burst, burstOf, type Goal, lengthScore } from './burst.ts';
import type { CounterfactualQueue } from './counterfactual/counterfactual-queue.ts';
import { DueWorlds } from './due-worlds.ts';
import type { FrameBatcher } from './frame-batcher.ts';
import type { LoadedWorld } from './loaded-world.ts';
import { type KnownCosts, Meter } from './meter.ts';
import type { Pulse } from './pulse.ts';
import { Slot } from './slot.ts';

/** The clock that a shard follows. */
export type FollowedClock = Pick<ShardClock, 'now' | 'published'>;

/** The shard that a scheduler works for. */
export interface SchedulerHost {
  /** Executes waiting commands; called before every slice. */
  drainCommands(): void;
  /** Called after a world was stepped: contacts may be due. */
  worldMoved(world: LoadedWorld): void;
  /** Called if stepping or reading a world threw: the world must leave memory. */
  worldTrapped(world: LoadedWorld, error: unknown): void;
}

export interface SchedulerDependencies {
  time: Time;
  clock: FollowedClock;
  host: SchedulerHost;
  /** Takes captured frames. */
  frames: Pick<FrameBatcher, 'add' | 'has'>;
  /** Shows which world is being stepped. */
  pulse: Pick<Pulse, 'world'>;
  /** Works in the time that worlds do not need; its urgent work takes turns with bursts. */
  counterfactuals: Pick<CounterfactualQueue, 'work' | 'isBusy'>;
  costs?: KnownCosts | undefined;
  /** From 0 to below 1 of WAKE_MS. */
  wakeOffset?: number;
}

/** Period of slices that begin with bursts, so that bursts get a fifth of the thread. */
const BURST_TURN = 5;
/**
 * Period of slices in which urgent counterfactual work goes before bursts: searches for watched worlds
 * must not hold up queries of other clients.
 */
const URGENT_TURN = 2;
/** Period of slices in which all counterfactual work goes before bursts, not only the urgent work. */
const SPARE_TURN = 8;
/**
 * An idle shard wakes for hot worlds once in so many ms, four times a frame period. Each time costs
 * a turn of both threads, a message and an acknowledgement, and the first visits find cold caches. Frames
 * are late by at most this time; since the frame period is a multiple of
 * it, all frames of a world are late by the same time, and the gaps between them are the same.
 */
const WAKE_MS = 20;
/** A frame is late if its world is visited so long after the wake-up for it. */
export const LATE_MS = FRAME_MS / 2;
if (FRAME_MS % WAKE_MS !== 0) throw new Error('FRAME_MS must be a multiple of WAKE_MS');
/** Many worlds that come at once hold each other up for longer than until each has its frames. */
const COMPLETE_MS = 2000;
/** Pause before the next check for a later published reading of the clock. */
const PUBLISHED_MS = 4;
/** A burst checks the time after this part of a slice. */
const CHUNK_MS = 0.25;

/**
 * Decides what a shard does next: frames of hot worlds that are due, then urgent counterfactual
 * work and bursts in turns. It works in slices of at most SLICE_MS and executes waiting commands before
 * each slice. It never steps a world beyond what the published clock allows.
 */
export class Scheduler {
  readonly meter: Meter;
  readonly #time: Time;
  readonly #clock: FollowedClock;
  readonly #host: SchedulerHost;
  readonly #frames: SchedulerDependencies['frames'];
  readonly #pulse: SchedulerDependencies['pulse'];
  readonly #counterfactuals: SchedulerDependencies['counterfactuals'];
  readonly #wakeOffsetMs: number;
  /** Hot worlds by the ms of the frame period in which their frames are due. */
  readonly #wheel: readonly Slot[] = Array.from({ length: FRAME_MS }, () => new Slot());
  #hotCount = 0;
  #wheelMs: number;
  readonly #due = new DueWorlds();
  /** Due, but held: due again when the hold is resolved. */
  readonly #waiting = new Set<LoadedWorld>();
  /** Due, but the published clock is behind: due again when it has moved. */
  readonly #late = new Set<LoadedWorld>();
  /** They owe further frames: due again when their last one is sent. */
  readonly #owing = new Set<LoadedWorld>();
  readonly #bursts = new Map<LoadedWorld, Burst>();
  /** Until then worlds owe more frames, since worlds have come that had to catch up. */
  #completeUntilMs = Number.NEGATIVE_INFINITY;
  #published = 0;
  /** The clock in this turn. A slice is short, and a reading costs as much as a part of a visit. */
  #nowMs = 0;
  #turns = 0;
  #isWorkLeft = false;

  constructor(dependencies: SchedulerDependencies) {
    const { time, clock, host, frames, pulse, counterfactuals, costs, wakeOffset } = dependencies;
    this.#time = time;
    this.#clock = clock;
    this.#host = host;
    this.#frames = frames;
    this.#pulse = pulse;
    this.#counterfactuals = counterfactuals;
    this.#wakeOffsetMs = Math.floor((wakeOffset ?? 0) * WAKE_MS);
    this.meter = new Meter(time.now(), costs);
    this.#wheelMs = clock.now();
  }

  /** Whether it is watched, held, or in a burst. */
  isInUse(world: LoadedWorld): boolean {
    return world.hot || world.held || this.#bursts.has(world);
  }

  /** Whether frames are due that are not made yet. */
  get hasDue(): boolean {
    return this.#due.size > 0;
  }

  /** Sets the encodings that are needed; none: the world has no watcher. */
  watch(world: LoadedWorld, json: boolean, msgpack: boolean): void {
    const wasHot = world.hot;
    world.json = json;
    world.msgpack = msgpack;
    if (world.hot === wasHot) return;
    if (wasHot) {
      world.owesFrames = false;
      this.#cool(world);
    } else {
      const nowMs = this.#clock.now();
      if (this.#hotCount++ === 0) this.#wheelMs = nowMs;
      if (world.owesFrames) this.#completeUntilMs = nowMs + COMPLETE_MS;
      else world.forgetMissed(nowMs);
      this.#slot(world).add(world);
      this.#due.add(world);
    }
  }

  #cool(world: LoadedWorld): void {
    if (this.#slot(world).delete(world)) this.#hotCount--;
    for (const set of [this.#due, this.#waiting, this.#late, this.#owing]) set.delete(world);
    world.dueMs = Number.POSITIVE_INFINITY;
    if (!this.#bursts.has(world)) world.forgetImages();
  }

  /** Steps a world to a tick. All goals of a world share one burst. */
  reach(world: LoadedWorld, goal: Goal): void {
    if (world.tick >= goal.tick) {
      if (!this.#guard(world, () => goal.reached())) goal.lost();
      return;
    }
    const goals = [...(this.#bursts.get(world)?.goals ?? []), goal];
    this.#bursts.set(world, burstOf(world, goals));
  }

  /** Continues a world after a hold was resolved. */
  resume(world: LoadedWorld): void {
    if (this.#waiting.delete(world)) this.#due.add(world);
  }

  /** Removes a world. Its goals are lost. */
  remove(world: LoadedWorld): void {
    const goals = this.#bursts.get(world)?.goals ?? [];
    this.#bursts.delete(world);
    this.#cool(world);
    world.json = false;
    world.msgpack = false;
    for (const goal of goals) goal.lost();
  }

  #slot(world: LoadedWorld): Slot {
    const slot = this.#wheel[((world.createdAtMs % FRAME_MS) + FRAME_MS) % FRAME_MS];
    if (slot === undefined) throw new Error('unreachable: the wheel has a slot for every ms');
    return slot;
  }

  /** The tick of the last frame that is due and that the published clock allows. */
  #dueTick(world: LoadedWorld): number {
    return world.frameTickAt(Math.min(this.#nowMs, this.#published + TICK_MS));
  }

  /** The same, or the tick of the last frame before a hold, or of the next one that it owes. */
  #frameTick(world: LoadedWorld): number {
    return Math.min(this.#dueTick(world), world.lastFrameTick, world.nextFrameTick);
  }

  /** Runs work on a world. If it throws, reports the world as trapped and returns false. */
  #guard(world: LoadedWorld, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#host.worldTrapped(world, error);
      return false;
    }
  }

  /** One slice of work. Returns the ms until the next; undefined: at the next command or task. */
  turn(): number | undefined {
    // A piece of work that costs twice the mean must still end within the slice.
    const end = this.#time.now() + SLICE_MS - 2 * CHUNK_MS;
    const burstsFirst = ++this.#turns % BURST_TURN === 0;
    // Read before the commands: then they include every hold that was posted before this reading.
    const published = this.#clock.published();
    if (published > this.#published) this.#takeLate();
    this.#published = published;
    this.#host.drainCommands();
    this.#nowMs = this.#clock.now();
    this.#takeOwing();
    this.#collectDue();
    if (burstsFirst) this.#burst(end);
    this.#visitDue(end);
    if (!burstsFirst && this.#turns % URGENT_TURN === 0) {
      this.#workCounterfactuals(end, this.#turns % SPARE_TURN !== 0);
    }
    this.#burst(end);
    this.#pulse.world = 0;
    this.#workCounterfactuals(end, false);
    return this.#nextTurnMs();
  }

  /** Counterfactual work, never before a frame that is due. */
  #workCounterfactuals(end: number, urgent: boolean): void {
    this.#counterfactuals.work(this.#due.size > 0 ? 0 : end, urgent);
    this.#isWorkLeft = this.#counterfactuals.isBusy;
  }

  #takeOwing(): void {
    for (const world of this.#owing) {
      if (this.#frames.has(world)) continue;
      this.#owing.delete(world);
      this.#due.add(world);
    }
  }

  #takeLate(): void {
    for (const world of this.#late) this.#due.add(world);
    this.#late.clear();
  }

  /**
   * Queues the worlds whose frames became due before the last wake-up. Those that became due since then
   * would come sometimes now and sometimes with the next one, and their gaps would differ by its period.
   */
  #collectDue(): void {
    const last = this.#wakeAfter(this.#nowMs + 1) - WAKE_MS;
    const from = Math.max(this.#wheelMs + 1, last - FRAME_MS + 1);
    for (let ms = from; ms <= last && this.#hotCount > 0; ms++) {
      const dueMs = this.#wakeAfter(ms);
      this.#wheel[ms % FRAME_MS]?.each((world) => {
        this.#due.add(world);
        world.dueMs = Math.min(world.dueMs, dueMs);
      });
    }
    this.#wheelMs = Math.max(this.#wheelMs, last);
  }

  #visitDue(end: number): void {
    if (this.#due.size === 0) return;
    const begin = this.#time.now();
    let now = begin;
    let ticks = 0;
    let lateTicks = 0;
    while (now < end) {
      const world = this.#due.take();
      if (world === undefined) break;
      const from = world.tick;
      this.#visit(world);
      ticks += world.tick - from;
      if (this.#nowMs - world.dueMs > LATE_MS) lateTicks += world.tick - from;
      world.dueMs = Number.POSITIVE_INFINITY;
      now = this.#time.now();
    }
    this.meter.visited(ticks, now - begin);
    this.meter.late(lateTicks / FRAME_TICKS);
  }

  /**
   * Steps a hot world to its due frame, to the next one that it owes, or to the last one before a hold: watchers
   * get that one however late the shard is. A world that is far behind catches up in a burst.
   */
  #visit(world: LoadedWorld): void {
    const due = this.#dueTick(world);
    if (due < world.frameTickAt(this.#nowMs)) this.#late.add(world);
    world.owesFrames = this.#owes(world, due);
    if (due - world.madeTick > BEHIND_TICKS) {
      world.owesFrames = false;
      // One in the background would let all other work go first.
      if (this.#bursts.get(world)?.background !== false) {
        this.reach(world, this.#catchUp(world, due));
      }
      return;
    }
    if (world.owesFrames && this.#frames.has(world)) {
      this.#owing.add(world);
      return;
    }
    const frame = this.#frameTick(world);
    if (!this.#step(world, frame, BEHIND_TICKS)) return;
    if (frame >= Math.min(due, world.lastFrameTick)) world.owesFrames = false;
    if (frame === world.nextFrameTick) this.#owing.add(world);
    else if (world.tick < due) this.#waiting.add(world);
    this.#settle(world, frame);
  }

  /** Whether watchers get its frames one after the other, and nothing else steps it meanwhile. */
  #owes(world: LoadedWorld, due: number): boolean {
    const most = this.#nowMs < this.#completeUntilMs ? BEHIND_TICKS : OWED_TICKS_MAX;
    if (due - world.madeTick > most || !world.canMakeNextFrame) return false;
    const last = Math.min(due, world.lastFrameTick);
    if (world.owesFrames || world.hasMissed(last)) return true;
    // It would take the place of one that is not sent.
    return last > world.packedTick && this.#frames.has(world);
  }

  #catchUp(world: LoadedWorld, tick: number): Goal {
    const again = () => {
      if (world.hot) this.#due.add(world);
    };
    return { tick, sinceMs: this.#nowMs, background: false, reached: again, lost: () => {} };
  }

  /** Captures the frame of a hot world, if the world is at its tick. */
  #frame(world: LoadedWorld, tick: number): void {
    if (!world.hot || world.tick !== tick || world.packedTick === tick) return;
    try {
      this.#frames.add(world, world.capture());
    } catch (error) {
      this.#host.worldTrapped(world, error);
    }
  }

  /** Steps to `target`, a hold or by `maxTicks`, and reports contacts. False after a trap. */
  #step(world: LoadedWorld, target: number, maxTicks: number): boolean {
    this.#pulse.world = world.number;
    try {
      for (let left = maxTicks; left > 0; ) {
        const done = world.advance(target, left);
        if (done === 0) break;
        left -= done;
        this.#host.worldMoved(world);
      }
      return true;
    } catch (error) {
      this.#host.worldTrapped(world, error);
      return false;
    }
  }

  /** Works on one burst after another until the slice ends. */
  #burst(end: number): void {
    const score = this.#turns % OLDEST_TURN === 0 ? ageScore : lengthScore;
    let burst = this.#first(score);
    while (burst !== undefined && this.#time.now() < end) {
      const { world } = burst;
      // Whoever watches it later begins with a newer frame.
      if (!world.hot) world.owesFrames = false;
      if (burst.background && this.#isWorkLeft) break;
      const begin = this.#time.now();
      const chunk = Math.max(1, Math.floor((CHUNK_MS * 1e6) / this.meter.tickNs));
      const from = world.tick;
      const frame = this.#frameTick(world);
      const lives = this.#step(world, this.#target(burst, frame), chunk);
      this.meter.stepped(world.tick - from, this.#time.now() - begin);
      if (lives) this.#settle(world, frame);
      const current = this.#bursts.get(world);
      burst = current !== undefined && this.#canGoOn(current) ? current : this.#first(score);
    }
  }

  /** A hot world stops at the frame that is due, so that no frame is skipped. */
  #target({ world, tick }: Burst, frame: number): number {
    const allowed = Math.min(tick, world.tickAt(this.#published) + 1);
    return world.hot && world.tick < frame ? Math.min(allowed, frame) : allowed;
  }

  #canGoOn(burst: Burst): boolean {
    const { world } = burst;
    if (world.heldAt(world.tick + 1)) return false;
    if (world.hot && this.#owes(world, this.#dueTick(world))) return false;
    return this.#target(burst, this.#frameTick(world)) > world.tick;
  }

  /** The burst with the lowest score of those that can continue. */
  #first(scoreOf: (burst: Burst) => number): Burst | undefined {
    let best: Burst | undefined;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const burst of this.#bursts.values()) {
      const score = scoreOf(burst);
      if (score >= bestScore || !this.#canGoOn(burst)) continue;
      best = burst;
      bestScore = score;
    }
    return best;
  }

  /** Captures the due frame and settles the goals that the world has reached. */
  #settle(world: LoadedWorld, frame: number): void {
    this.#frame(world, frame);
    const goals = this.#bursts.get(world)?.goals;
    if (goals === undefined) return;
    const open = goals.filter((goal) => goal.tick > world.tick);
    if (open.length === goals.length) return;
    if (open.length > 0) this.#bursts.set(world, burstOf(world, open));
    else {
      this.#bursts.delete(world);
      if (!world.hot) world.forgetImages();
    }
    let isLoaded = true;
    for (const goal of goals) {
      if (goal.tick > world.tick) continue;
      isLoaded &&= this.#guard(world, () => goal.reached());
      if (!isLoaded) goal.lost();
    }
  }

  #nextTurnMs(): number | undefined {
    if (this.#due.size > 0 || this.#isWorkLeft) return 0;
    for (const burst of this.#bursts.values()) if (this.#canGoOn(burst)) return 0;
    const waitsForClock = [...this.#bursts.values()].some(
      ({ world }) => !world.heldAt(world.tick + 1),
    );
    if (waitsForClock || this.#late.size > 0 || this.#owing.size > 0) return PUBLISHED_MS;
    return this.#hotCount > 0 ? this.#nextFrameMs() : undefined;
  }

  #nextFrameMs(): number {
    const now = this.#clock.now();
    for (let ahead = 1; ahead <= FRAME_MS; ahead++) {
      if (this.#wheel[(this.#wheelMs + ahead) % FRAME_MS]?.size) {
        return Math.max(1, this.#wakeAfter(this.#wheelMs + ahead) - now);
      }
    }
    return FRAME_MS;
  }

  /** When it wakes for what is due at a time, if it is idle. */
  #wakeAfter(ms: number): number {
    return Math.ceil((ms - this.#wakeOffsetMs) / WAKE_MS) * WAKE_MS + this.#wakeOffsetMs;
  }
}
