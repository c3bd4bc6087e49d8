import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  F_AEB,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_ESC,
  F_EVASIVE_STEERING,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_THROTTLE,
  F_TRAFFIC_LIGHT_RECOGNITION,
} from '../../assembly/layout.ts';
import { effectiveMask, type FeatureName, namesOf } from './catalogue.ts';
import type { FleetEntry } from './fleet.ts';
import type { Chain, ContactFacts, Failure, PartyFacts } from './incidents.ts';

/** How it would have ended for a car; figures are those of the re-run. */
export type Outcome =
  /** It stands, or passes, or still comes closer when the re-run ends, so far from the other. */
  | { what: 'stopped' | 'passed' | 'approaching'; distanceM: number }
  /** What it hit is not there. */
  | { what: 'away' }
  | { what: 'hit'; speedMps: number; deltaVMps: number }
  /** It is not hit any more, but others are; no car's speed changes by more than this. */
  | { what: 'milder'; deltaVMps: number };

/** One feature that was off and would have helped, as a re-run has established it. */
export interface FailureFacts {
  /** Index in the fleet. */
  car: number;
  /** One bit. */
  feature: number;
  effect: 'avoids' | 'mitigates';
  /** Members of one set only help together. */
  set: number;
  /** Features of this car that made a difference in the re-run. */
  acted: number;
  /** Tick from which on they were on in the re-run that the figures are from. */
  startTick: number;
  /** Which contact of the chain the figures are about. */
  contact: number;
  outcome: Outcome;
}

/** What is known of why an incident happened. */
export interface Explanation {
  failures: readonly FailureFacts[];
  reruns: number;
}

export interface ExplanationContext {
  fleet: readonly FleetEntry[];
  /** What comes onto the road at each hazard spot, as reports call it; null where nothing does. */
  actors: readonly (string | null)[];
}

/** Features of a car at its first contact in a chain, as a mask of what was declared on. */
export function declaredIn(chain: Chain, car: number): number {
  for (const { parties } of chain) {
    const party = parties.find((each) => each.car === car);
    if (party !== undefined) return party.declared;
  }
  return 0;
}

/**
 * What one of several features switched on brings: itself and the functions that work with it, as
 * far as they would not work without it. `added`: all that are switched on, `feature` among them.
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
  chain: Chain,
  context: ExplanationContext,
): Failure[] {
  return failures.map((failure) => {
    const { car, feature, effect, set } = failure;
    const declared = declaredIn(chain, car);
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
      explanation: sentenceOf(failure, provided, members, chain, context),
    };
  });
}

/** Like: front_camera was off, so nothing braked for the deer; with it the car would have … */
function sentenceOf(
  failure: FailureFacts,
  provided: number,
  members: readonly FailureFacts[],
  chain: Chain,
  context: ExplanationContext,
): string {
  const contact = chain[failure.contact] ?? chain[0];
  const others = members.filter((member) => member !== failure);
  const together = others.map((member) => memberName(member, failure.car, context));
  const means = ['it', ...together].join(', ').replace(/, ([^,]*)$/, ' and $1');
  const cause = causeOf(provided & failure.acted, otherName(contact, failure.car, context));
  return `${nameOf(failure.feature)} was off, so ${cause}; with ${means} ${resultOf(failure, contact, chain)}.`;
}

function memberName({ car, feature }: FailureFacts, own: number, context: ExplanationContext) {
  const name = nameOf(feature);
  const entry = context.fleet[car];
  return car === own || entry === undefined
    ? name
    : `${name} of the ${entry.model} (plate ${entry.plate})`;
}

/** What did not happen, by the function that would have done it; the first that acted tells. */
const CAUSES: readonly (readonly [mask: number, cause: (other: string) => string])[] = [
  [F_ANIMAL_DETECTION, (other) => `nothing braked for ${other}`],
  [F_AEB, (other) => `nothing braked for ${other}`],
  [F_EVASIVE_STEERING, (other) => `nothing steered around ${other}`],
  [F_INTERSECTION_ASSIST, (other) => `nothing kept the car out of the way of ${other}`],
  [F_TRAFFIC_LIGHT_RECOGNITION, () => 'nothing stopped the car at the traffic light'],
  [F_ESC, () => 'nothing kept the car from skidding'],
  [F_BRAKES, (other) => `the car could not brake for ${other}`],
  [F_STEERING, (other) => `the car could not steer clear of ${other}`],
  [F_THROTTLE, (other) => `the car could not drive clear of ${other}`],
];

function causeOf(acted: number, other: string): string {
  const known = CAUSES.find(([mask]) => (mask & acted) !== 0);
  return known === undefined ? `the car did not see ${other}` : known[1](other);
}

/** What a car touched. */
function otherName(
  { kind, hazard, parties }: ContactFacts,
  car: number,
  { actors }: ExplanationContext,
): string {
  if (parties.every((party) => party.car >= 0)) {
    return parties.some((party) => party.car === car) ? 'the other car' : 'the cars ahead';
  }
  const actor = actors[hazard];
  if (actor) return `the ${actor}`;
  if (kind === CONTACT_PERSON) return 'the person';
  if (kind === CONTACT_ANIMAL) return 'the animal';
  if (kind === CONTACT_BUILDING) return 'the building';
  return kind === CONTACT_OBSTACLE ? 'the obstacle' : 'the vehicle';
}

function resultOf({ car, outcome }: FailureFacts, contact: ContactFacts, chain: Chain): string {
  switch (outcome.what) {
    case 'stopped':
      return `the car would have stopped ${metres(outcome.distanceM)} short`;
    case 'passed':
      return `the car would have passed ${metres(outcome.distanceM)} clear`;
    case 'approaching':
      return `the car would still have been ${metres(outcome.distanceM)} away two seconds later`;
    case 'away':
      return 'the car would not have met it';
    case 'hit':
      return `the car ${hitOf(outcome, partyOf(contact, car))}`;
    case 'milder':
      return `the others ${changeOf(outcome.deltaVMps, deltaVOf(chain))}`;
  }
}

/** By its speed where that is what fell, else by what the collision did to it. */
function hitOf({ speedMps, deltaVMps }: Outcome & { what: 'hit' }, was: PartyFacts | undefined) {
  const [wasSpeed, wasDeltaV] = [was?.speedMps ?? 0, was?.deltaVMps ?? 0];
  if (kmh(speedMps) >= kmh(wasSpeed)) return changeOf(deltaVMps, wasDeltaV);
  return `would have hit at ${kmh(speedMps)} km/h instead of ${kmh(wasSpeed)} km/h`;
}

function changeOf(deltaVMps: number, wasMps: number): string {
  const change = `${tenths(deltaVMps * 3.6)} km/h instead of ${tenths(wasMps * 3.6)} km/h`;
  return `would have changed speed by ${change}`;
}

/** The greatest change of speed of a car of the fleet. */
export function deltaVOf(contacts: readonly ContactFacts[]): number {
  const own = contacts.flatMap(({ parties }) => parties.filter(({ car }) => car >= 0));
  return Math.max(0, ...own.map(({ deltaVMps }) => deltaVMps));
}

export function partyOf({ parties }: ContactFacts, car: number): PartyFacts | undefined {
  return parties.find((party) => party.car === car);
}

function metres(distanceM: number): string {
  return `${tenths(distanceM)} m`;
}

function tenths(value: number): string {
  return value.toFixed(1);
}

function kmh(speedMps: number): number {
  return Math.round(speedMps * 3.6);
}
