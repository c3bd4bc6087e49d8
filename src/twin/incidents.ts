import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_ALL,
  PULSE_TICKS,
} from '../../assembly/layout.ts';
import { namesOf } from './catalogue.ts';
import {
  impactArea,
  occupantRisk,
  POINTS,
  pedestrianRisk,
  REPAIR_COST_PER_KJ,
  severityOf,
} from './injury.ts';
import { hundredths, tenThousandths, timeS } from './units.ts';
import type { Failure, FleetEntry, Incident, IncidentOther, IncidentVehicle } from './wire.ts';

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
  /** Of a car: in the crash pulse that the contact belongs to, up to its last record. */
  deltaVMps: number;
  /** Heading before the contact, unit vector. */
  hx: number;
  hy: number;
  /**
   * Unit vector in the car's own axes from its centre to the contact; of a car: to the one that
   * changed its velocity most in that pulse.
   */
  impactX: number;
  impactY: number;
  massKg: number;
  /** Tick at which the car's pulse began. */
  pulseTick: number;
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
  /** On the first party, N s; the second gets the opposite. */
  impulseX: number;
  impulseY: number;
  /** Index of the party whose own motion closed the gap. */
  striking: number;
  parties: readonly [PartyFacts, PartyFacts];
}

/** The contacts of one incident: each less than two seconds after another with the same car. */
export type IncidentContacts = readonly [ContactFacts, ...ContactFacts[]];

/** What a crash pulse did to a party. */
type Impact = Pick<PartyFacts, 'deltaVMps' | 'impactX' | 'impactY'>;

/** What `earned` is computed from. */
type Shown = Pick<Incident, 'vehicles' | 'other' | 'closing_speed' | 'deformation_energy'>;

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

/** The report of an incident; without `failures` it is not explained yet. */
export function incidentOf(
  contacts: IncidentContacts,
  context: IncidentContext,
  failures?: Failure[],
): Incident {
  const [first] = contacts;
  const energyJ = contacts.reduce((sum, contact) => sum + contact.energyJ, 0);
  const shown = {
    vehicles: vehiclesOf(contacts, context),
    other: othersOf(contacts, context),
    closing_speed: hundredths(first.closingMps),
    deformation_energy: Math.round(energyJ),
  };
  return {
    id: incidentId(first.tick, first.order),
    world: context.worldId,
    tick: first.tick,
    time: timeS(first.tick),
    place: { x: hundredths(first.x), y: hundredths(first.y), ...context.place },
    kind: kindOf(first),
    ...shown,
    explained: failures !== undefined,
    failures: failures ?? [],
    earned: earnedBy(shown),
  };
}

/** What the first party of a contact hit, as the API names it. */
export function kindOf({ kind }: ContactFacts): Incident['kind'] {
  return KINDS.get(kind) ?? 'obstacle';
}

/** Every party that is no car of the fleet once. */
function othersOf(contacts: IncidentContacts, context: IncidentContext): IncidentOther[] {
  const withOthers = contacts.filter(({ parties }) => parties.some(({ car }) => car < 0));
  const byOther = Map.groupBy(
    withOthers,
    ({ kind, block, hazard }) => `${kind} ${block} ${hazard}`,
  );
  return [...byOther.values()].map((own) => otherOf(own, context));
}

/** @param contacts those with this party */
function otherOf(contacts: readonly ContactFacts[], { hazards }: IncidentContext): IncidentOther {
  const [first] = contacts;
  if (first === undefined) throw new RangeError('a party has a contact');
  const spot = hazards[first.hazard];
  const actor = first.block < 0 ? spot?.site.actor : undefined;
  const other = { kind: actor?.name ?? kindOf(first), hazard: spot?.id ?? null };
  const fixed = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };
  if (first.block >= 0) return { ...other, ...fixed };
  const { deltaVMps, impactX, impactY } = greatestPulseOf(contacts);
  return {
    ...other,
    mass: hundredths(strangerOf(first).massKg),
    delta_v: hundredths(deltaVMps),
    impact_area: first.kind === CONTACT_VEHICLE ? impactArea(impactX, impactY) : null,
    impact_speed: first.kind === CONTACT_PERSON ? hundredths(impactSpeedOf(contacts)) : null,
  };
}

function strangerOf({ parties }: ContactFacts): PartyFacts {
  const [first, second] = parties;
  return first.car < 0 ? first : second;
}

/** Of the vehicles that hit a person, the greatest. */
function impactSpeedOf(contacts: readonly ContactFacts[]): number {
  const parties = contacts.flatMap((contact) => contact.parties);
  return Math.max(...parties.filter(({ car }) => car >= 0).map(({ speedMps }) => speedMps));
}

/** The crash pulse of an actor that changed its velocity most; all its contacts are recorded. */
function greatestPulseOf(contacts: readonly ContactFacts[]): Impact {
  const pulses: ContactFacts[][] = [];
  for (const contact of contacts) {
    const pulse = pulses.at(-1);
    const since = pulse?.[0]?.tick ?? Number.NEGATIVE_INFINITY;
    if (pulse !== undefined && contact.tick - since < PULSE_TICKS) pulse.push(contact);
    else pulses.push([contact]);
  }
  const [greatest] = pulses.map(sumOf).toSorted((a, b) => b.deltaVMps - a.deltaVMps);
  return greatest ?? { deltaVMps: 0, impactX: 1, impactY: 0 };
}

/** @param pulse the contacts of an actor within a crash pulse */
function sumOf(pulse: readonly ContactFacts[]): Impact {
  const sizeOf = ({ impulseX, impulseY }: ContactFacts) => Math.hypot(impulseX, impulseY);
  const hardest = pulse.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
  const { massKg, impactX, impactY } = strangerOf(hardest);
  const x = pulse.reduce((sum, { impulseX }) => sum + impulseX, 0);
  const y = pulse.reduce((sum, { impulseY }) => sum + impulseY, 0);
  return { deltaVMps: Math.hypot(x, y) / massKg, impactX, impactY };
}

/** Every car once, as it was at its first contact, with its greatest crash pulse. */
function vehiclesOf(contacts: IncidentContacts, context: IncidentContext): IncidentVehicle[] {
  const vehicles = new Map<number, IncidentVehicle>();
  const greatest = new Map<number, number>();
  for (const contact of contacts) {
    for (const [index, party] of contact.parties.entries()) {
      const vehicle = vehicles.get(party.car) ?? vehicleOf(party, index, contact, context);
      if (vehicle === undefined) continue;
      vehicles.set(party.car, vehicle);
      // Also where another car has pushed it there.
      if (contact.kind !== CONTACT_VEHICLE) vehicle.role = 'striking';
      if (party.deltaVMps <= (greatest.get(party.car) ?? 0)) continue;
      greatest.set(party.car, party.deltaVMps);
      vehicle.delta_v = hundredths(party.deltaVMps);
      vehicle.impact_area = impactArea(party.impactX, party.impactY);
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
    mass: hundredths(party.massKg),
    delta_v: hundredths(party.deltaVMps),
    impact_area: impactArea(party.impactX, party.impactY),
    heading: tenThousandths(Math.atan2(party.hy, party.hx)),
    role: striking ? 'striking' : 'struck',
    off: namesOf(~party.declared & F_ALL),
    degraded: namesOf(party.declared & ~party.effective),
  };
}

/** The risks of the persons involved: one occupant a vehicle, and everyone outside. */
function risksOf({ vehicles, other }: Shown): { risk: number; weight: number }[] {
  const inside = [...vehicles, ...other].flatMap(({ delta_v, impact_area }) =>
    impact_area === null ? [] : [{ risk: occupantRisk(delta_v, impact_area), weight: 1 }],
  );
  const outside = other.flatMap(({ impact_speed }) =>
    impact_speed === null
      ? []
      : [{ risk: pedestrianRisk(impact_speed), weight: POINTS.pedestrianWeight }],
  );
  return [...inside, ...outside];
}

/** Only from what the report shows, rounded as it is: so anybody can compute the same again. */
function earnedBy(shown: Shown): Incident['earned'] {
  const risks = risksOf(shown);
  const injuryRisk = tenThousandths(Math.max(...risks.map(({ risk }) => risk)));
  const weighted = risks.reduce((sum, { risk, weight }) => sum + risk * weight, 0);
  return {
    severity: severityOf(injuryRisk),
    injury_risk: injuryRisk,
    points: hundredths(
      Math.round(POINTS.perRisk * weighted) + POINTS.perClosingMps * shown.closing_speed,
    ),
    repair_cost: hundredths((REPAIR_COST_PER_KJ * shown.deformation_energy) / 1000),
  };
}
