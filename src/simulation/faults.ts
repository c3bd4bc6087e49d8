import type { Chance } from './chance.ts';
import { type HandoverSteps, STEPS } from './handover-steps.ts';
import type { Macrotasks } from './macrotasks.ts';
import type { NodeSlot } from './node-slot.ts';
import { FAULTS_MS, type RunSettings } from './settings.ts';
import type { SimulatedNet } from './simulated-net.ts';
import type { Trace } from './trace.ts';
import type { Refusal, WatchedRedis } from './watched-redis.ts';

export const FAULTS_MIN = 5;
const FAULTS_MORE = 15;
const LOSSY_FAULTS_MORE = 35;
/** Some runs have few kinds of faults, and many of each: other things happen then. */
const KINDS_MAX = 4;
/** Faults begin after this time, when the nodes have come together. */
export const BEGIN_MS = 3000;
/** And end this long before their time is over. */
const LAST_MS = 2000;
/** A jump that nodes follow slowly, but for one that starts anew: it is so far ahead of the others. */
const FOLLOWED_MS = 440;
/** Leases live so much longer or shorter than they should. */
const TTL_DRIFT_MAX = 0.05;
/** Answers come so late that nodes give their connections up, as a rule without losing their leases. */
const LATE_MS_MIN = 500;
const LATE_MS_MAX = 1500;
/** Then nodes have up to so long to read what Redis has taken. */
const READ_BACK_MS_MAX = 600;

export interface FaultsParts {
  settings: RunSettings;
  macrotasks: Macrotasks;
  redis: WatchedRedis;
  net: SimulatedNet;
  steps: HandoverSteps;
  slots: readonly NodeSlot[];
  chance: Chance;
  trace: Trace;
}

/** A node that stops gives away what it has, and gets some back once it has started again. */
const STOP: Kind = ['stop', (faults) => faults.anySlot().stop()];

type Kind = readonly [name: string, run: (faults: Faults) => void];

/** What happens to nodes, Redis, and the way between them. */
export class Faults {
  readonly parts: FaultsParts;
  count = 0;
  /** How often which fault struck a handover, and where. */
  readonly strikes = new Map<string, number>();
  readonly #heals = new Set<() => void>();

  constructor(parts: FaultsParts) {
    this.parts = parts;
  }

  start(): void {
    const { chance, settings } = this.parts;
    if (settings.isPlanned) {
      this.#plan();
      return;
    }
    const { isLossy } = settings;
    const count = FAULTS_MIN + chance.below(isLossy ? LOSSY_FAULTS_MORE : FAULTS_MORE);
    const all = isLossy ? LOSSY_KINDS : KINDS;
    const kinds = chance.happens(0.5) ? all : this.#someOf(all);
    for (let i = 0; i < count; i++) {
      this.#add(chance.between(BEGIN_MS, FAULTS_MS - LAST_MS), chance.pick(kinds));
    }
  }

  /** One node after the other, as whoever restarts them waits until each serves again. */
  #plan(): void {
    const everyMs = (FAULTS_MS - LAST_MS - BEGIN_MS) / FAULTS_MIN;
    for (let i = 0; i < FAULTS_MIN; i++) this.#add(BEGIN_MS + i * everyMs, STOP);
  }

  #add(atMs: number, [name, fault]: Kind): void {
    this.parts.macrotasks.add(atMs, () => {
      this.count++;
      this.parts.trace.note('fault', name);
      fault(this);
    });
  }

  #someOf(all: readonly Kind[]): readonly Kind[] {
    const { chance } = this.parts;
    return Array.from({ length: 1 + chance.below(KINDS_MAX) }, () => chance.pick(all));
  }

  /** Ends what has not ended by itself. */
  end(): void {
    const { redis, slots, steps, trace } = this.parts;
    steps.end();
    trace.note('faults end');
    for (const heal of this.#heals) heal();
    redis.start();
    redis.resume();
    for (const { machine, route } of slots) {
      machine.resume();
      route.heal();
    }
  }

  later(ms: number, run: () => void): void {
    const { macrotasks } = this.parts;
    macrotasks.add(macrotasks.nowMs + ms, run);
  }

  get nowMs(): number {
    return this.parts.macrotasks.nowMs;
  }

  anySlot(): NodeSlot {
    return this.parts.chance.pick(this.parts.slots);
  }

  /** Short as a hiccup, or longer than a lease. */
  anyMs(): number {
    const { chance, settings } = this.parts;
    return chance.between(0, chance.pick([100, 1000, settings.leaseMs, 3 * settings.leaseMs]));
  }

  /** What it does ends with all faults at the latest. */
  until(ms: number, heal: () => void): void {
    this.#heals.add(heal);
    this.later(ms, heal);
  }
}

function halt(faults: Faults, isSuspended: boolean): void {
  haltSlot(faults, faults.anySlot(), isSuspended);
}

function haltSlot(faults: Faults, { machine }: NodeSlot, isSuspended: boolean): void {
  const resume = machine.halt(isSuspended);
  faults.later(faults.anyMs(), resume);
}

function block(faults: Faults): void {
  const { process } = faults.anySlot();
  process?.main.block(faults.parts.chance.between(0, 2000));
}

function killThread(faults: Faults): void {
  const { process } = faults.anySlot();
  process?.threads[0]?.die();
}

function stallThread(faults: Faults): void {
  const { process } = faults.anySlot();
  process?.threads[0]?.own.block(faults.parts.chance.between(0, 4000));
}

function slowRoute(faults: Faults): void {
  const { route } = faults.anySlot();
  route.slowMs = faults.parts.chance.between(0, 800);
  route.slowUntilMs = faults.nowMs + faults.anyMs();
}

function cutToRedis(faults: Faults): void {
  faults.anySlot().route.toServerCutUntilMs = faults.nowMs + faults.anyMs();
}

function cutFromRedis(faults: Faults): void {
  holdAnswers(faults, [faults.anySlot()], faults.anyMs());
}

/** Redis does what it is asked for, but its answers to these nodes come so late. */
function holdAnswers(faults: Faults, slots: readonly NodeSlot[], ms: number): void {
  for (const { route } of slots) route.fromServerCutUntilMs = faults.nowMs + ms;
}

function cutLinks(faults: Faults): void {
  const { slots, net, chance } = faults.parts;
  const from = faults.anySlot();
  // One other node, or all.
  const others = slots.filter((slot) => slot !== from);
  const cut = chance.happens(0.5) ? others : [chance.pick(others)];
  const isBothWays = chance.happens(0.5);
  const ms = faults.anyMs();
  for (const to of cut) {
    faults.until(ms, net.cut(from.name, to.name));
    if (isBothWays) faults.until(ms, net.cut(to.name, from.name));
  }
}

function jumpRedis(faults: Faults): void {
  const { redis, chance, trace } = faults.parts;
  const ms = chance.between(-1, 1) * chance.pick([FOLLOWED_MS, 10_000, 3_600_000]);
  redis.clockAheadMs += ms;
  trace.say('ahead by', Math.round(ms));
}

/** A node that starts anew is ahead of the others, and gives them all that it has. */
function startAhead(faults: Faults): void {
  const { redis, chance } = faults.parts;
  redis.clockAheadMs += FOLLOWED_MS;
  const slot = faults.anySlot();
  slot.crash();
  faults.later(chance.between(4000, 15_000), () => slot.stop());
}

function driftRedis(faults: Faults): void {
  const { redis, chance } = faults.parts;
  redis.drift(chance.between(-TTL_DRIFT_MAX, TTL_DRIFT_MAX));
}

function jumpWall(faults: Faults): void {
  const { chance } = faults.parts;
  faults.anySlot().machine.jumpWall(chance.between(-1, 1) * chance.pick([300, 3000, 3_600_000]));
}

function pauseRedis(faults: Faults): void {
  const { redis } = faults.parts;
  redis.pause();
  faults.later(faults.anyMs(), () => redis.resume());
}

function killRedis(faults: Faults): void {
  const { redis } = faults.parts;
  redis.kill();
  faults.later(faults.anyMs(), () => redis.start());
}

const WHY_REFUSED: readonly Refusal[] = ['LOADING', 'READONLY', 'MISCONF', 'OOM'];

/** Redis answers, but refuses to do what it is asked for. */
function refuseInRedis(faults: Faults): void {
  const { redis, chance, trace } = faults.parts;
  const why = chance.pick(WHY_REFUSED);
  trace.say('because of', why);
  redis.refuse(why);
  faults.until(faults.anyMs(), () => redis.refuse(undefined));
}

function loseTail(faults: Faults): void {
  loseTailIn(faults, faults.parts.chance.between(10, 2000));
}

/** After so long Redis dies, and comes back without what it has accepted from now on. */
function loseTailIn(faults: Faults, ms: number): void {
  const { redis } = faults.parts;
  redis.save();
  faults.later(ms, () => {
    redis.killWithoutTail();
    faults.later(faults.anyMs(), () => redis.start());
  });
}

/**
 * Redis takes what nodes send, which hear nothing of it and give their connections up. Over the next ones
 * they read what it has taken. Then it loses just that.
 */
function loseUnansweredTail(faults: Faults): void {
  const { redis, slots, chance } = faults.parts;
  const lateMs = chance.between(LATE_MS_MIN, LATE_MS_MAX);
  holdAnswers(faults, chance.happens(0.5) ? slots : [faults.anySlot()], lateMs);
  // Nodes wait for some answers longer than this.
  faults.later(lateMs, () => redis.endConnections());
  loseTailIn(faults, lateMs + chance.between(0, READ_BACK_MS_MAX));
}

/** What happens to a node in the middle of a handover. */
const STRIKES: readonly (readonly [name: string, run: (faults: Faults, slot: NodeSlot) => void])[] =
  [
    ['crash', (_, slot) => slot.crash()],
    ['pause', (faults, slot) => haltSlot(faults, slot, false)],
    ['suspend', (faults, slot) => haltSlot(faults, slot, true)],
    ['lose answers', loseAnswers],
    ['end connections', ({ parts }) => parts.redis.endConnections()],
  ];

/** What it does, it does; but whoever has asked for it does not hear of it, and it hears nothing of Redis. */
function loseAnswers(faults: Faults, slot: NodeSlot): void {
  const { slots, net } = faults.parts;
  const ms = faults.anyMs();
  holdAnswers(faults, [slot], ms);
  for (const to of slots) if (to !== slot) faults.until(ms, net.cut(slot.name, to.name));
}

/** A node moves a partition, and something happens at one of the steps. */
function strikeHandover(faults: Faults): void {
  const { chance, slots, steps, settings, trace } = faults.parts;
  const step = chance.pick(STEPS);
  const [name, strike] = chance.pick(STRIKES);
  const roundTripMs = 2 * Math.max(settings.delayMsMax, settings.redisDelayMsMax);
  const afterMs = chance.happens(0.5) ? 0 : chance.between(0, roundTripMs);
  const what = `${name} at ${step}`;
  steps.strikeAt(step, (node) => {
    faults.later(afterMs, () => {
      const slot = slots.find((each) => each.name === node);
      if (slot === undefined) return;
      trace.note('strikes', what, node);
      faults.strikes.set(what, (faults.strikes.get(what) ?? 0) + 1);
      strike(faults, slot);
    });
  });
  const [from, to] = [faults.anySlot(), faults.anySlot()];
  from.process?.move(chance, to.name);
}

const KINDS: readonly Kind[] = [
  ['pause', (faults) => halt(faults, false)],
  ['pause', (faults) => halt(faults, false)],
  ['suspend', (faults) => halt(faults, true)],
  ['crash', (faults) => faults.anySlot().crash()],
  ['crash', (faults) => faults.anySlot().crash()],
  STOP,
  ['block', block],
  ['kill a thread', killThread],
  ['stall a thread', stallThread],
  ['slow route', slowRoute],
  ['cut to Redis', cutToRedis],
  ['cut from Redis', cutFromRedis],
  ['cut links', cutLinks],
  ['cut links', cutLinks],
  ...Array.from({ length: 6 }, (): Kind => ['strike a handover', strikeHandover]),
  ["jump Redis' clock", jumpRedis],
  ['start ahead', startAhead],
  ["drift Redis' clock", driftRedis],
  ['jump a wall clock', jumpWall],
  ['end connections', ({ parts }) => parts.redis.endConnections()],
  ['pause Redis', pauseRedis],
  ['kill Redis', killRedis],
  ['refuse in Redis', refuseInRedis],
  ['refuse in Redis', refuseInRedis],
  ['lose the tail', loseTail],
  ['lose an unanswered tail', loseUnansweredTail],
  ['lose an unanswered tail', loseUnansweredTail],
];

/** Most of what may go wrong where Redis loses writes needs a node that is gone, paused or cut off as well. */
const WITH_LOSSES: readonly Kind[] = [
  ['pause', (faults) => halt(faults, false)],
  ['suspend', (faults) => halt(faults, true)],
  ['crash', (faults) => faults.anySlot().crash()],
  ['cut to Redis', cutToRedis],
  ['cut from Redis', cutFromRedis],
  ['lose the tail', loseTail],
  ['lose the tail', loseTail],
  ['lose an unanswered tail', loseUnansweredTail],
];

const LOSSY_KINDS: readonly Kind[] = [
  ...KINDS,
  ...Array.from({ length: 4 }, () => WITH_LOSSES).flat(),
];
