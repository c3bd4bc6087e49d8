import { TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { ASKED_MS, EXPLAINED_AT_ONCE, SEARCH_TICKS } from '../limits.ts';
import type { SearchAnswer } from '../shard/protocol.ts';
import type { StopTimer } from '../time.ts';
import { COMPARED_END_TICKS, INCIDENT_END_TICKS } from '../twin/contact-records.ts';
import type { Explanation } from '../twin/explanation.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Asker, Steps, TickBudget } from '../twin-service.ts';
import { type IncidentIndex, PAGE_INCIDENTS, type Place, pageOf } from './incident-index.ts';
import type { StoredIncident } from './records.ts';
import type { WorldParts } from './world-parts.ts';
import { planRewind, runRewind } from './world-rewinds.ts';

/** Pause between the tick at which a chain is over and its explanation, and between two attempts. */
const MARGIN_MS = 160;
const RETRY_MS = 2000;
/** Pause until a watched world is asked again whether it can pay. */
const REFILL_MS = 10_000;

/** An incident that somebody has asked for. */
interface Asked {
  place: Place;
  asker: Asker;
}

/** An incident to explain, and who pays. */
interface Funded {
  chain: IncidentContacts;
  budget: TickBudget;
  /** On whose behalf; who pays, unless the world does. */
  client: string;
}

/** The incidents of a round of searches. */
interface Choice {
  funded: Funded[];
  /** Whether nobody pays for some that are unexplained. */
  isAnyUnpaid: boolean;
}

/** The incidents that a round of searches left unexplained. */
interface Unexplained {
  /** The rewind cache has no state from before these collisions. */
  missing: Funded[];
  failed: { order: Funded; message: string }[];
}

/**
 * Schedules the explanation of a world's incidents, newest first. If the world is watched, an
 * incident is explained as soon as it is over; otherwise when a client asks for reports. The world
 * pays from a budget of its own. When that is empty, clients pay for what they ask for, and the rest
 * waits. What nobody wants any more is stopped. Each round reads the unexplained incidents from the
 * store, so no incident is lost if the store, the shard or the process fails.
 */
export class Explanations {
  readonly #parts: WorldParts;
  readonly #index: IncidentIndex;
  /** Pages of the index in which nothing is left to explain. */
  readonly #settled = new Set<number>();
  readonly #budget: TickBudget;
  /** Incidents whose re-run fails. They stay unexplained. */
  readonly #givenUp = new Set<string>();
  /** Incidents that wait for a rewind of the world. Newer incidents do not wait for it. */
  #rewinding: ReadonlySet<string> = new Set();
  /** By incident, the newest last; at most EXPLAINED_AT_ONCE. */
  readonly #asked = new Map<string, Asked>();
  #stopAsked: StopTimer | undefined;
  #isWorking = false;
  #isWoken = false;
  #stopTimer: StopTimer | undefined;

  constructor(parts: WorldParts, index: IncidentIndex) {
    this.#parts = parts;
    this.#index = index;
    this.#budget = parts.shared.explanationBudget(parts.world.number);
  }

  get isIdle(): boolean {
    return !this.#isWorking && this.#rewinding.size === 0;
  }

  /** Whether an incident may still be explained: collisions of an earlier kernel cannot be re-run. */
  isOpen({ chain: [first], explanation }: StoredIncident): boolean {
    if (explanation !== undefined || this.#givenUp.has(idOf(first))) return false;
    return first.tick > this.#parts.record.from.tick;
  }

  /** Starts a round; if one is running, another follows it. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isWorking) void this.#work();
  }

  /** Starts a round when a chain that begins at this tick is over, if the world is watched. */
  wakeAfter(tick: number): void {
    this.#wakeAt(tick + COMPARED_END_TICKS);
  }

  /** Starts a round after a tick, unless one is due already. */
  #wakeAt(tick: number): void {
    if (this.#stopTimer !== undefined) return;
    const ticks = Math.max(0, tick - this.#parts.ticks.now());
    this.#wakeIn(ticks * TICK_MS + MARGIN_MS);
  }

  #wakeIn(ms: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#parts.shared.time.after(ms, () => {
      this.#stopTimer = undefined;
      if (this.#isWatched) this.wake();
    });
  }

  /**
   * A client has asked for these incidents, in order of tick, which are not explained.
   * @param asker pays for the newest of them if the world cannot; undefined: nobody else does
   */
  ask(places: readonly Place[], asker: Asker | undefined): void {
    for (const place of places.slice(-EXPLAINED_AT_ONCE)) {
      const id = idOf(place);
      const known = this.#asked.get(id);
      // A client that cannot pay must not take the place of one that can.
      const payer = known?.asker.spares(SEARCH_TICKS) ? known.asker : asker;
      this.#asked.delete(id);
      if (payer !== undefined) this.#asked.set(id, { place, asker: payer });
    }
    for (const id of [...this.#asked.keys()].slice(0, -EXPLAINED_AT_ONCE)) this.#asked.delete(id);
    this.#stopAsked?.();
    this.#stopAsked = this.#parts.shared.time.after(ASKED_MS, () => {
      this.#stopAsked = undefined;
      this.#asked.clear();
      this.stopUnwanted();
    });
    this.wake();
  }

  /** Stops what is under way if nobody wants it: the world is gone, or unwatched and not asked about. */
  stopUnwanted(): void {
    if (this.#isWanted || this.isIdle) return;
    void this.#parts.shared.shard.stopSearches(this.#parts.world.number);
  }

  get #isWatched(): boolean {
    return this.#parts.demand.frameWatcherCount > 0;
  }

  get #isWanted(): boolean {
    if (this.#parts.residency.isRetired) return false;
    return this.#isWatched || this.#stopAsked !== undefined;
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      while (this.#isWoken && this.#isWanted) {
        this.#isWoken = false;
        await this.#explainNewest();
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isWorking = false;
    }
  }

  #failed(error: unknown): void {
    if (!(error instanceof TwinError)) this.#warn('incidents could not be explained', error);
    // This retries for a watched world only. For others the next request of a client does.
    this.#wakeIn(RETRY_MS);
  }

  #warn(message: string, err: unknown): void {
    this.#parts.shared.log.warn({ world: this.#parts.world.id, err }, message);
  }

  async #explainNewest(): Promise<void> {
    // A round follows each rewind. Until then there is nothing to search from.
    if (!this.#isWatched && this.#rewinding.size > 0) return;
    if (!this.#isPaidByWorld([]) && this.#payable().length === 0) return this.#waitForRefill();
    const { funded: newest, isAnyUnpaid } = await this.#choose();
    if (!this.#isWanted) return;
    if (newest.length === 0) return isAnyUnpaid ? this.#waitForRefill() : undefined;
    // The cache has no states of unwatched worlds: they need a rewind.
    const { missing, failed } = this.#isWatched
      ? await this.#search(newest, false)
      : { missing: newest, failed: [] };
    const rest = [...missing, ...failed.map(({ order }) => order)];
    if (rest.length > 0 && this.#rewinding.size === 0) void this.#explainRewound(rest);
    if (rest.length === newest.length) return;
    this.#isWoken = true;
    // The next round reads the store: it must find the explanations of this round.
    await this.#parts.reports.written();
  }

  #waitForRefill(): void {
    if (this.#stopTimer === undefined) this.#wakeIn(REFILL_MS);
  }

  async #choose(): Promise<Choice> {
    const { reports, ticks, shared } = this.#parts;
    const untilTick = ticks.stepped;
    await reports.stored();
    for (const steps = this.#choice(untilTick); ; ) {
      // Of all worlds one reads in a turn of the event loop.
      await shared.slices.next();
      const step = await steps.next();
      if (step.done) return step.value;
    }
  }

  /**
   * The newest incidents that are over and unexplained and that somebody pays for. Pages of which
   * nobody pays for an incident are not read.
   * @param untilTick all contacts before it are stored
   */
  async *#choice(untilTick: number): Steps<Choice> {
    yield* this.#index.complete(() => this.#parts.reports.storedContacts);
    const choice: Choice = { funded: [], isAnyUnpaid: false };
    const askedPages = new Set(this.#payable().map(({ place }) => this.#index.pageAt(place)));
    let page = pageOf(this.#index.count - 1);
    for (; page >= 0 && choice.funded.length < EXPLAINED_AT_ONCE; page--) {
      if (this.#settled.has(page)) continue;
      if (!this.#isPaidByWorld(choice.funded) && !askedPages.has(page)) {
        choice.isAnyUnpaid = true;
        continue;
      }
      this.#fund(yield* this.#over(page, untilTick), choice);
      yield '';
    }
    return choice;
  }

  /** Adds those of these incidents, newest first, that the world or a client pays for. */
  #fund(open: readonly IncidentContacts[], choice: Choice): void {
    const { funded } = choice;
    for (const chain of open) {
      if (funded.length === EXPLAINED_AT_ONCE) return;
      const asker = this.#asked.get(idOf(chain[0]))?.asker;
      if (this.#isPaidByWorld(funded)) {
        funded.push({ chain, budget: this.#budget, client: this.#clientOf(asker) });
      } else if (asker !== undefined && this.#isPaidBy(asker, funded)) {
        funded.push({ chain, budget: asker, client: asker.client });
      } else choice.isAnyUnpaid = true;
    }
  }

  #isPaidByWorld(funded: readonly Funded[]): boolean {
    const paid = funded.filter(({ budget }) => budget === this.#budget).length;
    return this.#budget.affords((paid + 1) * SEARCH_TICKS);
  }

  #isPaidBy(asker: Asker, funded: readonly Funded[]): boolean {
    const paid = funded.filter(
      ({ budget, client }) => budget !== this.#budget && client === asker.client,
    ).length;
    return asker.spares((paid + 1) * SEARCH_TICKS);
  }

  /** What clients have asked for that can pay. */
  #payable(): Asked[] {
    return [...this.#asked.values()].filter(({ asker }) => asker.spares(SEARCH_TICKS));
  }

  /** On whose behalf the world pays. */
  #clientOf(asker: Asker | undefined): string {
    const { demand, world } = this.#parts;
    const anyAsker = asker ?? this.#asked.values().next().value?.asker;
    return demand.firstClient ?? anyAsker?.client ?? world.id;
  }

  /** The incidents of a page that are over and unexplained, and wait for no rewind; newest first. */
  async *#over(page: number, untilTick: number): Steps<IncidentContacts[]> {
    const numbers = this.#index.numbersOn(page);
    const stored = yield* this.#index.stored(numbers);
    const open = stored.filter((incident) => this.isOpen(incident)).map(({ chain }) => chain);
    if (numbers.length === PAGE_INCIDENTS && open.length === 0) this.#settled.add(page);
    const { over = [], under = [] } = Object.groupBy(open, (chain) =>
      endOf(chain) <= untilTick ? 'over' : 'under',
    );
    if (this.#isWatched && under.length > 0) {
      this.#wakeAt(Math.min(...under.map(endOf)));
    }
    return over.filter(([contact]) => !this.#rewinding.has(idOf(contact))).reverse();
  }

  // ── searching ───────────────────────────────────────────────────────────────────────────────

  /**
   * Searches from the states in the rewind cache, and stores each explanation that is found. What a
   * client pays for runs in the background.
   */
  async #search(orders: readonly Funded[], background: boolean): Promise<Unexplained> {
    const rest: Unexplained = { missing: [], failed: [] };
    const search = async (order: Funded): Promise<void> => {
      const answer = await this.#paidSearch(order, background || order.budget !== this.#budget);
      if (answer.outcome === 'missing') rest.missing.push(order);
      else if (answer.outcome === 'failed') rest.failed.push({ order, message: answer.message });
      else if (answer.outcome === 'explained' && !this.#parts.residency.isRetired) {
        this.#explained(order.chain[0], answer.explanation);
      }
    };
    await Promise.all(orders.map(search));
    return rest;
  }

  #explained({ tick, order }: Place, explanation: Explanation): void {
    this.#asked.delete(idOf({ tick, order }));
    const stored = () => this.#index.explained({ tick, order });
    this.#parts.reports.explained({ tick, order, explanation }, stored);
  }

  /** Pays what is expected before the search, and the difference to what it took after it. */
  async #paidSearch({ chain, budget, client }: Funded, background: boolean): Promise<SearchAnswer> {
    const { world, shared } = this.#parts;
    const { cityIndex, shard } = shared;
    budget.spend(SEARCH_TICKS);
    let stepped = 0;
    try {
      const task = { client, world: world.number, cityIndex, chain, background };
      const answer = await shard.search(task);
      stepped = answer.ticks;
      return answer;
    } finally {
      budget.spend(stepped - SEARCH_TICKS);
    }
  }

  /** Rewinds the world and explains some incidents. Newer ones do not wait. Never rejects. */
  async #explainRewound(orders: readonly Funded[]): Promise<void> {
    this.#rewinding = new Set(orders.map(({ chain: [first] }) => idOf(first)));
    try {
      await this.#rewindAndSearch(orders, true);
      await this.#parts.reports.written();
      this.#rewinding = new Set();
      this.wake();
    } catch (error) {
      this.#rewinding = new Set();
      this.#failed(error);
    }
  }

  /** If a re-run from the stored image fails, tries once more from the beginning of the world. */
  async #rewindAndSearch(orders: readonly Funded[], trustImage: boolean): Promise<void> {
    const chains = orders.map(({ chain }) => chain);
    const rewind = await planRewind(this.#parts, chains, trustImage);
    if (!this.#isWanted) return;
    const rewound = orders.filter(({ chain }) => rewind.chains.includes(chain));
    for (const { budget } of rewound) budget.spend(rewind.ticks / rewound.length);
    const client = orders[0]?.client ?? '';
    // Their chains are over: no later change belongs to them.
    const order = { client, completeTick: Number.POSITIVE_INFINITY, background: true };
    const failed = await runRewind(this.#parts, rewind, order).then(
      async () => (this.#isWanted ? (await this.#search(rewound, true)).failed : []),
      (error: unknown) => {
        if (error instanceof TwinError) throw error;
        const message = error instanceof Error ? error.message : String(error);
        return rewound.map((order) => ({ order, message }));
      },
    );
    const [first] = failed;
    if (first === undefined) return;
    const failedOrders = failed.map(({ order }) => order);
    if (rewind.past.image !== undefined) return this.#rewindAndSearch(failedOrders, false);
    for (const { chain } of failedOrders) this.#giveUp(chain[0]);
    this.#warn('incidents stay unexplained: their re-run failed', new Error(first.message));
  }

  #giveUp(place: Place): void {
    this.#givenUp.add(idOf(place));
    this.#index.mark(place, false);
  }
}

function idOf({ tick, order }: Place): string {
  return incidentId(tick, order);
}

/**
 * No contact at this tick or later can join the chain, no crash pulse of it goes on, and all changes
 * that a re-run may meet have been made: so the explanation does not depend on when it is searched.
 */
function endOf(chain: IncidentContacts): number {
  const [first, last = first] = [chain[0], chain.at(-1)];
  return Math.max(first.tick + COMPARED_END_TICKS, last.tick + INCIDENT_END_TICKS);
}
