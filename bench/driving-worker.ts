/** The job of a thread of the long drive. */
import { C_HX, C_HY, C_LANE, C_VX, C_X, C_Y, CAR_COUNT } from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { driveLong } from '../src/testing/rigs/long-run.ts';
import { carTypesOf } from '../src/twin/fleet.ts';
import type { ContactFacts } from '../src/twin/incidents.ts';
import { loadKernel } from './aged-worlds.ts';

export interface Drive {
  cityIndex: number;
  seed: number;
  ticks: number;
}

export interface Driven extends Drive {
  kilometres: number;
  longestStandstillS: number;
  contacts: number;
  /** Text on the first contacts, enough to look at them. */
  accounts: string[];
}

const ACCOUNTS_MAX = 3;
const NEAR_M = 40;

const { kernel } = loadKernel(1);

/** Drives one world from its first tick. */
export function drive({ cityIndex, seed, ticks }: Drive): Driven {
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('no slab is free');
  kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed) });
  const accounts: string[] = [];
  const { kilometres, longestStandstillS, contacts } = driveLong(kernel, slab, ticks, (news) => {
    for (const contact of news) {
      if (accounts.length < ACCOUNTS_MAX) accounts.push(account(kernel, slab, seed, contact));
    }
  });
  kernel.release(slab);
  const counted = { kilometres, longestStandstillS, contacts: contacts.length, accounts };
  return { cityIndex, seed, ticks, ...counted };
}

/** The contact, and every car near it right after. */
function account(kernel: Kernel, slab: Slab, seed: number, contact: ContactFacts): string {
  const { tick, kind, block, x, y, closingMps, parties } = contact;
  const { f64, i32 } = kernel.view(slab);
  const value = (array: number, car: number): number => f64[array / 8 + car] ?? Number.NaN;
  const cars = parties.map(({ car }) => car).filter((car) => car >= 0);
  const near = Array.from({ length: CAR_COUNT }, (_, car) => car)
    .filter((car) => Math.hypot(value(C_X, car) - x, value(C_Y, car) - y) < NEAR_M)
    .map((car) => {
      const at = `${value(C_X, car).toFixed(1)}, ${value(C_Y, car).toFixed(1)}`;
      const degrees = (Math.atan2(value(C_HY, car), value(C_HX, car)) * 180) / Math.PI;
      const speed = `${value(C_VX, car).toFixed(1)} m/s`;
      return `  car ${car} at ${at} heading ${degrees.toFixed(0)}° ${speed} lane ${i32[C_LANE / 4 + car]}`;
    });
  const with_ = cars.length > 1 ? `cars ${cars.join(' and ')}` : `car ${cars[0]}, block ${block}`;
  const head =
    `seed ${seed} tick ${tick} kind ${kind} ${with_} at ${x.toFixed(1)}, ${y.toFixed(1)} ` +
    `closing ${closingMps.toFixed(1)} m/s`;
  return [head, ...near].join('\n');
}
