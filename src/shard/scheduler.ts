import { TICK_MS } from '../../assembly/layout.ts';
import { BEHIND_TICKS, FRAME_MS, OLDEST_TURN, SLICE_MS } from '../limits.ts';
import type { Resident } from './loaded-world.ts';
import { Meter } from './meter.ts';

/** Somebody waits for a world to reach a tick. */
export interface Goal {
  tick: number;
  sinceMs: number;
  /** Comes behind everything that somebody waits for. */
  background: boolean;
  /** Called once the world is at `tick` or later. */
  reached(): void;
  /** Called where the world is given up before that. */
  lost(): void;
}

export interface SchedulerHooks {
  /** This thread's clock in ms, and the last reading published by the main thread. */
  now(): number;
  published(): number;
  /** A finer clock, to end slices by, ms. */
  elapsed(): number;
  /** Takes in commands; called before every visit and slice. */
  drain(): void;
  /** The world has moved: contacts and images may be due. */
  moved(resident: Resident): void;
  /** A frame of a hot world has been captured. */
  framed(resident: Resident): void;
  /** Stepping or reading it threw: the world must be taken out. */
  trapped(resident: Resident, error: unknown): void;
  /** The world being stepped; for whoever finds this thread stuck. */
  stepping(resident: Resident | undefined): void;
  /**
   * Works until `end` on what comes after all that, `urgent`: on what somebody may wait for of it
   * alone; whether anything of it is left.
   */
  spare(end: number, urgent: boolean): boolean;
}

/** One slice in so many belongs to bursts first: their fifth of the thread. */
const BURST_TURN = 5;
/** One slice in so many belongs to all else that is to be done before bursts. */
const SPARE_TURN = 8;
/** Behind every burst that somebody waits for, whatever its length or age. */
const BACKGROUND = 1e18;
/**
 * Where nothing else is to be done, the next turn for hot worlds begins at a multiple of this many ms:
 * fewer turns and beats, for frames that are at most so late. A frame period is a multiple of it, so a
 * world's frames are late by the same from one period to the next.
 */
const GRAIN_MS = 16;
if (FRAME_MS % GRAIN_MS !== 0) throw new Error('frames must not be late by ever more');
/** How soon to look again whether the main thread has published a later reading of its clock. */
const PUBLISHED_MS = 4;
/** Share of a slice after which a burst looks at the clock. */
const CHUNK_MS = 0.25;

interface Burst {
  resident: Resident;
  goals: Goal[];
  /** Of all goals: the furthest tick, the longest wait, whether none is waited for. */
  tick: number;
  sinceMs: number;
  background: boolean;
}

/**
 * What a shard does next: visits that are due, then what is urgent, then bursts, in slices of at most
 * SLICE_MS, with commands taken in before each. It never steps a world beyond what the published clock allows.
 */
export class Scheduler {
  readonly meter: Meter;
  readonly #hooks: SchedulerHooks;
  /** Hot worlds by the ms of the frame period in which their frames are due. */
  readonly #wheel: Set<Resident>[] = Array.from({ length: FRAME_MS }, () => new Set());
  #hotCount = 0;
  #wheelMs: number;
  /** Hot worlds whose frame is due, in order. */
  readonly #due = new Set<Resident>();
  /** Due, but held: they come back when the hold is resolved. */
  readonly #waiting = new Set<Resident>();
  /** Due, but the published clock is behind: they come back when it has moved. */
  readonly #late = new Set<Resident>();
  readonly #bursts = new Map<Resident, Burst>();
  #published = 0;
  #turns = 0;
  #spareLeft = false;

  constructor(hooks: SchedulerHooks) {
    this.#hooks = hooks;
    this.meter = new Meter(hooks.elapsed());
    this.#wheelMs = hooks.now();
  }

  isWanted(resident: Resident): boolean {
    return resident.hot || resident.held || this.#bursts.has(resident);
  }

  /** Sets who wants the frames of a world. */
  watch(resident: Resident, json: boolean, msgpack: boolean): void {
    const wasHot = resident.hot;
    resident.json = json;
    resident.msgpack = msgpack;
    if (resident.hot === wasHot) return;
    if (wasHot) this.#cool(resident);
    else {
      if (this.#hotCount++ === 0) this.#wheelMs = this.#hooks.now();
      this.#slot(resident).add(resident);
      this.#due.add(resident);
    }
  }

  #cool(resident: Resident): void {
    if (this.#slot(resident).delete(resident)) this.#hotCount--;
    for (const set of [this.#due, this.#waiting, this.#late]) set.delete(resident);
    if (!this.#bursts.has(resident)) resident.forgetImages();
  }

  /** Brings a world to a tick; goals of one world share its burst. */
  reach(resident: Resident, goal: Goal): void {
    if (resident.tick >= goal.tick) {
      this.#guard(resident, () => goal.reached());
      return;
    }
    const goals = [...(this.#bursts.get(resident)?.goals ?? []), goal];
    this.#bursts.set(resident, burstOf(resident, goals));
  }

  /** A hold was resolved: what waited for it may go on. */
  resume(resident: Resident): void {
    if (this.#waiting.delete(resident)) this.#due.add(resident);
  }

  /** Takes a world out. Its goals are lost. */
  remove(resident: Resident): void {
    const goals = this.#bursts.get(resident)?.goals ?? [];
    this.#bursts.delete(resident);
    this.#cool(resident);
    resident.json = false;
    resident.msgpack = false;
    for (const goal of goals) goal.lost();
  }

  #slot(resident: Resident): Set<Resident> {
    const slot = this.#wheel[((resident.createdAtMs % FRAME_MS) + FRAME_MS) % FRAME_MS];
    if (slot === undefined) throw new Error('unreachable: the wheel has a slot for every ms');
    return slot;
  }

  /** The last frame that is due and that the published clock allows. */
  #frameTick(resident: Resident): number {
    return resident.frameTickAt(Math.min(this.#hooks.now(), this.#published + TICK_MS));
  }

  /** Does something with a world; where that throws, the world is given up. */
  #guard(resident: Resident, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#hooks.trapped(resident, error);
      return false;
    }
  }

  /**
   * One slice of work. Returns the ms until the next is due: 0 at once, undefined where nothing is
   * to be done until something comes in.
   */
  turn(): number | undefined {
    // Nothing begins so late that it would not end with the slice, be it twice as dear as most.
    const end = this.#hooks.elapsed() + SLICE_MS - 2 * CHUNK_MS;
    const burstsFirst = ++this.#turns % BURST_TURN === 0;
    // Read before the drain: a hold posted before a reading that is seen here is met by the drain.
    const published = this.#hooks.published();
    if (published > this.#published) this.#takeLate();
    this.#published = published;
    this.#hooks.drain();
    this.#collectDue();
    if (burstsFirst) this.#burst(end);
    this.#visitDue(end);
    if (!burstsFirst) {
      this.#spare(end, this.#turns % SPARE_TURN !== 0);
      this.#burst(end);
    }
    this.#hooks.stepping(undefined);
    this.#spare(end, false);
    return this.#nextTurnMs();
  }

  /** Never before a frame that is due. */
  #spare(end: number, urgent: boolean): void {
    this.#spareLeft = this.#hooks.spare(this.#due.size > 0 ? 0 : end, urgent);
  }

  #takeLate(): void {
    for (const resident of this.#late) this.#due.add(resident);
    this.#late.clear();
  }

  /** Moves the worlds whose frames came due since the last turn into the queue. */
  #collectDue(): void {
    const now = this.#hooks.now();
    const from = Math.max(this.#wheelMs + 1, now - FRAME_MS + 1);
    for (let ms = from; ms <= now && this.#hotCount > 0; ms++) {
      for (const resident of this.#wheel[ms % FRAME_MS] ?? []) this.#due.add(resident);
    }
    this.#wheelMs = Math.max(this.#wheelMs, now);
  }

  #visitDue(end: number): void {
    if (this.#due.size === 0) return;
    const begin = this.#hooks.elapsed();
    let ticks = 0;
    for (const resident of this.#due) {
      if (this.#hooks.elapsed() >= end) break;
      this.#due.delete(resident);
      const from = resident.tick;
      this.#visit(resident);
      ticks += resident.tick - from;
    }
    this.meter.visited(ticks, this.#hooks.elapsed() - begin);
  }

  /** Steps a hot world to its due frame; one that is far behind catches up in a burst. */
  #visit(resident: Resident): void {
    const target = this.#frameTick(resident);
    if (target < resident.frameTickAt(this.#hooks.now())) this.#late.add(resident);
    if (target - resident.tick > BEHIND_TICKS) {
      if (!this.#bursts.has(resident)) this.reach(resident, this.#catchUp(resident, target));
      return;
    }
    if (!this.#step(resident, target, BEHIND_TICKS)) return;
    if (resident.tick < target) this.#waiting.add(resident);
    this.#settle(resident, target);
  }

  #catchUp(resident: Resident, tick: number): Goal {
    const again = () => {
      if (resident.hot) this.#due.add(resident);
    };
    return { tick, sinceMs: this.#hooks.now(), background: false, reached: again, lost: () => {} };
  }

  /** Captures the frame of `tick` where a hot world stands at it. */
  #frame(resident: Resident, tick: number): void {
    if (!resident.hot || resident.tick !== tick || resident.packedTick === tick) return;
    this.#guard(resident, () => {
      resident.capture();
      this.#hooks.framed(resident);
    });
  }

  /** Steps until target, holds or `maxTicks`, telling of contacts; false where the world trapped. */
  #step(resident: Resident, target: number, maxTicks: number): boolean {
    this.#hooks.stepping(resident);
    return this.#guard(resident, () => {
      for (let left = maxTicks; left > 0; ) {
        const done = resident.advance(target, left);
        if (done === 0) break;
        left -= done;
        this.#hooks.moved(resident);
      }
    });
  }

  /** Works on the first burst, then the next, until the slice ends. */
  #burst(end: number): void {
    const score = this.#turns % OLDEST_TURN === 0 ? ageScore : lengthScore;
    let burst = this.#first(score);
    while (burst !== undefined && this.#hooks.elapsed() < end) {
      const { resident } = burst;
      if (burst.background && this.#spareLeft) break;
      const begin = this.#hooks.elapsed();
      const chunk = Math.max(1, Math.floor((CHUNK_MS * 1e6) / this.meter.tickNs));
      const from = resident.tick;
      const frame = this.#frameTick(resident);
      const lives = this.#step(resident, this.#target(burst, frame), chunk);
      this.meter.stepped(resident.tick - from, this.#hooks.elapsed() - begin);
      if (lives) this.#settle(resident, frame);
      const current = this.#bursts.get(resident);
      burst = current !== undefined && this.#canGoOn(current) ? current : this.#first(score);
    }
  }

  /** A hot world stops at the frame that is due, so that no frame is stepped over. */
  #target({ resident, tick }: Burst, frame: number): number {
    const allowed = Math.min(tick, resident.tickAt(this.#published) + 1);
    return resident.hot && resident.tick < frame ? Math.min(allowed, frame) : allowed;
  }

  #canGoOn(burst: Burst): boolean {
    const { resident } = burst;
    if (resident.heldAt(resident.tick + 1)) return false;
    return this.#target(burst, this.#frameTick(resident)) > resident.tick;
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

  /** Captures the frame of `frame` and tells the goals, where the world has come there. */
  #settle(resident: Resident, frame: number): void {
    this.#frame(resident, frame);
    const goals = this.#bursts.get(resident)?.goals ?? [];
    const open = goals.filter((goal) => goal.tick > resident.tick);
    if (open.length === goals.length) return;
    if (open.length > 0) this.#bursts.set(resident, burstOf(resident, open));
    else {
      this.#bursts.delete(resident);
      if (!resident.hot) resident.forgetImages();
    }
    let lives = true;
    for (const goal of goals) {
      if (goal.tick > resident.tick) continue;
      if (lives) lives = this.#guard(resident, () => goal.reached());
      else goal.lost();
    }
  }

  #nextTurnMs(): number | undefined {
    if (this.#due.size > 0 || this.#spareLeft) return 0;
    for (const burst of this.#bursts.values()) if (this.#canGoOn(burst)) return 0;
    const waitsForClock = [...this.#bursts.values()].some(
      ({ resident }) => !resident.heldAt(resident.tick + 1),
    );
    if (waitsForClock || this.#late.size > 0) return PUBLISHED_MS;
    return this.#hotCount > 0 ? this.#nextFrameMs() : undefined;
  }

  #nextFrameMs(): number {
    const now = this.#hooks.now();
    for (let ahead = 1; ahead <= FRAME_MS; ahead++) {
      if (this.#wheel[(this.#wheelMs + ahead) % FRAME_MS]?.size) {
        const due = this.#wheelMs + ahead;
        return Math.max(1, Math.ceil(due / GRAIN_MS) * GRAIN_MS - now);
      }
    }
    return FRAME_MS;
  }
}

function burstOf(resident: Resident, goals: Goal[]): Burst {
  return {
    resident,
    goals,
    tick: Math.max(...goals.map(({ tick }) => tick)),
    sinceMs: Math.min(...goals.map(({ sinceMs }) => sinceMs)),
    background: goals.every(({ background }) => background),
  };
}

/** Most slices: the shortest first, so that nobody waits for what is longer than their own. */
function lengthScore({ resident, tick }: Burst): number {
  return tick - resident.tick;
}

/** Some slices: the oldest first, so that a long one is not put off for ever. */
function ageScore({ sinceMs }: Burst): number {
  return sinceMs;
}
