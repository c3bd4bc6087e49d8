import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_ALL,
} from '../../assembly/layout.ts';
import { type FeatureName, namesOf } from './catalogue.ts';
import type { FleetEntry } from './fleet.ts';
import {
  deformationEnergyJ,
  impactArea,
  occupantRisk,
  POINTS,
  pedestrianRisk,
  REPAIR_COST_PER_KJ,
  type Severity,
  severityOf,
} from './injury.ts';
import { hundredths, tenThousandths, timeS } from './units.ts';

/** One of the two that touched, as the kernel records it: see P_ in the memory map. */
export interface PartyFacts {
  /** −1 for what is no car of the fleet. */
  car: number;
  /** Feature masks at the contact. */
  declared: number;
  effective: number;
  /** Index into `CAR_TYPES`. */
  type: number;
  /** Before the contact. */
  speedMps: number;
  deltaVMps: number;
  /** Heading before the contact, unit vector. */
  hx: number;
  hy: number;
  /** Unit vector in the car's own axes from its centre to the contact. */
  impactX: number;
  impactY: number;
  massKg: number;
}

/** A contact as the kernel records it: see K_ in the memory map. */
export interface ContactFacts {
  tick: number;
  /** Number within the tick, from 0. */
  order: number;
  /** CONTACT_ */
  kind: number;
  /** Index of the block, −1 none. */
  block: number;
  x: number;
  y: number;
  /** Along the contact normal. */
  closingMps: number;
  /** 0: the first party's own motion closed the gap; 1: the second's. */
  striking: number;
  parties: readonly [PartyFacts, PartyFacts];
}

export type ContactKind = 'vehicle' | 'person' | 'animal' | 'obstacle' | 'building';

export interface IncidentVehicle {
  vin: string;
  model: string;
  plate: string;
  speed: number;
  delta_v: number;
  heading: number;
  role: 'striking' | 'struck';
  off: FeatureName[];
  degraded: FeatureName[];
}

/** A feature that was off and without which the collision would not have been, or been milder. */
export interface Failure {
  vin: string;
  feature: FeatureName;
  restores: FeatureName[];
  effect: 'avoids' | 'mitigates';
  set: number;
  explanation: string;
}

export interface Earned {
  severity: Severity;
  /** 0 to 1. */
  injury_risk: number;
  points: number;
  repair_cost: number;
}

/** A collision report in its wire shape. */
export interface Incident {
  id: string;
  world: string;
  tick: number;
  time: number;
  place: { x: number; y: number; road: string; street: string };
  kind: ContactKind;
  /** Cars of the fleet only. */
  vehicles: IncidentVehicle[];
  /** Everything else that was touched. */
  other: { kind: string; hazard: string | null }[];
  explained: boolean;
  failures: Failure[];
  earned: Earned;
}

/** What the numbers of a contact stand for. */
export interface IncidentContext {
  worldId: string;
  fleet: readonly FleetEntry[];
  /** Road id (or junction id) and street name of the place of contact. */
  place: { road: string; street: string };
}

const KINDS = new Map<number, ContactKind>([
  [CONTACT_VEHICLE, 'vehicle'],
  [CONTACT_PERSON, 'person'],
  [CONTACT_ANIMAL, 'animal'],
  [CONTACT_OBSTACLE, 'obstacle'],
  [CONTACT_BUILDING, 'building'],
]);

/** The same whenever a world is lived again, since it is made of tick and order only. */
export function incidentId(tick: number, order: number): string {
  return `i${tick}-${order}`;
}

/** Tick and order of an incident's id, or undefined for what is none. */
export function parseIncidentId(id: string): { tick: number; order: number } | undefined {
  const match = /^i(0|[1-9]\d{0,9})-(0|[1-9]\d?)$/.exec(id);
  return match === null ? undefined : { tick: Number(match[1]), order: Number(match[2]) };
}

/** The report of a contact, not yet explained. */
export function incidentOf(facts: ContactFacts, context: IncidentContext): Incident {
  const kind = KINDS.get(facts.kind) ?? 'obstacle';
  const strangers = facts.parties.filter(({ car }) => car < 0);
  return {
    id: incidentId(facts.tick, facts.order),
    world: context.worldId,
    tick: facts.tick,
    time: timeS(facts.tick),
    place: { x: hundredths(facts.x), y: hundredths(facts.y), ...context.place },
    kind,
    vehicles: facts.parties.flatMap((party, index) => vehicleOf(party, index, facts, context)),
    other: strangers.map(() => ({ kind, hazard: null })),
    explained: false,
    failures: [],
    earned: earnedBy(facts),
  };
}

function vehicleOf(
  party: PartyFacts,
  index: number,
  facts: ContactFacts,
  { fleet }: IncidentContext,
): IncidentVehicle[] {
  const entry = fleet[party.car];
  if (entry === undefined) return [];
  const striking = facts.kind !== CONTACT_VEHICLE || facts.striking === index;
  return [
    {
      vin: entry.vin,
      model: entry.model,
      plate: entry.plate,
      speed: hundredths(party.speedMps),
      delta_v: hundredths(party.deltaVMps),
      heading: tenThousandths(Math.atan2(party.hy, party.hx)),
      role: striking ? 'striking' : 'struck',
      off: namesOf(~party.declared & F_ALL),
      degraded: namesOf(party.declared & ~party.effective),
    },
  ];
}

interface PersonRisk {
  risk: number;
  weight: number;
}

/** One occupant in each vehicle, and the person outside where it was one that was hit. */
function personRisks({ kind, parties }: ContactFacts): PersonRisk[] {
  const inVehicles = parties.filter(({ car }) => car >= 0 || kind === CONTACT_VEHICLE);
  const occupants = inVehicles.map(({ deltaVMps, impactX, impactY }) => ({
    risk: occupantRisk(deltaVMps, impactArea(impactX, impactY)),
    weight: 1,
  }));
  if (kind !== CONTACT_PERSON) return occupants;
  const impactMps = Math.max(...inVehicles.map(({ speedMps }) => speedMps));
  return [...occupants, { risk: pedestrianRisk(impactMps), weight: POINTS.pedestrianWeight }];
}

/**
 * Severity from the risk as it is shown, so that a reader who applies the classes to
 * `injury_risk` comes to the same answer.
 */
function earnedBy(facts: ContactFacts): Earned {
  const risks = personRisks(facts);
  const injuryRisk = tenThousandths(Math.max(...risks.map(({ risk }) => risk)));
  const weighted = risks.reduce((sum, { risk, weight }) => sum + risk * weight, 0);
  const energyKj = deformationOf(facts) / 1000;
  return {
    severity: severityOf(injuryRisk),
    injury_risk: injuryRisk,
    points: hundredths(
      Math.round(POINTS.perRisk * weighted) + POINTS.perClosingMps * facts.closingMps,
    ),
    repair_cost: hundredths(REPAIR_COST_PER_KJ * energyKj),
  };
}

function deformationOf({ kind, closingMps, parties: [first, second] }: ContactFacts): number {
  if (kind !== CONTACT_BUILDING) {
    return deformationEnergyJ(first.massKg, second.massKg, closingMps);
  }
  const car = first.car < 0 ? second : first;
  return deformationEnergyJ(car.massKg, Number.POSITIVE_INFINITY, closingMps);
}
