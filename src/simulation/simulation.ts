import { worldIdOf } from '../twin/ids.ts';
import { journalEntryOf } from '../twin/journal.ts';
import { Chance } from './chance.ts';
import { CHANGES, Clients, READS } from './clients.ts';
import { DealerClients } from './dealer-clients.ts';
import { exactTime } from './exact-time.ts';
import { BEGIN_MS, FAULTS_MIN, Faults } from './faults.ts';
import { HandoverSteps } from './handover-steps.ts';
import type { LedgerWorld } from './ledger-world.ts';
import { Machine } from './machine.ts';
import { Macrotasks } from './macrotasks.ts';
import type { Mutant } from './mutants.ts';
import { NodeSlot } from './node-slot.ts';
import { Observer } from './observer.ts';
import { RedisRoute } from './redis-route.ts';
import { FAULTS_MS, type RunSettings, settingsOf } from './settings.ts';
import { SimulatedNet } from './simulated-net.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { RunCounts } from './totals.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import { WatchedRedis } from './watched-redis.ts';

/** Streams of chance. */
const CLIENTS = 2;
const FAULTS = 3;
const NET = 4;
const PRESSURE = 5;
const DEALER_CLIENTS = 6;
const NODES = 100;
/** Wall time at the beginning of a run, ms since 1970. */
const WALL_MS = 1_800_000_000_000;
/** After the last fault nodes have so long until all is as it should be. */
const HEALING_MS = 5000;
const HEALING_LEASES = 3;
const CHECK_MS = 250;
/** A node gives about one partition a second, and one that has moved rests for a minute. */
const BALANCE_MS = 150_000;
const BALANCE_CHECK_MS = 2000;

export interface RunOptions {
  /** Gets what happens, line by line. */
  write?: (line: string) => void;
  /** A build that is broken on purpose. */
  mutant?: Mutant;
  /** See `RunSettings`. */
  isLossy?: boolean;
}

export interface RunResult {
  seed: number;
  settings: RunSettings;
  counts: RunCounts;
  /** How often which fault struck a handover, and where. */
  strikes: ReadonlyMap<string, number>;
  /** Of the trace: equal in every process. */
  hash: string;
  /** Macrotasks. */
  steps: number;
  failure: unknown;
}

/** Lives through one run: minutes of some nodes, their Redis and their clients, with faults. */
export function simulate(seed: number, options: RunOptions = {}): Promise<RunResult> {
  return new Simulation(seed, options).run();
}

class Simulation {
  readonly #settings: RunSettings;
  readonly #macrotasks = new Macrotasks();
  readonly #trace: Trace;
  readonly #observer: Observer;
  readonly #redis: WatchedRedis;
  readonly #net: SimulatedNet;
  readonly #mutant: Mutant | undefined;
  readonly #steps = new HandoverSteps();
  readonly #slots: readonly NodeSlot[];
  readonly #clients: Clients;
  readonly #dealerClients: DealerClients;
  readonly #faults: Faults;
  #failure: unknown;
  #isOver = false;

  constructor(seed: number, { write, mutant, isLossy }: RunOptions) {
    const settings = settingsOf(seed, isLossy);
    const macrotasks = this.#macrotasks;
    const nowMs = () => macrotasks.nowMs;
    const failed = (error: unknown) => this.#failed(error);
    this.#settings = settings;
    const trace = new Trace(nowMs, write);
    this.#trace = trace;
    const { idleMs, leaseMs, isPlanned } = settings;
    // A slot is at least a second long; a touch is stored after half of one.
    const slotMs = Math.max(1000, idleMs / 30);
    const earlyMs = 2 * slotMs + 2 * leaseMs;
    const plannedMs = isPlanned ? BEGIN_MS : Number.POSITIVE_INFINITY;
    const checked = { idleMs, earlyMs, leaseMs, plannedMs };
    const observer = new Observer(checked, { nowMs, trace, failed });
    this.#observer = observer;
    const time = exactTime(macrotasks, WALL_MS);
    this.#mutant = mutant;
    const redis = new WatchedRedis(time, observer.ledger, { failed, unfenced: mutant?.unfenced });
    this.#redis = redis;
    this.#net = new SimulatedNet(time, new Chance(seed, NET), settings.delayMsMax);
    const slots = Array.from({ length: settings.nodeCount }, (_, i) => this.#makeSlot(i));
    this.#slots = slots;
    const base = { settings, macrotasks, slots, trace };
    const seen = { ...base, observer, failed };
    this.#clients = new Clients({ ...seen, chance: new Chance(seed, CLIENTS) });
    this.#dealerClients = new DealerClients({ ...seen, chance: new Chance(seed, DEALER_CLIENTS) });
    this.#faults = new Faults({
      ...{ ...base, redis, net: this.#net, steps: this.#steps },
      chance: new Chance(seed, FAULTS),
    });
  }

  #makeSlot(index: number): NodeSlot {
    const settings = this.#settings;
    const chance = new Chance(settings.seed, NODES + index);
    const clocks = {
      startMs: chance.between(1000, 1e7),
      driftPpm: chance.between(-settings.driftPpmMax, settings.driftPpmMax),
      wallMs: WALL_MS + chance.between(-settings.wallErrorMsMax, settings.wallErrorMsMax),
      lateMsMax: settings.lateMsMax,
    };
    const machine = new Machine(this.#macrotasks, clocks, chance);
    const route = new RedisRoute(chance, settings.redisDelayMsMax);
    const [redis, net] = [this.#redis, this.#net];
    const [observer, trace] = [this.#observer, this.#trace];
    const mutant = this.#mutant;
    const build = settings.builds[index] ?? 1;
    const parts = { settings, redis, net, observer, chance, trace };
    const kernel = settings.kernels[index] ?? 1;
    const environment = { ...parts, steps: this.#steps, build, kernel, mutant };
    return new NodeSlot(`n${index + 1}`, machine, route, environment);
  }

  #failed(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#trace.say('FAILED', error instanceof Error ? error.message : String(error));
  }

  async run(): Promise<RunResult> {
    const unhandled = (error: unknown) => this.#failed(error);
    process.on('unhandledRejection', unhandled);
    const { stackTraceLimit } = Error;
    // Refusals are errors, and their stacks would take a fifth of the time.
    if (!this.#trace.isWritten) Error.stackTraceLimit = 0;
    try {
      for (const slot of this.#slots) slot.keepRunning();
      this.#clients.start();
      this.#dealerClients.start();
      this.#faults.start();
      this.#press();
      this.#macrotasks.add(FAULTS_MS, () => {
        this.#end().then(
          () => {
            this.#checkWhole();
            this.#isOver = true;
          },
          (error: unknown) => this.#failed(error),
        );
      });
      await this.#macrotasks.run(() => this.#isOver || this.#failure !== undefined);
    } catch (error) {
      this.#failed(error);
    } finally {
      process.off('unhandledRejection', unhandled);
      Error.stackTraceLimit = stackTraceLimit;
    }
    return this.#result();
  }

  #result(): RunResult {
    const { hash } = this.#trace;
    for (const { process } of this.#slots) process?.count();
    return {
      seed: this.#settings.seed,
      settings: this.#settings,
      counts: { ...this.#observer.counts, faults: this.#faults.count },
      strikes: this.#faults.strikes,
      ...{ hash, steps: this.#macrotasks.count, failure: this.#failure },
    };
  }

  /** Has nodes store and forget worlds more often than they would. */
  #press(): void {
    const { seed, imagesMs, evictMs } = this.#settings;
    const chance = new Chance(seed, PRESSURE);
    const again = (meanMs: number | undefined, press: (process: SimulatedNode) => void) => {
      if (meanMs === undefined) return;
      this.#macrotasks.add(this.#macrotasks.nowMs + chance.between(0, 2 * meanMs), () => {
        const { process } = chance.pick(this.#slots);
        process?.main.add(0, () => press(process));
        again(meanMs, press);
      });
    };
    again(imagesMs, (process) => process.saveImages());
    again(evictMs, (process) => {
      const { worlds } = this.#clients;
      if (worlds.length > 0) process.evict(chance.pick(worlds));
    });
  }

  /** A run in which less happens shows less. */
  #checkWhole(): void {
    const { nowMs } = this.#macrotasks;
    const { changes, reads } = this.#observer.counts;
    const { count } = this.#faults;
    const isWhole =
      nowMs >= FAULTS_MS && count >= FAULTS_MIN && changes >= CHANGES && reads >= READS;
    if (isWhole) return;
    const what = `${Math.round(nowMs)} ms, ${count} faults, ${changes} changes, ${reads} reads`;
    throw new Error(`too little has happened: ${what}`);
  }

  // ── after the faults ────────────────────────────────────────────────────────────────────────

  /** All heals; then every world can be read, and has all changes that the store has. */
  async #end(): Promise<void> {
    this.#faults.end();
    this.#dealerClients.end();
    await this.#clients.end();
    const untilMs = this.#macrotasks.nowMs + HEALING_MS + HEALING_LEASES * this.#settings.leaseMs;
    for (const world of this.#observer.ledger.worlds()) {
      for (const slot of this.#slots) await this.#checkWorld(slot, world, untilMs);
    }
    for (const slot of this.#slots) await this.#checkPlatform(slot, untilMs);
    for (const partition of this.#partitions()) await this.#checkHolder(partition, untilMs);
    if (this.#settings.isLong) await this.#checkBalance();
  }

  #sleep(ms: number): Promise<void> {
    const macrotasks = this.#macrotasks;
    return new Promise((resolve) => {
      macrotasks.add(macrotasks.nowMs + ms, resolve);
    });
  }

  /** Every node answers for every world, and knows all changes that the store had when it was asked. */
  async #checkWorld(slot: NodeSlot, world: LedgerWorld, untilMs: number): Promise<void> {
    const what = `world ${worldIdOf(world.number)} at ${slot.name}`;
    for (;;) {
      const { acknowledgedCount, changeCount } = world;
      const changes = await this.#clients.journalOf(slot, world.number);
      if (world.isRemoved) return;
      if (changes !== undefined) {
        const expected = world.changes.slice(0, changes.length).map(journalEntryOf);
        const isOther = JSON.stringify(changes) !== JSON.stringify(expected);
        if (isOther || changes.length < acknowledgedCount) {
          const missing = `has ${changes.length} changes, or others`;
          throw new Violation('I2', `${what} ${missing}; ${acknowledgedCount} are acknowledged`);
        }
        // One that the store has just accepted may not be known yet.
        if (changes.length >= changeCount) return;
      }
      if (this.#macrotasks.nowMs > untilMs) {
        throw new Violation('I6', `${what} cannot be read with all its changes`);
      }
      await this.#sleep(CHECK_MS);
    }
  }

  async #checkPlatform(slot: NodeSlot, untilMs: number): Promise<void> {
    while (!(await this.#dealerClients.isServedBy(slot))) {
      if (this.#macrotasks.nowMs > untilMs) {
        throw new Violation('I6', `the dealer platform of ${slot.name} does not answer`);
      }
      await this.#sleep(CHECK_MS);
    }
  }

  /** A partition that is just given to another node has none for a moment. */
  async #checkHolder(partition: number, untilMs: number): Promise<void> {
    for (;;) {
      const holders = this.#holdersOf(partition).map(({ name }) => name);
      if (holders.length === 1) return;
      if (this.#macrotasks.nowMs > untilMs) {
        const names = holders.join(', ') || 'nobody';
        throw new Violation('I6', `partition ${partition} is held by ${names}`);
      }
      await this.#sleep(CHECK_MS);
    }
  }

  #partitions(): readonly number[] {
    return [...Array(this.#settings.partitionCount).keys()];
  }

  #holdersOf(partition: number): readonly NodeSlot[] {
    return this.#slots.filter(({ process }) => process && process.overdueMs(partition) <= 0);
  }

  /** Moves end once the nodes of the newest build hold about as many partitions each. */
  async #checkBalance(): Promise<void> {
    const untilMs = this.#macrotasks.nowMs + BALANCE_MS;
    for (;;) {
      const partitions = this.#partitions();
      const holders = partitions.flatMap((each) => this.#holdersOf(each));
      const newest = Math.max(...this.#slots.map(({ build }) => build));
      const counts = this.#slots
        .filter(({ build }) => build === newest)
        .map((slot) => holders.filter((each) => each === slot).length);
      const isBalanced = Math.max(...counts) - Math.min(...counts) <= 1;
      if (isBalanced && holders.length === partitions.length) return;
      if (this.#macrotasks.nowMs > untilMs) {
        throw new Violation('I10', `the nodes hold ${counts.join(', ')} partitions`);
      }
      await this.#sleep(BALANCE_CHECK_MS);
    }
  }
}
