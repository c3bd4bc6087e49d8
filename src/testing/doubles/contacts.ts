import { CONTACT_VEHICLE, F_ALL } from '../../../assembly/layout.ts';
import type { ContactFacts, PartyFacts } from '../../twin/incidents.ts';

/** A party of a contact: by default car 0 with everything on, at 10 m/s. */
export function partyWith(fields: Partial<PartyFacts> = {}): PartyFacts {
  return {
    ...{ car: 0, declared: F_ALL, effective: F_ALL, type: 0, massKg: 1500 },
    ...{ speedMps: 10, deltaVMps: 10, hx: 1, hy: 0, impactX: 1, impactY: 0, pulseTick: 0 },
    ...fields,
  };
}

/** A contact: by default the first of its chain, at tick 1000. */
export function contactWith(fields: Partial<ContactFacts> = {}): ContactFacts {
  const { tick = 1000, order = 0 } = fields;
  return {
    ...{ tick, order, chainTick: tick, chainOrder: order },
    ...{ kind: CONTACT_VEHICLE, block: -1, hazard: -1, x: 0, y: 0 },
    ...{ closingMps: 10, energyJ: 0, striking: 0, impulseX: 0, impulseY: 0 },
    parties: [partyWith(), partyWith({ car: 1 })],
    ...fields,
  };
}
