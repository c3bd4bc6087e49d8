import { TICK_MS } from '../../assembly/layout.ts';
import type { ShardClock } from '../clock.ts';
import { BEHIND_TICKS, FRAME_MS, OLDEST_TURN, SLICE_MS } from '../limits.ts';
import type { Time } from '../time.ts';
import type { CounterfactualQueue } from './counterfactual/counterfactual-queue.ts';
import type { FrameBatcher } from './frame-batcher.ts';
import type { LoadedWorld } from './loaded-world.ts';
import { Meter } from './meter.ts';
import type { Pulse } from './pulse.ts';

/** A tick that a world is to reach. */
export interface Goal {
  tick: number;
  sinceMs: number;
  /** Runs after everything that a client waits for. */
  background: boolean;
  /** Called once the world is at `tick` or later. If it throws, the world leaves memory. */
  reached(): void;
  /** Called if the world leaves memory before that, or because of it. */
  lost(): void;
}

/** The clock that a shard follows. */
export type FollowedClock = Pick<ShardClock, 'now' | 'published'>;

/** The shard that a scheduler works for. */
export interface SchedulerHost {
  /** Takes in commands; called before every visit and slice. */
  drainCommands(): void;
  /** A world was stepped: contacts and images may be due. */
  worldMoved(world: LoadedWorld): void;
  /** Stepping or reading a world threw: it must leave memory. */
  worldTrapped(world: LoadedWorld, error: unknown): void;
}

export interface SchedulerDependencies {
  time: Time;
  clock: FollowedClock;
  host: SchedulerHost;
  /** Takes captured frames. */
  frames: Pick<FrameBatcher, 'add'>;
  /** Shows which world is being stepped. */
  pulse: Pick<Pulse, 'world'>;
  /** Gets the time that worlds leave; the urgent part of it goes before bursts. */
  counterfactuals: Pick<CounterfactualQueue, 'work' | 'isBusy'>;
}

/** One slice in so many begins with bursts: their fifth of the thread. */
const BURST_TURN = 5;
/** One slice in so many does all counterfactual work before bursts, not only the urgent. */
const SPARE_TURN = 8;
/** Score of background bursts: after every burst that a client waits for, whatever its age. */
const BACKGROUND = 1e18;
/**
 * An idle shard wakes for hot worlds at multiples of this many ms: fewer turns and batches, for
 * frames that are at most so late. The frame period is a multiple of it, so the lateness of a world's
 * frames is constant.
 */
const GRAIN_MS = 16;
if (FRAME_MS % GRAIN_MS !== 0) throw new Error('the lateness of frames must be constant');
/** How soon to check again whether the main thread has published a later reading. */
const PUBLISHED_MS = 4;
/** Part of a slice after which a burst checks the time. */
const CHUNK_MS = 0.25;

interface Burst {
  world: LoadedWorld;
  goals: Goal[];
  /** Of all goals: the furthest tick, the longest wait, whether all are in the background. */
  tick: number;
  sinceMs: number;
  background: boolean;
}

/**
 * Decides what a shard does next: due visits to hot worlds, then urgent counterfactual work, then
 * bursts, in slices of at most SLICE_MS, with commands taken in before each. It never steps a world
 * beyond what the published clock allows.
 */
export class Scheduler {
  readonly meter: Meter;
  readonly #time: Time;
  readonly #clock: FollowedClock;
  readonly #host: SchedulerHost;
  readonly #frames: SchedulerDependencies['frames'];
  readonly #pulse: SchedulerDependencies['pulse'];
  readonly #counterfactuals: SchedulerDependencies['counterfactuals'];
  /** Hot worlds by the ms of the frame period in which their frames are due. */
  readonly #wheel: Set<LoadedWorld>[] = Array.from({ length: FRAME_MS }, () => new Set());
  #hotCount = 0;
  #wheelMs: number;
  /** Hot worlds whose frame is due, in order. */
  readonly #due = new Set<LoadedWorld>();
  /** Due, but held: they come back when the hold is resolved. */
  readonly #waiting = new Set<LoadedWorld>();
  /** Due, but the published clock is behind: they come back when it has moved. */
  readonly #late = new Set<LoadedWorld>();
  readonly #bursts = new Map<LoadedWorld, Burst>();
  #published = 0;
  #turns = 0;
  #isWorkLeft = false;

  constructor({ time, clock, host, frames, pulse, counterfactuals }: SchedulerDependencies) {
    this.#time = time;
    this.#clock = clock;
    this.#host = host;
    this.#frames = frames;
    this.#pulse = pulse;
    this.#counterfactuals = counterfactuals;
    this.meter = new Meter(time.now());
    this.#wheelMs = clock.now();
  }

  /** Whether it is watched, held, or in a burst. */
  isInUse(world: LoadedWorld): boolean {
    return world.hot || world.held || this.#bursts.has(world);
  }

  /** Sets in which encodings the frames of a world are wanted; none: it has no watcher. */
  watch(world: LoadedWorld, json: boolean, msgpack: boolean): void {
    const wasHot = world.hot;
    world.json = json;
    world.msgpack = msgpack;
    if (world.hot === wasHot) return;
    if (wasHot) this.#cool(world);
    else {
      if (this.#hotCount++ === 0) this.#wheelMs = this.#clock.now();
      this.#slot(world).add(world);
      this.#due.add(world);
    }
  }

  #cool(world: LoadedWorld): void {
    if (this.#slot(world).delete(world)) this.#hotCount--;
    for (const set of [this.#due, this.#waiting, this.#late]) set.delete(world);
    if (!this.#bursts.has(world)) world.forgetImages();
  }

  /** Brings a world to a tick. All goals of a world share its burst. */
  reach(world: LoadedWorld, goal: Goal): void {
    if (world.tick >= goal.tick) {
      if (!this.#guard(world, () => goal.reached())) goal.lost();
      return;
    }
    const goals = [...(this.#bursts.get(world)?.goals ?? []), goal];
    this.#bursts.set(world, burstOf(world, goals));
  }

  /** A hold was resolved: the world may go on. */
  resume(world: LoadedWorld): void {
    if (this.#waiting.delete(world)) this.#due.add(world);
  }

  /** Forgets a world. Its goals are lost. */
  remove(world: LoadedWorld): void {
    const goals = this.#bursts.get(world)?.goals ?? [];
    this.#bursts.delete(world);
    this.#cool(world);
    world.json = false;
    world.msgpack = false;
    for (const goal of goals) goal.lost();
  }

  #slot(world: LoadedWorld): Set<LoadedWorld> {
    const slot = this.#wheel[((world.createdAtMs % FRAME_MS) + FRAME_MS) % FRAME_MS];
    if (slot === undefined) throw new Error('unreachable: the wheel has a slot for every ms');
    return slot;
  }

  /** The last frame that is due and that the published clock allows. */
  #frameTick(world: LoadedWorld): number {
    return world.frameTickAt(Math.min(this.#clock.now(), this.#published + TICK_MS));
  }

  /** Runs work on a world; returns false, with the world given up, if it throws. */
  #guard(world: LoadedWorld, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#host.worldTrapped(world, error);
      return false;
    }
  }

  /** One slice of work. Returns the ms until the next is due; undefined: not before something comes in. */
  turn(): number | undefined {
    // No piece begins so late that it would overrun the slice, even if it costs twice the mean.
    const end = this.#time.now() + SLICE_MS - 2 * CHUNK_MS;
    const burstsFirst = ++this.#turns % BURST_TURN === 0;
    // Read before the drain: the drain then finds every hold that was posted before this reading.
    const published = this.#clock.published();
    if (published > this.#published) this.#takeLate();
    this.#published = published;
    this.#host.drainCommands();
    this.#collectDue();
    if (burstsFirst) this.#burst(end);
    this.#visitDue(end);
    if (!burstsFirst) {
      this.#workCounterfactuals(end, this.#turns % SPARE_TURN !== 0);
      this.#burst(end);
    }
    this.#pulse.world = 0;
    this.#workCounterfactuals(end, false);
    return this.#nextTurnMs();
  }

  /** Counterfactual work, never before a frame that is due. */
  #workCounterfactuals(end: number, urgent: boolean): void {
    this.#counterfactuals.work(this.#due.size > 0 ? 0 : end, urgent);
    this.#isWorkLeft = this.#counterfactuals.isBusy;
  }

  #takeLate(): void {
    for (const world of this.#late) this.#due.add(world);
    this.#late.clear();
  }

  /** Moves the worlds whose frames came due since the last turn into the queue. */
  #collectDue(): void {
    const now = this.#clock.now();
    const from = Math.max(this.#wheelMs + 1, now - FRAME_MS + 1);
    for (let ms = from; ms <= now && this.#hotCount > 0; ms++) {
      for (const world of this.#wheel[ms % FRAME_MS] ?? []) this.#due.add(world);
    }
    this.#wheelMs = Math.max(this.#wheelMs, now);
  }

  #visitDue(end: number): void {
    if (this.#due.size === 0) return;
    const begin = this.#time.now();
    let ticks = 0;
    for (const world of this.#due) {
      if (this.#time.now() >= end) break;
      this.#due.delete(world);
      const from = world.tick;
      this.#visit(world);
      ticks += world.tick - from;
    }
    this.meter.visited(ticks, this.#time.now() - begin);
  }

  /** Steps a hot world to its due frame; one that is far behind catches up in a burst. */
  #visit(world: LoadedWorld): void {
    const target = this.#frameTick(world);
    if (target < world.frameTickAt(this.#clock.now())) this.#late.add(world);
    if (target - world.tick > BEHIND_TICKS) {
      if (!this.#bursts.has(world)) this.reach(world, this.#catchUp(world, target));
      return;
    }
    if (!this.#step(world, target, BEHIND_TICKS)) return;
    if (world.tick < target) this.#waiting.add(world);
    this.#settle(world, target);
  }

  #catchUp(world: LoadedWorld, tick: number): Goal {
    const again = () => {
      if (world.hot) this.#due.add(world);
    };
    return { tick, sinceMs: this.#clock.now(), background: false, reached: again, lost: () => {} };
  }

  /** Captures the frame of `tick` where a hot world stands at it. */
  #frame(world: LoadedWorld, tick: number): void {
    if (!world.hot || world.tick !== tick || world.packedTick === tick) return;
    this.#guard(world, () => {
      world.capture();
      this.#frames.add(world);
    });
  }

  /** Steps to `target`, a hold, or `maxTicks` on, and reports contacts; false if the world trapped. */
  #step(world: LoadedWorld, target: number, maxTicks: number): boolean {
    this.#pulse.world = world.number;
    return this.#guard(world, () => {
      for (let left = maxTicks; left > 0; ) {
        const done = world.advance(target, left);
        if (done === 0) break;
        left -= done;
        this.#host.worldMoved(world);
      }
    });
  }

  /** Works on the first burst, then the next, until the slice ends. */
  #burst(end: number): void {
    const score = this.#turns % OLDEST_TURN === 0 ? ageScore : lengthScore;
    let burst = this.#first(score);
    while (burst !== undefined && this.#time.now() < end) {
      const { world } = burst;
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

  /** A hot world stops at the frame that is due, so that no frame is stepped over. */
  #target({ world, tick }: Burst, frame: number): number {
    const allowed = Math.min(tick, world.tickAt(this.#published) + 1);
    return world.hot && world.tick < frame ? Math.min(allowed, frame) : allowed;
  }

  #canGoOn(burst: Burst): boolean {
    const { world } = burst;
    if (world.heldAt(world.tick + 1)) return false;
    return this.#target(burst, this.#frameTick(world)) > world.tick;
  }

  /** The burst with the lowest score of those that can go on. */
  #first(scoreOf: (burst: Burst) => number): Burst | undefined {
    let best: Burst | undefined;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const burst of this.#bursts.values()) {
      const score = scoreOf(burst) + (burst.background ? BACKGROUND : 0);
      if (score >= bestScore || !this.#canGoOn(burst)) continue;
      best = burst;
      bestScore = score;
    }
    return best;
  }

  /** Captures the due frame and settles the goals that the world has reached. */
  #settle(world: LoadedWorld, frame: number): void {
    this.#frame(world, frame);
    const goals = this.#bursts.get(world)?.goals ?? [];
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
    if (waitsForClock || this.#late.size > 0) return PUBLISHED_MS;
    return this.#hotCount > 0 ? this.#nextFrameMs() : undefined;
  }

  #nextFrameMs(): number {
    const now = this.#clock.now();
    for (let ahead = 1; ahead <= FRAME_MS; ahead++) {
      if (this.#wheel[(this.#wheelMs + ahead) % FRAME_MS]?.size) {
        const due = this.#wheelMs + ahead;
        return Math.max(1, Math.ceil(due / GRAIN_MS) * GRAIN_MS - now);
      }
    }
    return FRAME_MS;
  }
}

function burstOf(world: LoadedWorld, goals: Goal[]): Burst {
  return {
    world,
    goals,
    tick: Math.max(...goals.map(({ tick }) => tick)),
    sinceMs: Math.min(...goals.map(({ sinceMs }) => sinceMs)),
    background: goals.every(({ background }) => background),
  };
}

/** Most slices: the shortest first, so that no burst waits for a longer one. */
function lengthScore({ world, tick }: Burst): number {
  return tick - world.tick;
}

/** Some slices: the oldest first, so that a long one is not put off for ever. */
function ageScore({ sinceMs }: Burst): number {
  return sinceMs;
}
