import { CHAIN_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { ASKED_MS, EXPLAINED_AT_ONCE, SEARCH_TICKS } from '../limits.ts';
import type { SearchAnswer } from '../shard/protocol.ts';
import type { StopTimer } from '../time.ts';
import { type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { Steps, TickBudget } from '../twin-service.ts';
import { type IncidentIndex, PAGE_INCIDENTS, pageOf } from './incident-index.ts';
import type { WorldParts } from './world-parts.ts';
import { planRewind, runRewind } from './world-rewinds.ts';

/** Pause between the end of a chain and its explanation, and between two attempts. */
const MARGIN_MS = 160;
const RETRY_MS = 2000;
/** Pause until a watched world is asked again whether it can pay. */
const REFILL_MS = 10_000;

/** An incident to explain, and who pays. */
interface Funded {
  chain: IncidentContacts;
  budget: TickBudget;
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
  /** By incident: the client that asked for it last. At most EXPLAINED_AT_ONCE, newest last. */
  readonly #asked = new Map<string, TickBudget>();
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

  /** Whether an incident stays unexplained, because its re-run has failed. */
  isGivenUp(id: string): boolean {
    return this.#givenUp.has(id);
  }

  /** Starts a round; if one is running, another follows it. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isWorking) void this.#work();
  }

  /** Starts a round when a chain with a contact at this tick is over, if the world is watched. */
  wakeAfter(tick: number): void {
    if (this.#stopTimer !== undefined) return;
    const ticks = Math.max(0, tick + CHAIN_TICKS - this.#parts.ticks.now());
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
   * @param budget pays for the newest of them if the world cannot; undefined: nobody else does
   */
  ask(ids: readonly string[], budget: TickBudget | undefined): void {
    for (const id of budget === undefined ? [] : ids.slice(-EXPLAINED_AT_ONCE)) {
      this.#asked.delete(id);
      this.#asked.set(id, budget as TickBudget);
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
    return this.#parts.world.watcherCount > 0;
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
    const budgets = [this.#budget, ...this.#asked.values()];
    if (!budgets.some((budget) => budget.affords(SEARCH_TICKS))) return this.#waitForRefill();
    const open = (await this.#open()).filter((chain) => !this.#rewinding.has(idOf(chain)));
    const newest = this.#funded(open);
    if (newest.length === 0) return open.length === 0 ? undefined : this.#waitForRefill();
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

  /** The newest of these chains that the world or a client pays for. */
  #funded(open: readonly IncidentContacts[]): Funded[] {
    const taken = new Map<TickBudget, number>();
    const ticksOf = (budget: TickBudget) => (taken.get(budget) ?? 0) + SEARCH_TICKS;
    const funded: Funded[] = [];
    for (const chain of open) {
      if (funded.length === EXPLAINED_AT_ONCE) break;
      const payers = [this.#budget, this.#asked.get(idOf(chain))];
      const budget = payers.find((each) => each?.affords(ticksOf(each)));
      if (budget === undefined) continue;
      taken.set(budget, ticksOf(budget));
      funded.push({ chain, budget });
    }
    return funded;
  }

  /** The chains that are over and unexplained, newest first. */
  async #open(): Promise<IncidentContacts[]> {
    const { reports, ticks, shared } = this.#parts;
    const untilTick = ticks.stepped;
    await reports.stored();
    const steps = this.#openPages(untilTick);
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value;
      await new Promise<void>((resolve) => void shared.time.immediate(resolve));
    }
  }

  /** `untilTick`: all contacts before it are stored. */
  async *#openPages(untilTick: number): Steps<IncidentContacts[]> {
    const { reports } = this.#parts;
    yield* this.#index.complete(() => reports.storedContacts);
    const open: IncidentContacts[] = [];
    const unfinished: IncidentContacts[] = [];
    for (let last = this.#index.count - 1; last >= 0; ) {
      const page = pageOf(last);
      const first = page * PAGE_INCIDENTS;
      if (!this.#settled.has(page)) {
        const unexplained = yield* this.#unexplained(first, last);
        const isWhole = last - first + 1 === PAGE_INCIDENTS;
        if (isWhole && unexplained.length === 0) this.#settled.add(page);
        const { over = [], under = [] } = Object.groupBy(unexplained, (chain) =>
          endOf(chain) <= untilTick ? 'over' : 'under',
        );
        open.push(...over.reverse());
        unfinished.push(...under);
        yield '';
      }
      last = first - 1;
    }
    if (this.#isWatched && unfinished.length > 0) {
      this.wakeAfter(Math.min(...unfinished.map((chain) => chain.at(-1)?.tick ?? 0)));
    }
    return open;
  }

  async *#unexplained(first: number, last: number): Steps<IncidentContacts[]> {
    const { world, record, shared } = this.#parts;
    const chains = yield* this.#index.chains(first, last);
    const [begin, end] = [chains[0]?.[0].tick, chains.at(-1)?.[0].tick];
    const explained = await shared.records.explanations(world.number, begin, end);
    // Collisions of an earlier kernel cannot be re-run.
    return chains.filter(
      (chain) =>
        chain[0].tick > record.from.tick &&
        !explained.has(idOf(chain)) &&
        !this.#givenUp.has(idOf(chain)),
    );
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
        const [{ tick, order: first }] = order.chain;
        const place = { tick, order: first };
        const { explanation } = answer;
        this.#asked.delete(idOf(order.chain));
        this.#parts.reports.explained({ ...place, explanation }, () =>
          this.#index.explained(place),
        );
      }
    };
    await Promise.all(orders.map(search));
    return rest;
  }

  /** Pays what is expected before the search, and the difference to what it took after it. */
  async #paidSearch({ chain, budget }: Funded, background: boolean): Promise<SearchAnswer> {
    const { world, shared } = this.#parts;
    const { cityIndex, shard } = shared;
    budget.spend(SEARCH_TICKS);
    let stepped = 0;
    try {
      const answer = await shard.search({ world: world.number, cityIndex, chain, background });
      stepped = answer.ticks;
      return answer;
    } finally {
      budget.spend(stepped - SEARCH_TICKS);
    }
  }

  /** Rewinds the world and explains some incidents. Newer ones do not wait. Never rejects. */
  async #explainRewound(orders: readonly Funded[]): Promise<void> {
    this.#rewinding = new Set(orders.map(({ chain }) => idOf(chain)));
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
    const rewound = orders.filter(({ chain }) => rewind.chains.includes(chain));
    for (const { budget } of rewound) budget.spend(rewind.ticks / rewound.length);
    const failed = await runRewind(this.#parts, rewind, true).then(
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
    for (const { chain } of failedOrders) {
      this.#givenUp.add(idOf(chain));
      this.#index.mark(chain[0], false);
    }
    this.#warn('incidents stay unexplained: their re-run failed', new Error(first.message));
  }
}

function idOf([{ tick, order }]: IncidentContacts): string {
  return incidentId(tick, order);
}

/** No contact at this tick or later can join the chain. */
function endOf(chain: IncidentContacts): number {
  return (chain.at(-1)?.tick ?? 0) + CHAIN_TICKS;
}
