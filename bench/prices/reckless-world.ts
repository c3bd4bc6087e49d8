/** A world whose cars can neither brake nor steer: it has very many collisions. */
import { CAR_COUNT, F_ALL, F_BRAKES, F_STEERING } from '../../assembly/layout.ts';
import type { ContactRecord } from '../../src/twin/contact-records.ts';
import { carTypesOf } from '../../src/twin/fleet.ts';
import { loadKernel } from '../aged-worlds.ts';

export const RECKLESS_SEED = 108;
export const RECKLESS_TICKS = 20_000;
export const { kernel, cities } = loadKernel(1);

const carTypes = carTypesOf(RECKLESS_SEED);
const masks = Array.from({ length: CAR_COUNT }, () => F_ALL & ~(F_BRAKES | F_STEERING));

/** The world at tick 0, in the only slab. */
export function recklessSlab(): number {
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('the slab is in use');
  kernel.create(slab, { cityIndex: 0, seed: RECKLESS_SEED, tick: 0, carTypes, masks });
  return slab;
}

/** Steps it to a tick; returns the records of its collisions. */
export function drive(ticks: number): ContactRecord[] {
  const slab = recklessSlab();
  const records: ContactRecord[] = [];
  while (kernel.tick(slab) < ticks) {
    const known = kernel.contactCount(slab);
    kernel.step(slab, ticks - kernel.tick(slab));
    records.push(...kernel.records(slab, known));
  }
  kernel.release(slab);
  return records;
}
