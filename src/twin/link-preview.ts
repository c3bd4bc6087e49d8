import type { FeatureName } from './catalogue.ts';
import { appearanceAt } from './events.ts';
import { counted, namesOfOthers, type Spot, withArticle } from './party-names.ts';
import type { Failure, Incident } from './wire.ts';

/** What a link to an incident says of it, wherever it is shown. */
export interface LinkPreview {
  /** What happened. */
  headline: string;
  /** What would have avoided or mitigated it. */
  verdict: string;
  /** Whether that is known, and how much it would have helped. */
  outcome: Failure['effect'] | 'nothing' | 'unknown';
  /** The speed of the striking car. */
  speed: string;
  /** Where it was, and how bad. */
  facts: string;
  description: string;
  /** Of its picture. */
  alt: string;
}

/** Names that are written otherwise than in the API. */
const SHORT: Readonly<Record<string, string>> = { aeb: 'AEB', esc: 'ESC' };
const WRITTEN_NAME = /\b(?:[a-z]+(?:_[a-z]+)+|aeb|esc)\b/g;

export function previewOf(incident: Incident, spots: readonly Spot[]): LinkPreview {
  const { place, earned } = incident;
  const headline = headlineOf(incident, spots);
  const { verdict, outcome } = verdictOf(incident);
  const speed = speedOf(incident);
  const facts = [place.street, `${earned.severity} injury risk`].filter(Boolean).join(' · ');
  const why = incident.failures.find((failure) => failure === best(incident)[0])?.explanation;
  const said = why === undefined ? `${verdict}.` : capitalised(inWords(why));
  return {
    ...{ headline, verdict, outcome, speed, facts },
    description: `At ${speed} on ${place.street}. ${said}`,
    alt: `A map of the collision: ${headline}. ${verdict}.`,
  };
}

function headlineOf(incident: Incident, spots: readonly Spot[]): string {
  const { vehicles, other, kind } = incident;
  const striking = vehicles.find(({ role }) => role === 'striking') ?? vehicles[0];
  const car = withArticle(striking?.model ?? 'car');
  // What is fixed to the ground has not appeared.
  const actor = other.find(({ hazard, mass }) => hazard !== null && mass !== null);
  const appearance = appearanceAt(spots.find(({ id }) => id === actor?.hazard)?.kind);
  if (appearance !== undefined) return `${appearance} ahead of ${car}`;
  const struck = vehicles.filter((vehicle) => vehicle !== striking);
  const cars = struck.map(({ model }) =>
    model === striking?.model ? `another ${model}` : withArticle(model),
  );
  const met = struck.length > 1 ? [`${counted(struck.length)} cars`] : cars;
  const all = [...met, ...namesOfOthers(other, spots)];
  return `${capitalised(car)} ran into ${joined(all.length > 0 ? all : [withArticle(kind)])}`;
}

function verdictOf(incident: Incident): Pick<LinkPreview, 'verdict' | 'outcome'> {
  if (!incident.explained) {
    return { verdict: 'What would have saved it is being found out', outcome: 'unknown' };
  }
  const [first, ...others] = best(incident);
  if (first === undefined) {
    const isAllOn = incident.vehicles.every(({ off }) => off.length === 0);
    const verdict = isAllOn
      ? 'Every feature was switched on'
      : 'Nothing that was switched off would have saved it';
    return { verdict, outcome: 'nothing' };
  }
  const names = [...new Set([first, ...others].map(({ feature }) => inWords(feature)))];
  const done = first.effect === 'avoids' ? 'would have avoided it' : 'would have made it milder';
  return { verdict: capitalised(`${joined(names)} ${done}`), outcome: first.effect };
}

/** The features that a picture and its words are about. */
export function savedBy(incident: Incident): FeatureName[] {
  return best(incident).map(({ feature }) => feature);
}

/** The failures of the best explanation: one that avoids it if there is one, then the first. */
export function best({ failures }: Incident): Failure[] {
  const first = failures.find(({ effect }) => effect === 'avoids') ?? failures[0];
  return failures.filter(({ set }) => set === first?.set);
}

function speedOf({ vehicles }: Incident): string {
  const striking = vehicles.find(({ role }) => role === 'striking') ?? vehicles[0];
  return `${Math.round((striking?.speed ?? 0) * 3.6)} km/h`;
}

/** With the names of features as people write them. */
export const inWords = (text: string): string =>
  text.replace(WRITTEN_NAME, (name) => SHORT[name] ?? name.replaceAll('_', ' '));

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function joined(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
