import { C_VX, C_VY, CAR_COUNT } from '../../../assembly/layout.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { realOf } from '../../kernel/slab-arrays.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { STANDING_MPS } from './driving-probe.ts';

/** Speeds are sampled once a second: enough for kilometres, at hardly any cost. */
const LOOK_TICKS = 50;

export interface LongRun {
  kilometres: number;
  longestStandstillS: number;
  contacts: ContactFacts[];
}

/** Drives a world for some ticks. @param inspect called once a second */
export function driveLong(
  kernel: Kernel,
  slab: Slab,
  ticks: number,
  inspect: (tick: number) => void = () => {},
): LongRun {
  const world = kernel.view(slab);
  const contacts: ContactFacts[] = [];
  const stoodS = new Int32Array(CAR_COUNT);
  const end = kernel.tick(slab) + ticks;
  let metres = 0;
  let longestStandstillS = 0;
  while (kernel.tick(slab) < end) {
    const look = Math.min(end, kernel.tick(slab) + LOOK_TICKS);
    while (kernel.tick(slab) < look) {
      const seen = kernel.contactCount(slab);
      kernel.step(slab, look - kernel.tick(slab));
      if (kernel.contactCount(slab) > seen) contacts.push(...kernel.contacts(slab, seen));
    }
    inspect(look);
    for (let car = 0; car < CAR_COUNT; car++) {
      const speed = Math.hypot(realOf(world, C_VX, car), realOf(world, C_VY, car));
      metres += speed; // for one second
      const stood = speed < STANDING_MPS ? (stoodS[car] as number) + 1 : 0;
      stoodS[car] = stood;
      if (stood > longestStandstillS) longestStandstillS = stood;
    }
  }
  return { kilometres: metres / 1000, longestStandstillS, contacts };
}
