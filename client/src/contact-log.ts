import { nearestRoad } from '../../src/city/place.ts';
import {
  COMPARED_END_TICKS,
  type ContactRecord,
  groupByIncident,
  INCIDENT_END_TICKS,
  settled,
  settledChain,
} from '../../src/twin/contact-records.ts';
import { type Explanation, failuresOf } from '../../src/twin/explanation.ts';
import { type ContactFacts, type IncidentContacts, incidentOf } from '../../src/twin/incidents.ts';
import type { FleetEntry, Incident } from '../../src/twin/wire.ts';
import type { CityModel } from './city-model.ts';

/** Records that are kept, about. */
const RECORDS_MAX = 20_000;

/** The first contact of an incident. */
export interface IncidentPlace {
  tick: number;
  order: number;
}

/** What the reports of a world name. */
export interface ReportContext {
  readonly id: string;
  readonly fleet: readonly FleetEntry[];
  readonly model: Pick<CityModel, 'hazards' | 'streets'>;
}

interface KnownExplanation {
  explanation: Explanation;
  /** It depends on nothing that comes later. */
  endTick: number;
}

/** The contacts of a world's life, the incidents that they make, and what explains these. */
export class ContactLog {
  /** Goes up when some of what is known has turned out otherwise. */
  version = 0;
  #records: ContactRecord[];
  readonly #explanations: Map<string, KnownExplanation>;

  constructor(
    records: readonly ContactRecord[] = [],
    explanations: Iterable<readonly [string, KnownExplanation]> = [],
  ) {
    this.#records = [...records];
    this.#explanations = new Map(explanations);
  }

  add(records: readonly ContactRecord[]): void {
    this.#records.push(...records);
    if (this.#records.length <= 2 * RECORDS_MAX) return;
    // Whole incidents go: a report must not begin in the middle of one.
    const firstTick = this.#records.at(-RECORDS_MAX)?.chainTick ?? 0;
    this.#records = this.#records.filter(({ chainTick }) => chainTick > firstTick);
  }

  /** The world is lived anew after a tick. */
  dropAfter(tick: number): void {
    this.version++;
    this.#records = this.#records.filter((record) => record.tick <= tick);
    for (const [key, { endTick }] of this.#explanations) {
      if (endTick > tick) this.#explanations.delete(key);
    }
  }

  /** Adds those of an earlier past, which ends where this one begins. */
  prepend(earlier: ContactLog): void {
    this.version++;
    this.#records = [...earlier.#records, ...this.#records];
    for (const [key, known] of earlier.#explanations) this.#explanations.set(key, known);
  }

  copy(): ContactLog {
    return new ContactLog(this.#records, this.#explanations);
  }

  contacts(): ContactFacts[] {
    return settled(this.#records);
  }

  /** In order of their first contact. */
  chains(): IncidentContacts[] {
    return groupByIncident(this.#records);
  }

  /** The incidents that begin after one tick and up to another. */
  chainsBetween(afterTick: number, untilTick: number): IncidentContacts[] {
    const isWanted = ({ chainTick }: ContactRecord) =>
      chainTick > afterTick && chainTick <= untilTick;
    const last = this.#records.at(-1)?.tick ?? Number.NEGATIVE_INFINITY;
    return last > afterTick ? groupByIncident(this.#records.filter(isWanted)) : [];
  }

  chainAt({ tick, order }: IncidentPlace): IncidentContacts | undefined {
    const own = this.#records.filter(
      ({ chainTick, chainOrder }) => chainTick === tick && chainOrder === order,
    );
    const [first, ...others] = settledChain(own);
    return first && [first, ...others];
  }

  explained(chain: IncidentContacts, explanation: Explanation): void {
    this.#explanations.set(keyOf(chain[0]), { explanation, endTick: endOf(chain) });
  }

  isExplained(place: IncidentPlace): boolean {
    return this.#explanations.has(keyOf(place));
  }

  explanationOf(place: IncidentPlace): Explanation | undefined {
    return this.#explanations.get(keyOf(place))?.explanation;
  }

  report(chain: IncidentContacts, { id, fleet, model }: ReportContext): Incident {
    const { hazards, streets } = model;
    const [first] = chain;
    const { id: road, name: street } = nearestRoad(streets, first.x, first.y);
    const context = { worldId: id, fleet, hazards, place: { road, street } };
    const known = this.explanationOf(first);
    const failures = known && failuresOf(known, chain, { fleet, hazards });
    return incidentOf(chain, context, failures);
  }
}

/** The tick from which on nothing can join an incident, and all that its re-runs need has happened. */
export function endOf(chain: IncidentContacts): number {
  const [first] = chain;
  const last = chain.at(-1) ?? first;
  return Math.max(first.tick + COMPARED_END_TICKS, last.tick + INCIDENT_END_TICKS);
}

function keyOf({ tick, order }: IncidentPlace): string {
  return `${tick}-${order}`;
}
