import { CHAIN_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { EXPLAINED_AT_ONCE, LEAD_TICKS_MAX } from '../limits.ts';
import type { ExplainAnswer, ExplainTask, LivedPast } from '../shard/protocol.ts';
import type { StopTimer, Time } from '../time.ts';
import { type Chain, chainsOf, incidentId } from '../twin/incidents.ts';
import type { Records, WorldRecord } from './records.ts';
import { packedPast } from './world-past.ts';
import type { WorldReports } from './world-reports.ts';

/** A chain is looked at so long after the tick at which it is over, and again after so long. */
const MARGIN_MS = 160;
const AGAIN_MS = 2000;

export interface ExplanationHooks {
  readonly time: Time;
  readonly records: Records;
  readonly reports: WorldReports;
  readonly record: WorldRecord;
  readonly number: number;
  readonly cityIndex: number;
  /** The tick by the clock, and the one that the world is known to have lived to. */
  clockTick(): number;
  livedTick(): number;
  isWatched(): boolean;
  isDropped(): boolean;
  explain(task: ExplainTask): Promise<ExplainAnswer>;
  warn(message: string, error: unknown): void;
}

/**
 * Has the incidents of a world explained, the newest first: those of a watched world as soon as
 * they are over, others once somebody has asked for reports. What is left to do is what the store
 * has no explanation of, so nothing of it is lost when anything fails.
 */
export class Explanations {
  readonly #hooks: ExplanationHooks;
  /** Incidents that could not be lived again as they were. */
  readonly #givenUp = new Set<string>();
  /** Those that the world is lived again for just now: what happens meanwhile need not wait. */
  #far: ReadonlySet<string> = new Set();
  #working: Promise<void> | undefined;
  #again = false;
  #stopTimer: StopTimer | undefined;

  constructor(hooks: ExplanationHooks) {
    this.#hooks = hooks;
  }

  get idle(): boolean {
    return this.#working === undefined && this.#far.size === 0;
  }

  /** Something may be to be explained. */
  wake(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** A contact at this tick: it is looked at when it is over, if the world is still watched then. */
  wakeAfter(tick: number): void {
    if (this.#stopTimer !== undefined) return;
    const ticks = Math.max(0, tick + CHAIN_TICKS - this.#hooks.clockTick());
    this.#wakeIn(ticks * TICK_MS + MARGIN_MS);
  }

  #wakeIn(ms: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#hooks.time.after(ms, () => {
      this.#stopTimer = undefined;
      if (this.#hooks.isWatched()) this.wake();
    });
  }

  async #work(): Promise<void> {
    try {
      while (this.#again && !this.#hooks.isDropped()) {
        this.#again = false;
        await this.#explainNewest();
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!(error instanceof TwinError)) this.#hooks.warn('incidents are not explained', error);
    // Whoever asks for them next wakes this again; of a watched world nobody need ask.
    this.#wakeIn(AGAIN_MS);
  }

  async #explainNewest(): Promise<void> {
    const open = await this.#open();
    const newest = open.filter((chain) => !this.#far.has(idOf(chain))).slice(0, EXPLAINED_AT_ONCE);
    if (newest.length === 0) return;
    const rest = await this.#explainKept(newest);
    if (rest.length > 0 && this.#far.size === 0) void this.#beginFar(rest);
    if (rest.length === newest.length) return;
    this.#again = true;
    // What is explained now must be found so in the next round.
    await this.#hooks.reports.written();
  }

  /** Lives the world again for some, beside what is kept of others. Never rejects. */
  async #beginFar(chains: Chain[]): Promise<void> {
    this.#far = new Set(chains.map(idOf));
    try {
      await this.#explainFar(chains, true);
      await this.#hooks.reports.written();
      this.#far = new Set();
      this.wake();
    } catch (error) {
      this.#far = new Set();
      this.#failed(error);
    }
  }

  /** Chains that are over and not explained, the newest first. */
  async #open(): Promise<Chain[]> {
    const { records, reports, number, record, isWatched } = this.#hooks;
    await reports.stored();
    const contacts = await records.incidents(number);
    if (contacts.length === 0) return [];
    const explained = await records.explanations(number);
    // What another kernel lived cannot be lived again.
    const unexplained = chainsOf(contacts).filter(
      (chain) => !explained.has(idOf(chain)) && chain[0].tick > record.from.tick,
    );
    const lived = this.#hooks.livedTick();
    const unfinished = unexplained.filter((chain) => endOf(chain) > lived);
    if (isWatched() && unfinished.length > 0) {
      this.wakeAfter(Math.min(...unfinished.map((chain) => chain.at(-1)?.tick ?? 0)));
    }
    return unexplained
      .filter((chain) => endOf(chain) <= lived && !this.#givenUp.has(idOf(chain)))
      .reverse();
  }

  /** Explains what the shard has kept of a watched world; returns what it has not. */
  async #explainKept(chains: Chain[]): Promise<Chain[]> {
    const { number, cityIndex, isWatched, explain } = this.#hooks;
    if (!isWatched()) return chains;
    const answer = await explain({ world: number, cityIndex, chains, past: undefined });
    const left = new Set([...answer.missing, ...answer.failed.map(({ position }) => position)]);
    return chains.filter((_, position) => left.has(position));
  }

  /** Explains from the store's image what lies behind that, else all of it from the beginning. */
  async #explainFar(chains: Chain[], trustImage: boolean): Promise<void> {
    const { records, number, record, cityIndex } = this.#hooks;
    const newest = Math.max(...chains.map(([{ tick }]) => tick));
    const past = await packedPast(records, number, record, { cityIndex, trustImage, newest });
    const { image } = past;
    const some =
      image === undefined ? chains : chains.filter((chain) => isBehind(chain, image.tick));
    const answer = await this.#tryFar(some, past);
    const failed = answer.failed.map(({ position }) => some[position]).filter(isThere);
    if (failed.length > 0 && image !== undefined) {
      await this.#explainFar(failed, false);
      return;
    }
    for (const chain of failed) this.#givenUp.add(idOf(chain));
    const [first] = answer.failed;
    if (first) this.#hooks.warn('incidents cannot be lived again', new Error(first.message));
  }

  /** A world that cannot be lived up to its collisions fails with all of them. */
  async #tryFar(chains: Chain[], past: LivedPast): Promise<ExplainAnswer> {
    const { number, cityIndex, explain } = this.#hooks;
    try {
      return await explain({ world: number, cityIndex, chains, past });
    } catch (error) {
      if (error instanceof TwinError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return { missing: [], failed: chains.map((_, position) => ({ position, message })) };
    }
  }
}

function idOf([{ tick, order }]: Chain): string {
  return incidentId(tick, order);
}

/** The tick from which on no contact can join a chain. */
function endOf(chain: Chain): number {
  return (chain.at(-1)?.tick ?? 0) + CHAIN_TICKS;
}

function isBehind([{ tick }]: Chain, imageTick: number): boolean {
  return imageTick <= tick - LEAD_TICKS_MAX;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
