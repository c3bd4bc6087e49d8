import { besideRoadAt } from './beside-road.ts';
import { effectiveMask, type FeatureName, namesOf } from './catalogue.ts';
import { type ContactFacts, type IncidentContacts, kindOf, type PartyFacts } from './incidents.ts';
import type { Failure, FleetEntry } from './wire.ts';

/** The car stops, passes, or is still approaching at the end of the re-run, at this distance. */
interface Missed {
  what: 'stopped' | 'passed' | 'approaching';
  distanceM: number;
}

/** The end of the re-run for a car, with figures of the re-run. */
export type Outcome =
  | Missed
  /** The other party is not there; distance from the place of the contact. Older stores lack it. */
  | { what: 'away'; distanceM: number | undefined }
  /** It hits again at a lower speed; or it has another contact with a lower delta-v. */
  | { what: 'hit'; speedMps: number }
  | { what: 'changed'; deltaVMps: number }
  /** The greatest delta-v of any car. */
  | { what: 'milder'; deltaVMps: number };

/** A feature that was off and would have helped, established by a re-run. */
export interface FailureFacts {
  /** Index in the fleet. */
  car: number;
  /** One bit. */
  feature: number;
  effect: 'avoids' | 'mitigates';
  /** Failures with the same number help only together. */
  set: number;
  /** Mask of the features of this car that acted in the re-run. */
  acted: number;
  /** Tick from which the feature was on in that re-run. */
  startTick: number;
  /** Index of the contact that the figures are about. */
  contact: number;
  outcome: Outcome;
}

/** The result of a counterfactual search. */
export interface Explanation {
  failures: readonly FailureFacts[];
  reruns: number;
}

interface ExplanationContext {
  fleet: readonly FleetEntry[];
  hazards: readonly { kind: string; site: { actor: { name: string } | null } }[];
}

/** Mask of the declared features of a car at its first contact. */
export function declaredIn(contacts: IncidentContacts, car: number): number {
  const parties = contacts.flatMap((contact) => contact.parties);
  return parties.find((party) => party.car === car)?.declared ?? 0;
}

/**
 * Mask of what one of the `added` features brings into effect: itself and functions that would not
 * work without it.
 */
export function providedBy(declared: number, added: number, feature: number): number {
  return effectiveMask(declared | added) & ~effectiveMask((declared | added) & ~feature);
}

function nameOf(feature: number): FeatureName {
  const [name] = namesOf(feature);
  if (name === undefined) throw new RangeError(`no feature has the mask ${feature}`);
  return name;
}

/** The failures of a report, in their wire shape. */
export function failuresOf(
  { failures }: Explanation,
  contacts: IncidentContacts,
  context: ExplanationContext,
): Failure[] {
  return failures.map((failure) => {
    const { car, feature, effect, set } = failure;
    const declared = declaredIn(contacts, car);
    const members = failures.filter((other) => other.set === set);
    const added = members
      .filter((member) => member.car === car)
      .reduce((mask, member) => mask | member.feature, 0);
    const provided = providedBy(declared, added, feature);
    return {
      vin: context.fleet[car]?.vin ?? '',
      feature: nameOf(feature),
      restores: namesOf(provided & declared),
      effect,
      set,
      explanation: sentenceOf(failure, provided, members, contacts, context),
    };
  });
}

/** Example: front_camera was off, so nothing braked for the deer; with it the car would have … */
function sentenceOf(
  failure: FailureFacts,
  provided: number,
  members: readonly FailureFacts[],
  contacts: IncidentContacts,
  context: ExplanationContext,
): string {
  const contact = contacts[failure.contact] ?? contacts[0];
  const others = members.filter((member) => member !== failure);
  const together = others.map((member) => memberName(member, failure.car, context));
  const feature = nameOf(failure.feature);
  const [was, it] = PLURALS.includes(feature) ? ['were', 'them'] : ['was', 'it'];
  const means = [it, ...together].join(', ').replace(/, ([^,]*)$/, ' and $1');
  const other = otherName(contact, failure.car, context);
  const cause = causeOf(feature, namesOf(provided & failure.acted))(other);
  const result = resultOf(failure, contact, contacts, cause.includes(other) ? undefined : other);
  return `${feature} ${was} off, so ${cause}; with ${means} ${result}.`;
}

const PLURALS: readonly FeatureName[] = ['brakes', 'corner_radars'];

function memberName({ car, feature }: FailureFacts, own: number, context: ExplanationContext) {
  const name = nameOf(feature);
  const entry = context.fleet[car];
  return car === own || entry === undefined
    ? name
    : `${name} of the ${entry.model} (plate ${entry.plate})`;
}

type Cause = (other: string) => string;

/** What a car cannot do without an actuator, whichever function would have used it. */
const ACTUATORS: Partial<Record<FeatureName, Cause>> = {
  brakes: (other) => `the car could not brake for ${other}`,
  steering: (other) => `the car could not steer clear of ${other}`,
  throttle: (other) => `the car could not drive clear of ${other}`,
};

/** What did not happen, by function. The first function that acted in the re-run counts. */
const FUNCTIONS: readonly (readonly [FeatureName, Cause])[] = [
  ['animal_detection', (other) => `nothing braked for ${other}`],
  ['aeb', (other) => `nothing braked for ${other}`],
  ['evasive_steering', (other) => `nothing steered around ${other}`],
  ['intersection_assist', (other) => `nothing kept the car out of the way of ${other}`],
  ['traffic_light_recognition', () => 'nothing stopped the car at the traffic light'],
  ['esc', () => 'nothing kept the car from skidding'],
];

function causeOf(feature: FeatureName, acted: readonly FeatureName[]): Cause {
  const [, ofFunction] = FUNCTIONS.find(([name]) => acted.includes(name)) ?? [];
  return ACTUATORS[feature] ?? ofFunction ?? ((other) => `the car did not see ${other}`);
}

/** Names the other party of a car. */
function otherName(contact: ContactFacts, car: number, { hazards }: ExplanationContext): string {
  const { hazard, block, parties } = contact;
  if (parties.every((party) => party.car >= 0)) {
    return parties.some((party) => party.car === car) ? 'the other car' : 'the cars ahead';
  }
  const spot = hazards[hazard];
  if (spot !== undefined && block >= 0) return `the ${besideRoadAt(spot.kind).name}`;
  return `the ${spot?.site.actor?.name ?? kindOf(contact)}`;
}

/** From this distance on, in m, the sentence does not say "short of" or "clear of". */
const FAR_M = 20;
/** A shorter distance would be rounded to 0.0 m. */
const SHORTEST_SHOWN_M = 0.05;

/** `unnamed`: the other party, if the sentence has not named it yet. */
function resultOf(
  { car, outcome }: FailureFacts,
  contact: ContactFacts,
  contacts: IncidentContacts,
  unnamed: string | undefined,
): string {
  switch (outcome.what) {
    case 'stopped':
    case 'passed':
    case 'approaching':
      return `the car would ${endOf(outcome, unnamed)}`;
    case 'away':
      return `the car would ${awayOf(outcome.distanceM)}not have met ${unnamed ?? 'it'}`;
    case 'hit':
      return `the car would have hit at ${kmh(outcome.speedMps)} km/h instead of ${kmh(partyOf(contact, car)?.speedMps ?? 0)} km/h`;
    case 'changed':
      return `the car would have changed speed by ${changeOf(outcome.deltaVMps, deltaVOf(contacts, car))}`;
    case 'milder':
      return `no car would have changed speed by more than ${changeOf(outcome.deltaVMps, deltaVOf(contacts))}`;
  }
}

function awayOf(distanceM: number | undefined): string {
  return distanceM === undefined ? '' : `have been ${metres(distanceM)} away by then and `;
}

function endOf({ what, distanceM }: Missed, unnamed: string | undefined): string {
  const far = metres(distanceM);
  const named = (word: string) => (unnamed === undefined ? '' : ` ${word} ${unnamed}`);
  if (what === 'approaching')
    return `still have been ${far} away${named('from')} two seconds later`;
  if (distanceM >= FAR_M) return `have come no closer than ${far} to ${unnamed ?? 'it'}`;
  if (what === 'stopped') return `have stopped ${far} short${named('of')}`;
  return `have passed ${far} clear${named('of')}`;
}

function changeOf(deltaVMps: number, wasMps: number): string {
  return `${tenths(deltaVMps * 3.6)} km/h instead of ${tenths(wasMps * 3.6)} km/h`;
}

/** The greatest delta-v of one car of the fleet, or of any. */
export function deltaVOf(contacts: readonly ContactFacts[], one?: number): number {
  const parties = contacts.flatMap((contact) => contact.parties);
  const own = parties.filter(({ car }) => (one === undefined ? car >= 0 : car === one));
  return Math.max(0, ...own.map(({ deltaVMps }) => deltaVMps));
}

export function partyOf({ parties }: ContactFacts, car: number): PartyFacts | undefined {
  return parties.find((party) => party.car === car);
}

function metres(distanceM: number): string {
  return distanceM < SHORTEST_SHOWN_M ? 'less than 0.1 m' : `${tenths(distanceM)} m`;
}

function tenths(value: number): string {
  return value.toFixed(1);
}

function kmh(speedMps: number): number {
  return Math.round(speedMps * 3.6);
}

/** The tick at which the explaining re-run switched exactly these features on, if there is one. `on`: mask. */
export function startTickOf(explanation: Explanation | undefined, on: number): number | undefined {
  const { failures = [] } = explanation ?? {};
  const sets = Map.groupBy(failures, ({ set }) => set);
  for (const members of sets.values()) {
    const mask = members.reduce((sum, { feature }) => sum | feature, 0);
    if (mask === on) return members[0]?.startTick;
  }
  return undefined;
}
