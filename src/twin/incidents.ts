import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_ALL,
} from '../../assembly/layout.ts';
import { namesOf } from './catalogue.ts';
import {
  deformationEnergyJ,
  impactArea,
  occupantRisk,
  POINTS,
  pedestrianRisk,
  REPAIR_COST_PER_KJ,
  severityOf,
} from './injury.ts';
import { hundredths, tenThousandths, timeS } from './units.ts';
import type { Failure, FleetEntry, Incident, IncidentVehicle } from './wire.ts';

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
  /** Tick and order of the first contact of the chain that it belongs to. */
  chainTick: number;
  chainOrder: number;
  /** CONTACT_ */
  kind: number;
  /** Index of the block, −1 none. */
  block: number;
  /** Index of the hazard spot whose actor or body it was with, −1 none. */
  hazard: number;
  x: number;
  y: number;
  /** Along the contact normal. */
  closingMps: number;
  /** Turned into deformation. */
  energyJ: number;
  /** 0: the first party's own motion closed the gap; 1: the second's. */
  striking: number;
  parties: readonly [PartyFacts, PartyFacts];
}

/** A contact as it may lie in a store: chains and energy came later than the first of them. */
export type StoredContact = Omit<ContactFacts, 'chainTick' | 'chainOrder' | 'energyJ' | 'hazard'> &
  Partial<ContactFacts>;

/** Contacts that are one incident: each less than two seconds after one of one of its parties. */
export type Chain = readonly [ContactFacts, ...ContactFacts[]];

/** What the numbers of a chain stand for. */
export interface IncidentContext {
  worldId: string;
  fleet: readonly FleetEntry[];
  /** Road id (or junction id) and street name of the place of its first contact. */
  place: { road: string; street: string };
  /** The city's spots. */
  hazards: readonly { id: string; site: { actor: { name: string } | null } }[];
}

const KINDS = new Map<number, Incident['kind']>([
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

/** One that knows of no chain is its own, with the energy of a central plastic impact. */
export function contactOf(stored: StoredContact): ContactFacts {
  const { tick, order } = stored;
  const energyJ = stored.energyJ ?? plasticEnergyJ(stored);
  return { chainTick: tick, chainOrder: order, hazard: -1, ...stored, energyJ };
}

function plasticEnergyJ({ kind, closingMps, parties: [first, second] }: StoredContact): number {
  if (kind !== CONTACT_BUILDING) {
    return deformationEnergyJ(first.massKg, second.massKg, closingMps);
  }
  const car = first.car < 0 ? second : first;
  return deformationEnergyJ(car.massKg, Number.POSITIVE_INFINITY, closingMps);
}

/** The contacts of each chain in order, chains in order of their first contact. */
export function chainsOf(contacts: readonly ContactFacts[]): Chain[] {
  const chains = new Map<string, [ContactFacts, ...ContactFacts[]]>();
  for (const contact of contacts) {
    const id = incidentId(contact.chainTick, contact.chainOrder);
    const chain = chains.get(id);
    if (chain === undefined) chains.set(id, [contact]);
    else chain.push(contact);
  }
  return [...chains.values()];
}

/** The report of a chain of contacts; `failures`: what explains it, where that is known yet. */
export function incidentOf(chain: Chain, context: IncidentContext, failures?: Failure[]): Incident {
  const [first] = chain;
  const strangers = new Map(chain.flatMap((contact) => strangerOf(contact, context)));
  return {
    id: incidentId(first.tick, first.order),
    world: context.worldId,
    tick: first.tick,
    time: timeS(first.tick),
    place: { x: hundredths(first.x), y: hundredths(first.y), ...context.place },
    kind: kindOf(first),
    vehicles: vehiclesOf(chain, context),
    other: [...strangers.values()],
    explained: failures !== undefined,
    failures: failures ?? [],
    earned: earnedBy(chain),
  };
}

function kindOf({ kind }: ContactFacts): Incident['kind'] {
  return KINDS.get(kind) ?? 'obstacle';
}

/** What was touched that is no car of the fleet, by what tells it from others of its kind. */
function strangerOf(
  contact: ContactFacts,
  { hazards }: IncidentContext,
): [string, Incident['other'][number]][] {
  if (contact.parties.every(({ car }) => car >= 0)) return [];
  const spot = hazards[contact.hazard];
  const actor = contact.block < 0 ? spot?.site.actor : undefined;
  const stranger = { kind: actor?.name ?? kindOf(contact), hazard: spot?.id ?? null };
  return [[strangerId(contact), stranger]];
}

function strangerId({ kind, block, hazard }: ContactFacts): string {
  return `${kind} ${block} ${hazard}`;
}

/** Every car once, as it was at its first contact, with the greatest of its changes of speed. */
function vehiclesOf(chain: Chain, context: IncidentContext): IncidentVehicle[] {
  const vehicles = new Map<number, IncidentVehicle>();
  for (const contact of chain) {
    for (const [index, party] of contact.parties.entries()) {
      const known = vehicles.get(party.car);
      const vehicle = known ?? vehicleOf(party, index, contact, context);
      if (vehicle === undefined) continue;
      vehicle.delta_v = Math.max(vehicle.delta_v, hundredths(party.deltaVMps));
      vehicles.set(party.car, vehicle);
    }
  }
  return [...vehicles.values()];
}

function vehicleOf(
  party: PartyFacts,
  index: number,
  contact: ContactFacts,
  { fleet }: IncidentContext,
): IncidentVehicle | undefined {
  const entry = fleet[party.car];
  if (entry === undefined) return undefined;
  const striking = contact.kind !== CONTACT_VEHICLE || contact.striking === index;
  return {
    vin: entry.vin,
    model: entry.model,
    plate: entry.plate,
    speed: hundredths(party.speedMps),
    delta_v: hundredths(party.deltaVMps),
    heading: tenThousandths(Math.atan2(party.hy, party.hx)),
    role: striking ? 'striking' : 'struck',
    off: namesOf(~party.declared & F_ALL),
    degraded: namesOf(party.declared & ~party.effective),
  };
}

interface PersonRisk {
  /** The same for the same person in every contact of a chain. */
  person: string;
  risk: number;
  weight: number;
}

/** One occupant in each vehicle, and the person outside where it was one that was hit. */
function personRisks(contact: ContactFacts): PersonRisk[] {
  const { kind, parties } = contact;
  const inVehicles = parties.filter(({ car }) => car >= 0 || kind === CONTACT_VEHICLE);
  const occupants = inVehicles.map(({ car, deltaVMps, impactX, impactY }) => ({
    person: car < 0 ? strangerId(contact) : `car ${car}`,
    risk: occupantRisk(deltaVMps, impactArea(impactX, impactY)),
    weight: 1,
  }));
  if (kind !== CONTACT_PERSON) return occupants;
  const impactMps = Math.max(...inVehicles.map(({ speedMps }) => speedMps));
  const outside = {
    person: strangerId(contact),
    risk: pedestrianRisk(impactMps),
    weight: POINTS.pedestrianWeight,
  };
  return [...occupants, outside];
}

/** Every person of a chain once, with the highest of their risks. */
function worstRisks(chain: Chain): PersonRisk[] {
  const worst = new Map<string, PersonRisk>();
  for (const each of chain.flatMap(personRisks)) {
    const known = worst.get(each.person);
    if (known === undefined || each.risk > known.risk) worst.set(each.person, each);
  }
  return [...worst.values()];
}

/**
 * Severity from the risk as it is shown, so that a reader who applies the classes to
 * `injury_risk` comes to the same answer.
 */
function earnedBy(chain: Chain): Incident['earned'] {
  const risks = worstRisks(chain);
  const injuryRisk = tenThousandths(Math.max(...risks.map(({ risk }) => risk)));
  const weighted = risks.reduce((sum, { risk, weight }) => sum + risk * weight, 0);
  const energyKj = chain.reduce((sum, { energyJ }) => sum + energyJ, 0) / 1000;
  return {
    severity: severityOf(injuryRisk),
    injury_risk: injuryRisk,
    points: hundredths(
      Math.round(POINTS.perRisk * weighted) + POINTS.perClosingMps * chain[0].closingMps,
    ),
    repair_cost: hundredths(REPAIR_COST_PER_KJ * energyKj),
  };
}
