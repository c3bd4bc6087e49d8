import { CHAIN_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { EXPLAINED_AT_ONCE } from '../limits.ts';
import type { StopTimer } from '../time.ts';
import { groupByIncident, type IncidentContacts, incidentId } from '../twin/incidents.ts';
import type { WorldParts } from './world-parts.ts';
import { planRewind, runRewind } from './world-rewinds.ts';

/** A chain is examined so long after its end, and again after so long. */
const MARGIN_MS = 160;
const RETRY_MS = 2000;

/** What became of the searches for some incidents, but for those that are explained. */
interface Unexplained {
  /** The rewind cache had no state before the collision. */
  missing: IncidentContacts[];
  failed: { chain: IncidentContacts; message: string }[];
}

/**
 * Has the incidents of a world explained, newest first: those of a watched world as soon as they are
 * over, others once a client has asked for reports. The work to do is read from the store: incidents
 * without an explanation. So nothing is lost if the store, the shard or the process fails.
 */
export class Explanations {
  readonly #parts: WorldParts;
  /** Incidents that cannot be run again as they were recorded. */
  readonly #givenUp = new Set<string>();
  /** Incidents for which the world is being run again; newer ones need not wait for them. */
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

  /** There may be incidents to explain. */
  wake(): void {
    this.#isWoken = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** A contact at this tick: wakes after the end of its chain, if the world is still watched. */
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
    // Only wakes for a watched world; for others the next client that asks does.
    this.#wakeIn(RETRY_MS);
  }

  #warn(message: string, err: unknown): void {
    this.#parts.shared.log.warn({ world: this.#parts.world.id, err }, message);
  }

  async #explainNewest(): Promise<void> {
    const open = (await this.#open()).filter((chain) => !this.#rewinding.has(idOf(chain)));
    const newest = open.slice(0, EXPLAINED_AT_ONCE);
    if (newest.length === 0) return;
    // The cache has no states of unwatched worlds.
    const { missing, failed } = this.#isWatched
      ? await this.#search(newest, false)
      : { missing: newest, failed: [] };
    const rest = [...missing, ...failed.map(({ chain }) => chain)];
    if (rest.length > 0 && this.#rewinding.size === 0) void this.#explainRewound(rest);
    if (rest.length === newest.length) return;
    this.#isWoken = true;
    // The next round must find in the store what this one has explained.
    await this.#parts.reports.written();
  }

  /** Chains that are over and not explained, newest first. */
  async #open(): Promise<IncidentContacts[]> {
    const { world, record, reports, ticks, shared } = this.#parts;
    await reports.stored();
    const contacts = await shared.records.incidents(world.number);
    if (contacts.length === 0) return [];
    const explained = await shared.records.explanations(world.number);
    // Incidents under another kernel cannot be run again.
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

  /** Searches from the states in the rewind cache. Each explanation goes to the store when it is found. */
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

  /** Runs the world again for some incidents, while newer ones are explained. Never rejects. */
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

  /** Those that fail from the stored image are tried once more from the beginning, then given up. */
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
    this.#warn('incidents cannot be run again as they were recorded', new Error(first.message));
  }
}

function idOf([{ tick, order }]: IncidentContacts): string {
  return incidentId(tick, order);
}

/** The tick from which on no contact can join a chain. */
function endOf(chain: IncidentContacts): number {
  return (chain.at(-1)?.tick ?? 0) + CHAIN_TICKS;
}
