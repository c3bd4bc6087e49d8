/** A collision report in sentences. */
import { namesOfOthers, type Spot } from '../../../twin/party-names.ts';
import type { Incident, IncidentOther, IncidentVehicle } from '../api/types.ts';
import {
  capitalised,
  carName,
  formatClock,
  formatInteger,
  inSentence,
  joinWords,
  kmh,
} from '../formatting.ts';

/** More features are counted. */
const NAMED_MAX = 3;

/** What somebody needs to know who comes here by a link. */
export function introduction({ vehicles }: Incident): string {
  const without = vehicles.filter(({ off }) => off.length > 0);
  const [first, ...more] = without;
  if (first === undefined) return 'This happened in a simulated city.';
  const off = [...new Set(without.flatMap((vehicle) => vehicle.off))];
  const what =
    off.length > NAMED_MAX ? `${off.length} features` : `the ${joinWords(off.map(inSentence))}`;
  const one = vehicles.length === 1 ? 'this car' : carName(first);
  const whose = more.length === 0 ? one : 'these cars';
  return `A simulated city: somebody switched off ${what} of ${whose} to see what would happen.`;
}

/** The course of the collision in a sentence. */
export function story(incident: Incident, spots: readonly Spot[]): string {
  const striking = incident.vehicles.find(({ role }) => role === 'striking');
  const struck = incident.vehicles.filter((vehicle) => vehicle !== striking);
  const where = incident.place.street === '' ? '' : ` on ${incident.place.street}`;
  const what = [...struck.map(carName), ...namesOfOthers(incident.other, spots)];
  if (striking === undefined)
    return `At ${formatClock(incident.time)}, ${joinWords(what)} collided${where}.`;
  const speed = striking.speed < 0.5 ? 'at a crawl' : `at ${kmh(striking.speed)}`;
  return `At ${formatClock(incident.time)}, ${carName(striking)} hit ${joinWords(what)}${where}, ${speed}.`;
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

/** What stands beside the road and was hit: its name, and a sentence on it. */
export function fixedThings(
  { other }: Incident,
  spots: readonly Spot[],
): { name: string; text: string }[] {
  const fixed = other.filter(({ mass }) => mass === null);
  return namesOfOthers(fixed, spots).map((name) => {
    const [stands, it] = /^an? /.test(name) ? ['It stands', 'it'] : ['They stand', 'them'];
    const text = `${stands} beside the road: a car that hits ${it} has left its lane.`;
    return { name: capitalised(name), text };
  });
}

/** One contact alone does not change a speed by so much more than that with which the gap closed. */
const ONE_CONTACT_MAX = 2;

/** What the collision did to a car: “Drove at 42 km/h and was hit in front: …”. */
export function impactOnCar(vehicle: IncidentVehicle, incident: Incident): string {
  const { speed, delta_v, impact_area, mass, role } = vehicle;
  const { vehicles, other, closing_speed } = incident;
  const areSeveral =
    vehicles.length + other.length > 2 || delta_v > ONE_CONTACT_MAX * closing_speed;
  const impact = areSeveral ? 'The hardest hit' : 'The impact';
  const drove = speed < 0.5 ? 'Stood' : `Drove at ${kmh(speed)}`;
  const hit = role === 'striking' ? `hit with its ${impact_area}` : `was hit ${WHERE[impact_area]}`;
  return `${drove} and ${hit}. ${impact} changed its speed by ${kmh(delta_v)}. It weighs ${kg(mass)}.`;
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
