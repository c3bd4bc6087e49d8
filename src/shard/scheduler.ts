import { BEHIND_TICKS, FRAME_MS, SLICE_MS } from '../limits.ts';
import { Meter } from './meter.ts';
import type { Resident } from './resident.ts';

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
  /** A finer clock for measuring work, ms. */
  elapsed(): number;
  /** Takes in commands; called before every visit and slice. */
  drain(): void;
  /** The world has moved: contacts and images may be due. */
  moved(resident: Resident): void;
  /** A frame of a hot world has been captured. */
  framed(resident: Resident): void;
  /** Stepping threw: the world is lost here. */
  trapped(resident: Resident, error: unknown): void;
  /** The world being stepped; for whoever finds this thread stuck. */
  stepping(resident: Resident | undefined): void;
}

/** One slice in so many belongs to bursts first: their fifth of the thread. */
const BURST_TURN = 5;
/** Ticks that waiting for a ms is worth, so that long bursts are not put off for ever. */
const AGEING_TICKS_PER_MS = 50;
const BACKGROUND_TICKS = 1e12;
/** Hot worlds are visited in steps of this many ms: fewer wake-ups, frames at most so late. */
const GRAIN_MS = 4;
/** Share of a slice after which a burst looks at the clock. */
const CHUNK_MS = 0.25;

interface Burst {
  resident: Resident;
  goals: Goal[];
}

/**
 * What a shard does next: visits that are due, then bursts, in slices of at most SLICE_MS, with
 * commands taken in before each. It never steps a world beyond what the published clock allows.
 */
export class Scheduler {
  readonly meter: Meter;
  readonly #hooks: SchedulerHooks;
  /** Hot worlds by the ms of the frame period in which their frames are due. */
  readonly #wheel: Set<Resident>[] = Array.from({ length: FRAME_MS }, () => new Set());
  #hotCount = 0;
  #wheelMs: number;
  /** Hot worlds whose frame is due, in order; `#dueNext` is the first not yet visited. */
  #due: Resident[] = [];
  #dueNext = 0;
  /** Due, but held: they come back when the hold is resolved. */
  readonly #waiting = new Set<Resident>();
  readonly #bursts = new Map<Resident, Burst>();
  #turns = 0;

  constructor(hooks: SchedulerHooks) {
    this.#hooks = hooks;
    this.meter = new Meter(hooks.elapsed());
    this.#wheelMs = hooks.now();
  }

  get hotCount(): number {
    return this.#hotCount;
  }

  isWanted(resident: Resident): boolean {
    return resident.hot || resident.held || this.#bursts.has(resident);
  }

  /** Sets who wants the frames of a world. */
  watch(resident: Resident, json: boolean, msgpack: boolean): void {
    const slot = this.#slot(resident);
    const wasHot = slot.has(resident);
    resident.json = json;
    resident.msgpack = msgpack;
    if (resident.hot === wasHot) return;
    this.#hotCount += wasHot ? -1 : 1;
    if (wasHot) slot.delete(resident);
    else {
      if (this.#hotCount === 1) this.#wheelMs = this.#hooks.now();
      slot.add(resident);
      this.#due.push(resident);
    }
  }

  /** Brings a world to a tick; goals of one world share its burst. */
  reach(resident: Resident, goal: Goal): void {
    if (resident.tick >= goal.tick) {
      goal.reached();
      return;
    }
    const burst = this.#bursts.get(resident);
    if (burst === undefined) this.#bursts.set(resident, { resident, goals: [goal] });
    else burst.goals.push(goal);
  }

  /** A hold was resolved: what waited for it may go on. */
  resume(resident: Resident): void {
    if (this.#waiting.delete(resident)) this.#due.push(resident);
  }

  /** Takes a world out. Its goals are lost. */
  remove(resident: Resident): void {
    if (this.#slot(resident).delete(resident)) this.#hotCount--;
    this.#waiting.delete(resident);
    const goals = this.#bursts.get(resident)?.goals ?? [];
    this.#bursts.delete(resident);
    resident.json = false;
    resident.msgpack = false;
    for (const goal of goals) goal.lost();
  }

  #slot(resident: Resident): Set<Resident> {
    const slot = this.#wheel[((resident.createdAtMs % FRAME_MS) + FRAME_MS) % FRAME_MS];
    if (slot === undefined) throw new Error('unreachable: the wheel has a slot for every ms');
    return slot;
  }

  /**
   * One slice of work. Returns the ms until the next is due: 0 at once, undefined where nothing is
   * to be done until something comes in.
   */
  turn(): number | undefined {
    const end = this.#hooks.elapsed() + SLICE_MS;
    const burstsFirst = ++this.#turns % BURST_TURN === 0;
    // Read before the drain: a hold posted before a reading that is seen here is met by the drain.
    const published = this.#hooks.published();
    this.#hooks.drain();
    this.#collectDue();
    if (burstsFirst) this.#burst(published, end);
    this.#visitDue(published, end);
    if (!burstsFirst) this.#burst(published, end);
    this.#hooks.stepping(undefined);
    return this.#nextTurnMs();
  }

  /** Moves the worlds whose frames came due since the last turn into the queue. */
  #collectDue(): void {
    const now = this.#hooks.now();
    if (this.#hotCount === 0) {
      this.#wheelMs = now;
      return;
    }
    const from = Math.max(this.#wheelMs + 1, now - FRAME_MS + 1);
    for (let ms = from; ms <= now; ms++) {
      for (const resident of this.#wheel[ms % FRAME_MS] ?? []) this.#due.push(resident);
    }
    this.#wheelMs = Math.max(this.#wheelMs, now);
  }

  #visitDue(published: number, end: number): void {
    const begin = this.#hooks.elapsed();
    let visits = 0;
    let now = begin;
    while (this.#dueNext < this.#due.length && now < end) {
      const resident = this.#due[this.#dueNext++];
      if (resident?.hot) this.#visit(resident, published);
      visits++;
      now = this.#hooks.elapsed();
    }
    this.meter.visited(visits, now - begin);
    if (this.#dueNext === this.#due.length) {
      this.#due = [];
      this.#dueNext = 0;
    }
  }

  /** Steps a hot world to its due frame; one that is far behind catches up in a burst. */
  #visit(resident: Resident, published: number): void {
    const target = resident.frameTickAt(Math.min(this.#hooks.now(), published + 20));
    if (resident.tick > target) return;
    if (target - resident.tick > BEHIND_TICKS) {
      if (!this.#bursts.has(resident)) this.reach(resident, this.#catchUp(resident, target));
      return;
    }
    if (!this.#step(resident, target, BEHIND_TICKS)) return;
    if (resident.tick < target) this.#waiting.add(resident);
    else this.#frame(resident);
  }

  #catchUp(resident: Resident, tick: number): Goal {
    const again = () => {
      if (resident.hot) this.#due.push(resident);
    };
    return { tick, sinceMs: this.#hooks.now(), background: false, reached: again, lost: () => {} };
  }

  #frame(resident: Resident): void {
    if (resident.packedTick === resident.tick) return;
    resident.capture();
    this.#hooks.framed(resident);
  }

  /** Steps until target, holds or `maxTicks`, telling of contacts; false where the world trapped. */
  #step(resident: Resident, target: number, maxTicks: number): boolean {
    this.#hooks.stepping(resident);
    try {
      let left = maxTicks;
      while (left > 0) {
        const done = resident.advance(target, left);
        if (done === 0) break;
        left -= done;
        this.#hooks.moved(resident);
      }
      return true;
    } catch (error) {
      this.#hooks.trapped(resident, error);
      return false;
    }
  }

  #burst(published: number, end: number): void {
    while (this.#bursts.size > 0) {
      const begin = this.#hooks.elapsed();
      if (begin >= end) return;
      const burst = this.#shortest();
      if (burst === undefined) return;
      const { resident } = burst;
      const chunk = Math.max(1, Math.floor((CHUNK_MS * 1e6) / this.meter.tickNs));
      const from = resident.tick;
      if (!this.#step(resident, this.#target(burst, published), chunk)) continue;
      this.meter.stepped(resident.tick - from, this.#hooks.elapsed() - begin);
      this.#settle(burst);
      if (resident.tick === from) return;
    }
  }

  /** A hot world stops at the frame that is due, so that no frame is stepped over. */
  #target({ resident, goals }: Burst, published: number): number {
    const wanted = Math.max(...goals.map((goal) => goal.tick));
    const allowed = Math.min(wanted, resident.tickAt(published) + 1);
    if (!resident.hot) return allowed;
    const frame = resident.frameTickAt(Math.min(this.#hooks.now(), published + 20));
    return resident.tick < frame ? Math.min(allowed, frame) : allowed;
  }

  /** The burst with the least left to do, waiting counted in its favour; held ones wait. */
  #shortest(): Burst | undefined {
    const now = this.#hooks.now();
    let best: Burst | undefined;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const burst of this.#bursts.values()) {
      if (burst.resident.heldAt(burst.resident.tick + 1)) continue;
      const score = scoreOf(burst, now);
      if (score < bestScore) {
        best = burst;
        bestScore = score;
      }
    }
    return best;
  }

  #settle(burst: Burst): void {
    const { resident } = burst;
    if (resident.hot && resident.tick === resident.frameTickAt(this.#hooks.now())) {
      this.#frame(resident);
    }
    const open = burst.goals.filter((goal) => goal.tick > resident.tick);
    const reached = burst.goals.filter((goal) => goal.tick <= resident.tick);
    burst.goals = open;
    if (open.length === 0) this.#bursts.delete(resident);
    for (const goal of reached) goal.reached();
  }

  #nextTurnMs(): number | undefined {
    if (this.#dueNext < this.#due.length || this.#shortest() !== undefined) return 0;
    if (this.#hotCount === 0) return undefined;
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

function scoreOf({ resident, goals }: Burst, nowMs: number): number {
  const left = Math.max(...goals.map((goal) => goal.tick)) - resident.tick;
  if (goals.every((goal) => goal.background)) return BACKGROUND_TICKS + left;
  const since = Math.min(...goals.map((goal) => goal.sinceMs));
  return left - (nowMs - since) * AGEING_TICKS_PER_MS;
}
