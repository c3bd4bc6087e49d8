import type { Chance } from './chance.ts';
import type { Macrotasks } from './macrotasks.ts';
import type { NodeSlot } from './node-slot.ts';
import type { RunSettings } from './settings.ts';
import type { Trace } from './trace.ts';
import type { WatchedRedis } from './watched-redis.ts';

const FAULTS_MIN = 5;
const FAULTS_MORE = 10;
/** Faults begin after this time. */
const BEGIN_MS = 3000;
/** And end this long before their time is over. */
const LAST_MS = 2000;

export interface FaultsParts {
  settings: RunSettings;
  macrotasks: Macrotasks;
  redis: WatchedRedis;
  slots: readonly NodeSlot[];
  chance: Chance;
  trace: Trace;
}

type Fault = (faults: Faults) => void;

/** What happens to nodes, Redis, and the way between them. */
export class Faults {
  readonly parts: FaultsParts;
  count = 0;

  constructor(parts: FaultsParts) {
    this.parts = parts;
  }

  start(): void {
    const { settings, macrotasks, chance } = this.parts;
    const count = FAULTS_MIN + chance.below(FAULTS_MORE);
    for (let i = 0; i < count; i++) {
      const atMs = chance.between(BEGIN_MS, settings.faultsMs - LAST_MS);
      const [name, fault] = chance.pick(KINDS);
      macrotasks.add(atMs, () => {
        this.count++;
        this.parts.trace.note('fault', name);
        fault(this);
      });
    }
  }

  /** Ends what has not ended by itself. */
  end(): void {
    const { redis, slots, trace } = this.parts;
    trace.note('faults end');
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
    return chance.between(0, chance.pick([100, 1000, settings.leaseMs, 2 * settings.leaseMs]));
  }
}

function halt(faults: Faults, isSuspended: boolean): void {
  const resume = faults.anySlot().machine.halt(isSuspended);
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
  faults.anySlot().route.fromServerCutUntilMs = faults.nowMs + faults.anyMs();
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

function loseTail(faults: Faults): void {
  const { redis, chance } = faults.parts;
  redis.save();
  faults.later(chance.between(10, 2000), () => {
    redis.killWithoutTail();
    faults.later(faults.anyMs(), () => redis.start());
  });
}

const KINDS: readonly (readonly [string, Fault])[] = [
  ['pause', (faults) => halt(faults, false)],
  ['pause', (faults) => halt(faults, false)],
  ['suspend', (faults) => halt(faults, true)],
  ['crash', (faults) => faults.anySlot().crash()],
  ['crash', (faults) => faults.anySlot().crash()],
  ['stop', (faults) => faults.anySlot().stop()],
  ['block', block],
  ['kill a thread', killThread],
  ['stall a thread', stallThread],
  ['slow route', slowRoute],
  ['cut to Redis', cutToRedis],
  ['cut from Redis', cutFromRedis],
  ['end connections', ({ parts }) => parts.redis.endConnections()],
  ['pause Redis', pauseRedis],
  ['kill Redis', killRedis],
  ['lose the tail', loseTail],
];
