import { CHAIN_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { EXPLAINED_AT_ONCE } from '../limits.ts';
import type { StopTimer } from '../time.ts';
import { groupByIncident, type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { WorldParts } from './world-parts.ts';
import { planRewind, runRewind } from './world-rewinds.ts';

/** Pause between the end of a chain and its explanation, and between two attempts. */
const MARGIN_MS = 160;
const RETRY_MS = 2000;

/** The incidents that a round of searches left unexplained. */
interface Unexplained {
  /** The rewind cache has no state from before these collisions. */
  missing: IncidentContacts[];
  failed: { chain: IncidentContacts; message: string }[];
}

/**
 * Schedules the explanation of a world's incidents, newest first. If the world is watched, an
 * incident is explained as soon as it is over; otherwise when a client asks for reports. Each round
 * reads the unexplained incidents from the store, so no incident is lost if the store, the shard or
 * the process fails.
 */
export class Explanations {
  readonly #parts: WorldParts;
  /** Incidents whose re-run fails. They stay unexplained. */
  readonly #givenUp = new Set<string>();
  /** Incidents that wait for a rewind of the world. Newer incidents do not wait for it. */
  #rewinding: ReadonlySet<string> = new Set();
  #working: Promise<void> | undefined;
  #isWoken = false;
  #stopTimer: StopTimer | undefined;

  constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#working === undefined && this.#rewinding.size === 0;
  }

  /** Starts a round; if one is running, another follows it. */
  wake(): void {
    this.#isWoken = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
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

  get #isWatched(): boolean {
    return this.#parts.world.watcherCount > 0;
  }

  async #work(): Promise<void> {
    try {
      while (this.#isWoken && !this.#parts.residency.isRetired) {
        this.#isWoken = false;
        await this.#explainNewest();
      }
    } catch (error) {
      this.#failed(error);
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
    const open = (await this.#open()).filter((chain) => !this.#rewinding.has(idOf(chain)));
    const newest = open.slice(0, EXPLAINED_AT_ONCE);
    if (newest.length === 0) return;
    // The cache has no states of unwatched worlds: they need a rewind.
    const { missing, failed } = this.#isWatched
      ? await this.#search(newest, false)
      : { missing: newest, failed: [] };
    const rest = [...missing, ...failed.map(({ chain }) => chain)];
    if (rest.length > 0 && this.#rewinding.size === 0) void this.#explainRewound(rest);
    if (rest.length === newest.length) return;
    this.#isWoken = true;
    // The next round reads the store: it must find the explanations of this round.
    await this.#parts.reports.written();
  }

  /** The chains that are over and unexplained, newest first. */
  async #open(): Promise<IncidentContacts[]> {
    const { world, record, reports, ticks, shared } = this.#parts;
    await reports.stored();
    const contacts = await shared.records.incidents(world.number);
    if (contacts.length === 0) return [];
    const explained = await shared.records.explanations(world.number);
    // Collisions of an earlier kernel cannot be re-run.
    const unexplained = groupByIncident(contacts).filter(
      (chain) => !explained.has(idOf(chain)) && chain[0].tick > record.from.tick,
    );
    const unfinished = unexplained.filter((chain) => endOf(chain) > ticks.stepped);
    if (this.#isWatched && unfinished.length > 0) {
      this.wakeAfter(Math.min(...unfinished.map((chain) => chain.at(-1)?.tick ?? 0)));
    }
    return unexplained
      .filter((chain) => endOf(chain) <= ticks.stepped && !this.#givenUp.has(idOf(chain)))
      .reverse();
  }

  // ── searching ───────────────────────────────────────────────────────────────────────────────

  /** Searches from the states in the rewind cache, and stores each explanation that is found. */
  async #search(chains: readonly IncidentContacts[], background: boolean): Promise<Unexplained> {
    const { world, residency, reports, shared } = this.#parts;
    const rest: Unexplained = { missing: [], failed: [] };
    const search = async (chain: IncidentContacts): Promise<void> => {
      const task = { world: world.number, cityIndex: shared.cityIndex, chain, background };
      const answer = await shared.shard.search(task);
      if (answer.outcome === 'missing') rest.missing.push(chain);
      else if (answer.outcome === 'failed') rest.failed.push({ chain, message: answer.message });
      else if (!residency.isRetired) {
        const [{ tick, order }] = chain;
        reports.explained({ tick, order, explanation: answer.explanation });
      }
    };
    await Promise.all(chains.map(search));
    return rest;
  }

  /** Rewinds the world and explains some incidents. Newer ones do not wait. Never rejects. */
  async #explainRewound(chains: readonly IncidentContacts[]): Promise<void> {
    this.#rewinding = new Set(chains.map(idOf));
    try {
      await this.#rewindAndSearch(chains, true);
      await this.#parts.reports.written();
      this.#rewinding = new Set();
      this.wake();
    } catch (error) {
      this.#rewinding = new Set();
      this.#failed(error);
    }
  }

  /** If a re-run from the stored image fails, tries once more from the beginning of the world. */
  async #rewindAndSearch(chains: readonly IncidentContacts[], trustImage: boolean): Promise<void> {
    const rewind = await planRewind(this.#parts, chains, trustImage);
    const failed = await runRewind(this.#parts, rewind, true).then(
      async () => (await this.#search(rewind.chains, true)).failed,
      (error: unknown) => {
        if (error instanceof TwinError) throw error;
        const message = error instanceof Error ? error.message : String(error);
        return rewind.chains.map((chain) => ({ chain, message }));
      },
    );
    const [first] = failed;
    if (first === undefined) return;
    const failedChains = failed.map(({ chain }) => chain);
    if (rewind.past.image !== undefined) return this.#rewindAndSearch(failedChains, false);
    for (const chain of failedChains) this.#givenUp.add(idOf(chain));
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
