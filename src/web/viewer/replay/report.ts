/** A collision report in sentences. */
import type { Failure, Incident, IncidentOther, IncidentVehicle } from '../api/types.ts';
import {
  capitalised,
  carName,
  formatClock,
  formatInteger,
  inSentence,
  joinWords,
  kmh,
  sentence,
} from '../formatting.ts';

/** A one-line summary. */
export function headline({ vehicles, other, kind }: Incident): string {
  const [first, second] = vehicles;
  const name = first?.model ?? 'A vehicle';
  const opponent = second?.model ?? withArticle(other[0]?.kind ?? kind);
  return `${name} and ${opponent}`;
}

/** The course of the collision in a sentence. */
export function story(incident: Incident): string {
  const striking = incident.vehicles.find(({ role }) => role === 'striking');
  const struck = incident.vehicles.filter((vehicle) => vehicle !== striking);
  const where = incident.place.street === '' ? '' : ` on ${incident.place.street}`;
  const what = [...struck.map(carName), ...others(incident.other)];
  if (striking === undefined)
    return `At ${formatClock(incident.time)}, ${joinWords(what)} collided${where}.`;
  const speed = striking.speed < 0.5 ? 'at a crawl' : `at ${kmh(striking.speed)}`;
  return `At ${formatClock(incident.time)}, ${carName(striking)} hit ${joinWords(what)}${where}, ${speed}.`;
}

const PLURALS: Readonly<Record<string, string>> = { child: 'children', lorry: 'lorries' };

/** “a child”, “two obstacles”. */
function others(all: readonly IncidentOther[]): string[] {
  const byKind = Map.groupBy(all, ({ kind }) => kind);
  return [...byKind].map(([kind, { length }]) =>
    length === 1
      ? withArticle(kind)
      : `${length === 2 ? 'two' : length} ${PLURALS[kind] ?? `${inSentence(kind)}s`}`,
  );
}

/** The features of a car that were off or degraded; empty where there were none. */
export function shortcomings({ off, degraded }: IncidentVehicle): string {
  if (off.length === 0) return '';
  const names = joinWords(off.map(inSentence));
  const was = `${capitalised(names)} switched off`;
  return degraded.length === 0
    ? `${was}.`
    : `${was}; without that, ${joinWords(degraded.map(inSentence))} did not work.`;
}

const WHERE = { front: 'in front', side: 'on the side', rear: 'in the rear' };

/** What the collision did to a car: “Drove at 42 km/h and was hit in front: …”. */
export function impactOnCar(vehicle: IncidentVehicle): string {
  const { speed, delta_v, impact_area, mass, role } = vehicle;
  const drove = speed < 0.5 ? 'Stood' : `Drove at ${kmh(speed)}`;
  const hit = role === 'striking' ? `hit with its ${impact_area}` : `was hit ${WHERE[impact_area]}`;
  return `${drove} and ${hit}. The impact changed its speed by ${kmh(delta_v)}. It weighs ${kg(mass)}.`;
}

/** What it did to somebody or something else; empty for what is fixed to the ground. */
export function impactOnOther({ mass, delta_v, impact_area, impact_speed }: IncidentOther): string {
  if (mass === null) return '';
  const where = impact_area === null ? '' : ` ${WHERE[impact_area]}`;
  const at = impact_speed === null ? '' : ` at ${kmh(impact_speed)}`;
  const hit = where === '' && at === '' ? '' : `Hit${where}${at}. `;
  return `${hit}The impact changed its speed by ${kmh(delta_v)}. It weighs ${kg(mass)}.`;
}

function kg(mass: number): string {
  return `${formatInteger(mass)} kg`;
}

/** The failures that explain the collision together; often just one. */
export interface Explanation {
  set: number;
  features: string[];
  vins: string[];
  effect: Failure['effect'];
  sentences: string[];
}

/** The explanations, those that avoid it first. */
export function explanations({ failures }: Incident): Explanation[] {
  const bySet = Map.groupBy(failures, ({ set }) => set);
  const all = [...bySet].map(([set, members]) => ({
    set,
    features: unique(members.map(({ feature }) => feature)),
    vins: unique(members.map(({ vin }) => vin)),
    effect: members[0]?.effect ?? 'mitigates',
    sentences: unique(members.map(({ explanation }) => sentence(explanation))),
  }));
  return all.toSorted(
    (a, b) => Number(a.effect === 'mitigates') - Number(b.effect === 'mitigates'),
  );
}

/** The plates of the cars whose features an explanation is about; empty where there is one car. */
export function whose({ vins }: Explanation, { vehicles }: Incident): string {
  if (vehicles.length < 2) return '';
  const plates = vehicles.filter(({ vin }) => vins.includes(vin)).map(({ plate }) => plate);
  return `of ${joinWords(plates)}`;
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}

function withArticle(kind: string): string {
  const name = inSentence(kind);
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
