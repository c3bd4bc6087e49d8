import type { Platform } from '../../../../../client/src/platform.ts';
import type { StopTimer } from '../../../../../src/time.ts';
import type { Incident } from '../../api/types.ts';

/** How often the open reports are looked at, ms. */
const ROUND_MS = 500;
/** So many of the newest incidents are explained before anybody asks. */
const EXPLAINED_MAX = 20;

/** See LocalWorld. */
interface ReportedWorld {
  explain(id: string): Promise<Incident>;
  incident(id: string): Incident | undefined;
}

/**
 * Keeps the reports of a world's incidents current: contacts may join one for some seconds, and once it is over
 * it is explained, the newest first and one at a time.
 */
export class Reports {
  readonly #platform: Platform;
  readonly #world: () => ReportedWorld | undefined;
  readonly #told: (incidents: readonly Incident[]) => void;
  /** Not explained yet, oldest first: what the page knows of them, by id. */
  #open = new Map<string, string>();
  #stopTimer: StopTimer = () => {};

  constructor(
    platform: Platform,
    world: () => ReportedWorld | undefined,
    told: (incidents: readonly Incident[]) => void,
  ) {
    this.#platform = platform;
    this.#world = world;
    this.#told = told;
  }

  /** The page knows these reports now, and no others. */
  restart(incidents: readonly Incident[]): void {
    this.#open = new Map();
    for (const incident of incidents.slice(-EXPLAINED_MAX)) this.add(incident);
  }

  /** The page knows this report now. */
  add(incident: Incident): void {
    if (incident.explained) return;
    if (this.#open.size === 0) this.#nextRound();
    this.#open.set(incident.id, JSON.stringify(incident));
    const [oldest] = this.#open.keys();
    if (this.#open.size > EXPLAINED_MAX && oldest !== undefined) this.#open.delete(oldest);
  }

  #nextRound(): void {
    this.#stopTimer();
    this.#stopTimer = this.#platform.after(ROUND_MS, () => void this.#round());
  }

  async #round(): Promise<void> {
    const open = this.#open;
    for (const id of [...open.keys()].toReversed()) {
      const { report, isFinal } = await this.#look(id);
      if (open !== this.#open) return;
      this.#take(id, report, isFinal);
    }
    if (open.size > 0) this.#nextRound();
  }

  #take(id: string, report: Incident | undefined, isFinal: boolean): void {
    const known = this.#open.get(id);
    const content = report && JSON.stringify(report);
    if (content === undefined || isFinal) this.#open.delete(id);
    else this.#open.set(id, content);
    if (report !== undefined && content !== known) this.#told([report]);
  }

  /** The report is undefined if a change that came late has undone the incident. */
  async #look(id: string): Promise<{ report: Incident | undefined; isFinal: boolean }> {
    const world = this.#world();
    try {
      return { report: await world?.explain(id), isFinal: true };
    } catch (error) {
      // It is not over yet, or too little is known of what was before. Anything else would happen again.
      return { report: world?.incident(id), isFinal: !(error instanceof RangeError) };
    }
  }
}
