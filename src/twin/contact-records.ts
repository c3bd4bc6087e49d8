import { CHAIN_TICKS, CONTACT_BUILDING, CONTACT_RING, PULSE_TICKS } from '../../assembly/layout.ts';
import {
  type ContactFacts,
  type IncidentContacts,
  incidentId,
  type PartyFacts,
} from './incidents.ts';
import { deformationEnergyJ } from './injury.ts';

/** What a crash pulse did to a car. */
interface PulseSum {
  deltaVMps: number;
  impactX: number;
  impactY: number;
}

/**
 * The end of a crash pulse in which wrecks touched without a contact of their own: then the contacts
 * do not tell the whole pulse.
 */
export interface CrashPulseFacts {
  /** The last tick of the pulse. */
  tick: number;
  /** Number of the record within the tick. */
  order: number;
  /** As of a contact. */
  chainTick: number;
  chainOrder: number;
  crashPulse: PulseSum & {
    car: number;
    /** The tick at which it began. */
    sinceTick: number;
    /** The car's share of the energy that those contacts turned into deformation. */
    energyJ: number;
  };
}

/** What the kernel records of a collision, and the store keeps. */
export type ContactRecord = ContactFacts | CrashPulseFacts;

type StoredParty = Omit<PartyFacts, 'pulseTick'> & Partial<PartyFacts>;

type Later = 'chainTick' | 'chainOrder' | 'energyJ' | 'hazard' | 'impulseX' | 'impulseY';

/** A contact in a store. Stores of older versions lack some fields. */
export type StoredContact = Omit<ContactFacts, Later | 'parties'> &
  Partial<Pick<ContactFacts, Later>> & { parties: readonly [StoredParty, StoredParty] };

/** A record in a store. */
export type StoredRecord = StoredContact | CrashPulseFacts;

/** Later after its last contact, an incident gets no record, ticks. */
export const INCIDENT_END_TICKS = CHAIN_TICKS + PULSE_TICKS;

/**
 * An explanation compares the contacts until CHAIN_TICKS after the first one. The last crash pulse of
 * these ends at most this long after the first contact, ticks.
 */
export const COMPARED_END_TICKS = CHAIN_TICKS + INCIDENT_END_TICKS;

/** Completes a record of an older version. */
export function recordOf(stored: StoredRecord): ContactRecord {
  return 'crashPulse' in stored ? stored : contactOf(stored);
}

/** Completes a contact: an incident of its own, with the energy of a central plastic impact. */
export function contactOf(stored: StoredContact): ContactFacts {
  const { tick, order } = stored;
  const [first, second] = stored.parties;
  const energyJ = stored.energyJ ?? plasticEnergyJ(stored);
  // Older stores tell no direction. With a car, only the size counts: of a stranger's change.
  const stranger = first.car < 0 ? first : second;
  const impulse = { impulseX: stranger.massKg * stranger.deltaVMps, impulseY: 0 };
  // They have no pulses: each contact is one of its own, also several of the same tick.
  const pulseTick = tick + order / CONTACT_RING;
  const parties = [
    { pulseTick, ...first },
    { pulseTick, ...second },
  ] as const;
  const chain = { chainTick: tick, chainOrder: order, hazard: -1 };
  return { ...chain, ...impulse, ...stored, energyJ, parties };
}

function plasticEnergyJ({ kind, closingMps, parties: [first, second] }: StoredContact): number {
  if (kind !== CONTACT_BUILDING) {
    return deformationEnergyJ(first.massKg, second.massKg, closingMps);
  }
  const car = first.car < 0 ? second : first;
  return deformationEnergyJ(car.massKg, Number.POSITIVE_INFINITY, closingMps);
}

/** Incidents in order of their first contact. */
export function groupByIncident(records: readonly ContactRecord[]): IncidentContacts[] {
  const incidents = Map.groupBy(records, ({ chainTick, chainOrder }) =>
    incidentId(chainTick, chainOrder),
  );
  const chains = [...incidents.values()].map(settledChain);
  return chains.filter((chain) => chain.length > 0) as [ContactFacts, ...ContactFacts[]][];
}

/** The contacts among some records of a world, in order, with what the pulses tell about them. */
export function settled(records: readonly ContactRecord[]): ContactFacts[] {
  return groupByIncident(records)
    .flat()
    .sort((a, b) => a.tick - b.tick || a.order - b.order);
}

/**
 * The contacts of one chain, with what their pulses came to. A pulse in which the car has no contact
 * counts as one of the car's last contact before it, if it is the greater one.
 */
export function settledChain(records: readonly ContactRecord[]): ContactFacts[] {
  const sums = new Map<string, PulseSum>();
  const contacts: { facts: ContactFacts; energyJ: number; own: Map<number, PulseSum> }[] = [];
  for (const record of records) {
    if (!('crashPulse' in record)) {
      for (const party of record.parties) sums.set(pulseKey(party.car, party.pulseTick), party);
      contacts.push({ facts: record, energyJ: record.energyJ, own: new Map() });
      continue;
    }
    const { car, sinceTick, energyJ } = record.crashPulse;
    const last = contacts.findLast(({ facts }) => facts.parties.some((each) => each.car === car));
    if (last === undefined) continue;
    last.energyJ += energyJ;
    const key = pulseKey(car, sinceTick);
    const known = last.own.get(car)?.deltaVMps ?? 0;
    if (sums.has(key)) sums.set(key, record.crashPulse);
    else if (record.crashPulse.deltaVMps > known) last.own.set(car, record.crashPulse);
  }
  return contacts.map(({ facts, energyJ, own }) => {
    const [first, second] = facts.parties.map((party) => settledParty(party, sums, own));
    const parties = [first ?? facts.parties[0], second ?? facts.parties[1]] as const;
    return { ...facts, energyJ, parties };
  });
}

function settledParty(
  party: PartyFacts,
  sums: ReadonlyMap<string, PulseSum>,
  own: ReadonlyMap<number, PulseSum>,
): PartyFacts {
  if (party.car < 0) return party;
  const sum = sums.get(pulseKey(party.car, party.pulseTick)) ?? party;
  const other = own.get(party.car);
  const { deltaVMps, impactX, impactY } = other && other.deltaVMps > sum.deltaVMps ? other : sum;
  return { ...party, deltaVMps, impactX, impactY };
}

function pulseKey(car: number, sinceTick: number): string {
  return `${car} ${sinceTick}`;
}
