import {
  CONTACT_PULSE,
  K_BLOCK,
  K_CHAIN_ORDER,
  K_CHAIN_TICK,
  K_CLOSING,
  K_ENERGY,
  K_HAZARD,
  K_IMPULSE_X,
  K_IMPULSE_Y,
  K_KIND,
  K_ORDER,
  K_PARTY,
  K_STRIKING,
  K_TICK,
  K_X,
  K_Y,
  P_CAR,
  P_DECLARED,
  P_DELTA_V,
  P_EFFECTIVE,
  P_HX,
  P_HY,
  P_IMPACT_X,
  P_IMPACT_Y,
  P_MASS,
  P_PULSE_TICK,
  P_SPEED,
  P_TYPE,
  PARTY_BYTES,
} from '../../assembly/layout.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import type { PartyFacts } from '../twin/incidents.ts';

/** Reads a record of a contact or a crash pulse. `at`: its address. */
export function readRecord(view: DataView, at: number): ContactRecord {
  const place = {
    tick: view.getUint32(at + K_TICK, true),
    order: view.getUint32(at + K_ORDER, true),
    chainTick: view.getUint32(at + K_CHAIN_TICK, true),
    chainOrder: view.getUint32(at + K_CHAIN_ORDER, true),
  };
  const kind = view.getInt32(at + K_KIND, true);
  if (kind === CONTACT_PULSE) {
    const { car, pulseTick, deltaVMps, impactX, impactY } = readParty(view, at + K_PARTY);
    const energyJ = view.getFloat64(at + K_ENERGY, true);
    const crashPulse = { car, sinceTick: pulseTick, deltaVMps, impactX, impactY, energyJ };
    return { ...place, crashPulse };
  }
  return {
    ...place,
    kind,
    block: view.getInt32(at + K_BLOCK, true),
    hazard: view.getInt32(at + K_HAZARD, true),
    x: view.getFloat64(at + K_X, true),
    y: view.getFloat64(at + K_Y, true),
    closingMps: view.getFloat64(at + K_CLOSING, true),
    energyJ: view.getFloat64(at + K_ENERGY, true),
    impulseX: view.getFloat64(at + K_IMPULSE_X, true),
    impulseY: view.getFloat64(at + K_IMPULSE_Y, true),
    striking: view.getInt32(at + K_STRIKING, true),
    parties: [readParty(view, at + K_PARTY), readParty(view, at + K_PARTY + PARTY_BYTES)],
  };
}

function readParty(view: DataView, at: number): PartyFacts {
  return {
    car: view.getInt32(at + P_CAR, true),
    declared: view.getInt32(at + P_DECLARED, true),
    effective: view.getInt32(at + P_EFFECTIVE, true),
    type: view.getInt32(at + P_TYPE, true),
    speedMps: view.getFloat64(at + P_SPEED, true),
    deltaVMps: view.getFloat64(at + P_DELTA_V, true),
    hx: view.getFloat64(at + P_HX, true),
    hy: view.getFloat64(at + P_HY, true),
    impactX: view.getFloat64(at + P_IMPACT_X, true),
    impactY: view.getFloat64(at + P_IMPACT_Y, true),
    massKg: view.getFloat64(at + P_MASS, true),
    pulseTick: view.getUint32(at + P_PULSE_TICK, true),
  };
}
