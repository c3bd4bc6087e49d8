import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { makeKernel, makeWorld } from './kernel.ts';

const SEEDS_MAX = 30;

interface SeedSearch {
  /** What the test needs, for the message if no seed has it. */
  wanted: string;
  matches: (contact: ContactFacts) => boolean;
  cityIndex?: number;
  /** How long each world may take, ticks. */
  ticks: number;
  /** Switches features before the first tick. */
  prepare?: (kernel: Kernel, slab: Slab) => void;
}

/**
 * The first seed whose world has a matching contact within some ticks, with that contact. Tests use
 * it in place of a fixed seed, which a hazard that moves would make useless.
 * @throws Error if none of the first SEEDS_MAX seeds has such a contact
 */
export function findSeed({ wanted, matches, cityIndex = 0, ticks, prepare }: SeedSearch): {
  seed: number;
  contact: ContactFacts;
} {
  const kernel = makeKernel(1);
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const slab = makeWorld(kernel, seed, cityIndex);
    prepare?.(kernel, slab);
    const contact = firstMatch(kernel, slab, ticks, matches);
    kernel.release(slab);
    if (contact) return { seed, contact };
  }
  throw new Error(`none of ${SEEDS_MAX} seeds has ${wanted} within ${ticks} ticks`);
}

function firstMatch(
  kernel: Kernel,
  slab: Slab,
  ticks: number,
  matches: (contact: ContactFacts) => boolean,
): ContactFacts | undefined {
  while (kernel.tick(slab) < ticks) {
    const seen = kernel.contactCount(slab);
    kernel.step(slab, ticks - kernel.tick(slab));
    const match = kernel.contacts(slab, seen).find(matches);
    if (match) return match;
  }
  return undefined;
}
