import { F_ALL, FRAME_TICKS } from '../../assembly/layout.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { Change } from '../twin/journal.ts';
import { GrantOrder, nodeOf } from './grant-order.ts';
import { Ledger, type LedgerListener, type PartitionWriter } from './ledger.ts';
import type { LedgerChange, LedgerWorld } from './ledger-world.ts';
import { TokenWatch } from './token-watch.ts';
import type { Shown } from './toy-kernel.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** Between two frames of a stream where nothing fails. */
const STILL_MS_MAX = 1000;

const NEVER_UNMARKED = Number.POSITIVE_INFINITY;

/** A process that answers and publishes, as it is seen from outside. */
export interface Publisher {
  readonly name: string;
  /** Of its grant; undefined: it has none. */
  epochOf(partition: number): number | undefined;
  /** By its clock: how long ago it had to stop relying on what the store has answered it; ≤ 0: not yet. */
  overdueMs(partition: number): number;
}

export interface ObserverSettings {
  idleMs: number;
  /** A world is deleted this much earlier than its idle time at most. */
  earlyMs: number;
  leaseMs: number;
  /** From then on nothing fails, by virtual time: nodes only stop and start. Infinity: never. */
  plannedMs: number;
}

export interface ObserverParts {
  /** Virtual time. */
  nowMs: () => number;
  trace: Trace;
  /** Gets violations: nodes must go on as if they were not watched. */
  failed: (error: unknown) => void;
}

/** What was shown of a world. */
interface ShownWorld {
  /** Of the grant under which it was shown last: see `GrantOrder`. */
  order: number;
  epoch: number;
  /** Name of the node. */
  by: string;
  tick: number;
  frameTick: number;
  /**
   * Order of a grant. The store has lost how far the holders of later ones must be: they may begin
   * earlier.
   */
  unmarkedFrom: number;
  /** When it began earlier, by virtual time. */
  beganMs: number;
  /** When it was last used, by virtual time. */
  usedMs: number;
}

/** What a client has asked for. */
interface Asked {
  world: number;
  /** Undefined: it reads the state. */
  change: (Pick<Change, 'car'> & Partial<Change>) | undefined;
  sinceMs: number;
  /** What was shown by then. */
  tick: number;
}

/** Of the calls of clients, and of what happened to them. */
export interface Counts {
  /** What clients asked for: a call that is refused and made again at another node counts once. */
  changes: number;
  reads: number;
  acknowledged: number;
  shown: number;
  refused: number;
  unknown: number;
  frames: number;
  /** Requests that another node answered, and those that found the world gone from there. */
  forwarded: number;
  moved: number;
  takeovers: number;
  /** Tokens that were ended. */
  ended: number;
  drops: number;
  /** Worlds under another kernel. */
  startedOver: number;
}

/** Sees what the store accepts and what nodes show, and checks what must hold at any moment. */
export class Observer implements LedgerListener {
  readonly ledger: Ledger;
  readonly tokens: TokenWatch;
  readonly counts: Counts = {
    ...{ changes: 0, reads: 0, acknowledged: 0, shown: 0, refused: 0, unknown: 0 },
    ...{ frames: 0, forwarded: 0, moved: 0, takeovers: 0, ended: 0, drops: 0 },
    startedOver: 0,
  };
  readonly #nowMs: () => number;
  readonly #settings: ObserverSettings;
  readonly #trace: Trace;
  readonly #failed: (error: unknown) => void;
  readonly #shown = new Map<number, ShownWorld>();
  readonly #holders = new Map<number, string>();
  readonly #order = new GrantOrder();
  /** Of the processes that serve and are not told to stop. */
  readonly #builds = new Map<string, number>();
  /** Until then nodes show worlds by leases of a store whose last writes are lost, by virtual time. */
  #unstoredUntilMs = Number.NEGATIVE_INFINITY;
  /** By the name of the request. */
  readonly #asked = new Map<string, Asked>();

  constructor(settings: ObserverSettings, { nowMs, trace, failed }: ObserverParts) {
    this.#nowMs = nowMs;
    this.#settings = settings;
    this.#trace = trace;
    this.#failed = failed;
    this.ledger = new Ledger(nowMs, this);
    this.tokens = new TokenWatch({ nowMs, trace, failed, ended: () => this.counts.ended++ });
  }

  /** `order`: of the grant under which it is shown or changed next. */
  #shownOf(world: number, order = 0): ShownWorld {
    let shown = this.#shown.get(world);
    if (shown === undefined) {
      const ticks = { tick: -1, frameTick: -1, unmarkedFrom: NEVER_UNMARKED, beganMs: -1 };
      shown = { order: 0, epoch: 0, by: '', ...ticks, usedMs: this.#nowMs() };
      this.#shown.set(world, shown);
    }
    if (order > shown.unmarkedFrom) {
      const beganMs = this.#nowMs();
      Object.assign(shown, { tick: -1, frameTick: -1, unmarkedFrom: NEVER_UNMARKED, beganMs });
    }
    return shown;
  }

  // ── the store ───────────────────────────────────────────────────────────────────────────────

  granted(partition: number, grant: string, epoch: number): void {
    this.#trace.note('granted', partition, grant, epoch);
    const last = this.#holders.get(partition);
    if (last !== undefined) this.counts.takeovers++;
    this.#holders.set(partition, grant);
    this.#order.granted(partition, grant, epoch);
    if (this.#isPlanned && last !== undefined) this.#checkBuilds(partition, last, grant);
  }

  #checkBuilds(partition: number, from: string, to: string): void {
    const [older, newer] = [to, from].map((each) => this.#builds.get(processIn(each)) ?? 0);
    if (older === undefined || newer === undefined || older === 0 || older >= newer) return;
    const what = `partition ${partition} goes from ${from} of build ${newer} to ${to} of ${older}`;
    throw new Violation('I14', what);
  }

  get #isPlanned(): boolean {
    return this.#nowMs() >= this.#settings.plannedMs;
  }

  // ── processes ───────────────────────────────────────────────────────────────────────────────

  serves(process: string, build: number): void {
    this.#builds.set(process, build);
  }

  /** It is told to stop, or it is gone. */
  leaves(process: string): void {
    this.#builds.delete(process);
  }

  /** Its maker may never have heard of it. */
  created(number: number): void {
    this.used(number);
  }

  /** What was shown of a world at this tick or later did not have the change. */
  changed(world: LedgerWorld, tick: number, { boot, epoch }: PartitionWriter): void {
    this.#trace.note('changed', worldIdOf(world.number), tick, world.changeCount, epoch);
    const by = nodeOf(boot);
    const order = this.#order.of(by, world.partition, epoch);
    const shown = this.#shownOf(world.number, order);
    if (tick <= shown.tick) {
      throw new Violation(
        'I5',
        `world ${worldIdOf(world.number)} changes at tick ${tick}, and ${shown.tick} was shown`,
      );
    }
  }

  removed(world: LedgerWorld): void {
    this.#trace.note('removed', worldIdOf(world.number));
    this.counts.drops++;
    const { usedMs } = this.#shownOf(world.number);
    const { idleMs, earlyMs } = this.#settings;
    const unusedMs = this.#nowMs() - usedMs;
    if (unusedMs >= idleMs - earlyMs) return;
    throw new Violation(
      'I11',
      `world ${worldIdOf(world.number)} is deleted ${Math.round(unusedMs)} ms after it was used`,
    );
  }

  /** Whoever does not hear that it was stored starts the world over once more, and has not shown it. */
  startedOver(
    { number, partition }: LedgerWorld,
    former: number | 'other',
    { boot, epoch }: PartitionWriter,
  ): void {
    this.#trace.note('starts over', worldIdOf(number), former);
    this.counts.startedOver++;
    if (former === 'other') return;
    const { tick } = this.#shownOf(number, this.#order.of(nodeOf(boot), partition, epoch));
    if (tick <= former) return;
    const shown = `its start at tick ${former} is known: tick ${tick} was shown`;
    throw new Violation('I5', `world ${worldIdOf(number)} starts over twice, and ${shown}`);
  }

  lostTail(sinceMs: number): void {
    this.#order.lostTail();
    this.tokens.lostTail();
    this.#unstoredUntilMs = this.#nowMs() + this.#settings.leaseMs;
    for (const shown of this.#shown.values()) {
      shown.unmarkedFrom = this.#order.last;
      // When worlds were used is stored later, so that it is lost as well.
      const isStored = shown.usedMs < sinceMs - this.#settings.earlyMs;
      if (!isStored) shown.usedMs = Number.NEGATIVE_INFINITY;
    }
  }

  // ── the nodes ───────────────────────────────────────────────────────────────────────────────

  /** A process sends a frame of one of its worlds. */
  framed(by: Publisher, world: number, shown: Shown): void {
    this.#check(() => {
      // A world that was loaded anew may show the same frame again; streams leave it out.
      this.#checkShown(by, world, shown, ({ frameTick }) => frameTick);
      this.#shownOf(world).frameTick = shown.tick;
    });
  }

  /** A process answers a request with the state of one of its worlds. */
  answered(by: Publisher, request: string, shown: Shown): void {
    this.#check(() => {
      const asked = this.#asked.get(request);
      if (asked === undefined) return;
      const tickMin = ({ beganMs }: ShownWorld) => (beganMs > asked.sinceMs ? -1 : asked.tick);
      this.#checkShown(by, asked.world, shown, tickMin);
    });
  }

  #check(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** `tickMinOf`: given what was shown before. */
  #checkShown(
    by: Publisher,
    number: number,
    { tick, state }: Shown,
    tickMinOf: (shown: ShownWorld) => number,
  ): void {
    const partition = partitionOf(number);
    const epoch = by.epochOf(partition);
    const order = this.#order.of(by.name, partition, epoch);
    this.#trace.note('shown', by.name, worldIdOf(number), tick, state, epoch ?? 0);
    const shown = this.#shownOf(number, order);
    const what = () => `world ${worldIdOf(number)} at tick ${tick} by ${by.name}`;
    this.#checkRight(by, number, epoch, what);
    if (epoch === undefined) return;
    if (order < shown.order) {
      const later = `${shown.by} has shown it under the epoch ${shown.epoch}`;
      throw new Violation('I9', `${what()}: ${later}`);
    }
    const tickMin = tickMinOf(shown);
    if (tick < tickMin) throw new Violation('I3', `${what()}, at least ${tickMin} was expected`);
    shown.tick = Math.max(shown.tick, tick);
    shown.order = order;
    shown.epoch = epoch;
    shown.by = by.name;
    shown.usedMs = this.#useMs;
    const world = this.ledger.world(number);
    if (world?.isShownRight(tick, state) === false) {
      throw new Violation('I5', `${what()} is not that of its journal`);
    }
  }

  /** Whether it may show the world now. */
  #checkRight(by: Publisher, number: number, epoch: number | undefined, what: () => string): void {
    if (epoch === undefined) throw new Violation('I4', `${what()}: it has no grant`);
    const overdueMs = by.overdueMs(partitionOf(number));
    if (overdueMs <= 0) return;
    throw new Violation('I4', `${what()}: ${Math.round(overdueMs)} ms after its deadline`);
  }

  /** A client asks for the state of a world, for a change of it, or for the features of a car. */
  asks(request: string, world: number, change?: Asked['change']): void {
    const { tick } = this.#shownOf(world);
    this.#asked.set(request, { world, change, sinceMs: this.#nowMs(), tick });
    this.#trace.say('asks', request, worldIdOf(world), change ? JSON.stringify(change) : 'read');
  }

  /** A process answers with the declared features of a car. */
  declared(by: Publisher, request: string, values: number): void {
    const { world: number = 0, change, sinceMs = 0 } = this.#asked.get(request) ?? {};
    const world = this.ledger.world(number);
    if (change === undefined || world === undefined) return;
    const { car } = change;
    this.#trace.note('declared', by.name, worldIdOf(number), car, values);
    this.used(number);
    this.#check(() => {
      const what = `the features of world ${worldIdOf(number)}, car ${car}, by ${by.name}`;
      this.#checkRight(by, number, by.epochOf(world.partition), () => what);
      if (world.wasDeclared({ car, touched: F_ALL, values }, sinceMs)) return;
      throw new Violation('I5', `${what} are not those of its journal`);
    });
  }

  /** A process acknowledges a change that it was asked for. */
  acknowledged(by: Publisher, request: string): void {
    const { world: number = 0, change, sinceMs = 0 } = this.#asked.get(request) ?? {};
    const world = this.ledger.world(number);
    if (change === undefined || world === undefined) return;
    const { car, touched = 0, values = 0 } = change;
    this.#trace.say('answers', by.name, request);
    this.#trace.note('acknowledged', by.name, worldIdOf(number), car, touched, values);
    this.counts.acknowledged++;
    this.used(number);
    this.#check(() => {
      const accepted = acceptedChange(world, { car, touched, values }, sinceMs);
      if (accepted !== undefined) accepted.acknowledgedMs = this.#nowMs();
      else checkDeclared(by, world, { car, touched, values }, sinceMs);
    });
  }

  /** A client opens a stream. */
  stream(by: string, number: number): { framed(shown: Shown): void } {
    let last = -1;
    let lastMs = this.#nowMs();
    return {
      framed: ({ tick }) => {
        this.counts.frames++;
        this.#trace.note('streamed', by, worldIdOf(number), tick);
        const [before, beforeMs] = [last, lastMs];
        last = tick;
        lastMs = this.#nowMs();
        const what = () => `a stream of ${by} shows world ${worldIdOf(number)} at tick ${tick}`;
        this.#check(() => {
          if (tick <= before) throw new Violation('I3', `${what()} after ${before}`);
          // Where it begins is in its first message.
          if (!this.#isPlanned || before < 0) return;
          // Where it starts over the world leaves frames out.
          if (this.ledger.world(number)?.hasStartedOver(before, tick)) return;
          if (tick !== before + FRAME_TICKS) throw new Violation('I7', `${what()} after ${before}`);
          const stillMs = lastMs - beforeMs;
          if (stillMs <= STILL_MS_MAX) return;
          throw new Violation('I13', `${what()} ${Math.round(stillMs)} ms after the last frame`);
        });
      },
    };
  }

  /** A client has got an answer. */
  answeredWith(request: string, status: number, text: string): void {
    if (!this.#isPlanned || status < 500) return;
    this.#failed(new Violation('I8', `${request} was answered with ${status}: ${text}`));
  }

  /** A call for the world was answered, or a stream of it has ended. */
  used(number: number): void {
    this.#shownOf(number).usedMs = this.#useMs;
  }

  /**
   * Who shows a world after the store was lost has no partition any more once it is back: that the world was
   * used is lost as well.
   */
  get #useMs(): number {
    const nowMs = this.#nowMs();
    return nowMs < this.#unstoredUntilMs ? Number.NEGATIVE_INFINITY : nowMs;
  }
}

/** A grant is named after its process. */
function processIn(grant: string): string {
  return grant.slice(0, grant.lastIndexOf('-'));
}

function acceptedChange(
  world: LedgerWorld,
  { car, touched, values }: Omit<Change, 'tick'>,
  sinceMs: number,
): LedgerChange | undefined {
  for (const each of world.since(sinceMs)) {
    if (each.car === car && each.touched === touched && each.values === values) return each;
  }
  return undefined;
}

/** A change that changes nothing is acknowledged without being stored. */
function checkDeclared(
  by: Publisher,
  world: LedgerWorld,
  change: Omit<Change, 'tick'>,
  sinceMs: number,
): void {
  if (world.wasDeclared(change, sinceMs)) return;
  const what = `a change of world ${worldIdOf(world.number)}, car ${change.car}, by ${by.name}`;
  throw new Violation('I4', `${what} was acknowledged, and the store does not have it`);
}
