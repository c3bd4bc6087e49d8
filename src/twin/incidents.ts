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

/** One of the two parties of a contact, as the kernel records it: see P_ in the memory map. */
export interface PartyFacts {
  /** Index in the fleet; −1 for a party that is no car of the fleet. */
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
  /** Tick and order of the first contact of its incident. */
  chainTick: number;
  chainOrder: number;
  /** CONTACT_ */
  kind: number;
  /** Index of the block, or −1. */
  block: number;
  /** Index of the hazard spot to which the other party belongs, or −1. */
  hazard: number;
  x: number;
  y: number;
  /** Along the contact normal. */
  closingMps: number;
  /** Energy of deformation. */
  energyJ: number;
  /** Index of the party whose own motion closed the gap. */
  striking: number;
  parties: readonly [PartyFacts, PartyFacts];
}

/** A contact in a store. Stores of older versions lack some fields. */
export type StoredContact = Omit<ContactFacts, 'chainTick' | 'chainOrder' | 'energyJ' | 'hazard'> &
  Partial<ContactFacts>;

/** The contacts of one incident: each less than two seconds after another with the same car. */
export type IncidentContacts = readonly [ContactFacts, ...ContactFacts[]];

/** What the numbers of a contact refer to. */
interface IncidentContext {
  worldId: string;
  fleet: readonly FleetEntry[];
  /** Road (or junction) id and street name at the first contact. */
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

/** Made of tick and order only, so it is the same whenever the world is replayed. */
export function incidentId(tick: number, order: number): string {
  return `i${tick}-${order}`;
}

/** Tick and order of an incident id; undefined for other texts. */
export function parseIncidentId(id: string): { tick: number; order: number } | undefined {
  const match = /^i(0|[1-9]\d{0,9})-(0|[1-9]\d?)$/.exec(id);
  return match === null ? undefined : { tick: Number(match[1]), order: Number(match[2]) };
}

/** Completes a contact: an incident of its own, with the energy of a central plastic impact. */
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

/** Incidents in order of their first contact. */
export function groupByIncident(contacts: readonly ContactFacts[]): IncidentContacts[] {
  const incidents = Map.groupBy(contacts, ({ chainTick, chainOrder }) =>
    incidentId(chainTick, chainOrder),
  );
  return [...incidents.values()] as [ContactFacts, ...ContactFacts[]][];
}

/** The report of an incident; without `failures` it is not explained yet. */
export function incidentOf(
  contacts: IncidentContacts,
  context: IncidentContext,
  failures?: Failure[],
): Incident {
  const [first] = contacts;
  const others = new Map(contacts.flatMap((contact) => otherOf(contact, context)));
  return {
    id: incidentId(first.tick, first.order),
    world: context.worldId,
    tick: first.tick,
    time: timeS(first.tick),
    place: { x: hundredths(first.x), y: hundredths(first.y), ...context.place },
    kind: kindOf(first),
    vehicles: vehiclesOf(contacts, context),
    other: [...others.values()],
    explained: failures !== undefined,
    failures: failures ?? [],
    earned: earnedBy(contacts),
  };
}

/** What the first party of a contact hit, as the API names it. */
export function kindOf({ kind }: ContactFacts): Incident['kind'] {
  return KINDS.get(kind) ?? 'obstacle';
}

/** The party that is no car of the fleet, with a key that identifies it. */
function otherOf(
  contact: ContactFacts,
  { hazards }: IncidentContext,
): [string, Incident['other'][number]][] {
  if (contact.parties.every(({ car }) => car >= 0)) return [];
  const spot = hazards[contact.hazard];
  const actor = contact.block < 0 ? spot?.site.actor : undefined;
  const other = { kind: actor?.name ?? kindOf(contact), hazard: spot?.id ?? null };
  return [[otherId(contact), other]];
}

function otherId({ kind, block, hazard }: ContactFacts): string {
  return `${kind} ${block} ${hazard}`;
}

/** Every car once, as it was at its first contact, with its greatest delta-v. */
function vehiclesOf(contacts: IncidentContacts, context: IncidentContext): IncidentVehicle[] {
  const vehicles = new Map<number, IncidentVehicle>();
  for (const contact of contacts) {
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
  /** Identifies the person across the contacts of an incident. */
  person: string;
  risk: number;
  weight: number;
}

/** One occupant per vehicle, and the person outside if one was hit. */
function personRisks(contact: ContactFacts): PersonRisk[] {
  const { kind, parties } = contact;
  const inVehicles = parties.filter(({ car }) => car >= 0 || kind === CONTACT_VEHICLE);
  const occupants = inVehicles.map(({ car, deltaVMps, impactX, impactY }) => ({
    person: car < 0 ? otherId(contact) : `car ${car}`,
    risk: occupantRisk(deltaVMps, impactArea(impactX, impactY)),
    weight: 1,
  }));
  if (kind !== CONTACT_PERSON) return occupants;
  const impactMps = Math.max(...inVehicles.map(({ speedMps }) => speedMps));
  const outside = {
    person: otherId(contact),
    risk: pedestrianRisk(impactMps),
    weight: POINTS.pedestrianWeight,
  };
  return [...occupants, outside];
}

/** Every person once, with the highest of their risks. */
function worstRisks(contacts: IncidentContacts): PersonRisk[] {
  const worst = new Map<string, PersonRisk>();
  for (const each of contacts.flatMap(personRisks)) {
    const known = worst.get(each.person);
    if (known === undefined || each.risk > known.risk) worst.set(each.person, each);
  }
  return [...worst.values()];
}

/** The severity follows from the rounded risk, so that it agrees with `injury_risk`. */
function earnedBy(contacts: IncidentContacts): Incident['earned'] {
  const risks = worstRisks(contacts);
  const injuryRisk = tenThousandths(Math.max(...risks.map(({ risk }) => risk)));
  const weighted = risks.reduce((sum, { risk, weight }) => sum + risk * weight, 0);
  const energyKj = contacts.reduce((sum, { energyJ }) => sum + energyJ, 0) / 1000;
  return {
    severity: severityOf(injuryRisk),
    injury_risk: injuryRisk,
    points: hundredths(
      Math.round(POINTS.perRisk * weighted) + POINTS.perClosingMps * contacts[0].closingMps,
    ),
    repair_cost: hundredths(REPAIR_COST_PER_KJ * energyKj),
  };
}
