import { FEATURE_COUNT } from '../../assembly/layout.ts';
import { foretold, whatFollows } from '../../src/testing/rigs/at-stake.ts';
import { FEATURE_NAMES } from '../../src/twin/catalogue.ts';
import { ground, inWorld, type WorldChoice } from './ground.ts';
import { stepOn } from './sweep-world.ts';

/** A consequence is asked for within a minute, a collision within two. */
export const SHOWN_S = 60;
const COLLISION_S = 120;
/** What comes later than this could not have shown in time. */
const SOON_S = 55;

export interface StakesJob extends WorldChoice {
  /** When the outlook is asked for. */
  tick: number;
  /** Mask of the features that are tried. */
  features: number;
}

/** What came of one feature that was switched off on the car that the outlook named. */
export interface Tried {
  feature: number;
  isShown: boolean;
  isCollision: boolean;
  /** Of what did not show. */
  account: string;
}

export interface StakesWorld {
  job: StakesJob;
  /** One for each feature for which the outlook told anything soon. */
  tried: Tried[];
}

/**
 * Asks the outlook of a world, and tries each feature on the car that a visitor would choose: the first
 * one that would collide, else the first one.
 */
export function tryStakes(job: StakesJob): StakesWorld {
  return inWorld(job, (slab) => {
    const { kernel, cities, tables } = ground();
    const [city, table] = [cities[job.cityIndex], tables[job.cityIndex]];
    const scratch = kernel.acquire();
    if (!city || !table) throw new RangeError(`there is no city ${job.cityIndex}`);
    if (scratch === undefined) throw new Error('no slab is free');
    try {
      stepOn(slab, job.tick);
      const image = kernel.image(slab);
      const { entries } = foretold(kernel, slab, scratch, city, table);
      const tried: Tried[] = [];
      for (let feature = 0; feature < FEATURE_COUNT; feature++) {
        if (((job.features >> feature) & 1) === 0) continue;
        const soon = entries.filter(
          (entry) => entry.feature === FEATURE_NAMES[feature] && entry.time <= SOON_S,
        );
        const chosen = soon.find(({ consequence }) => consequence === 'collision') ?? soon[0];
        if (chosen === undefined) continue;
        kernel.restore(slab, image);
        const { vin, kind, consequence, time } = chosen;
        const follows = whatFollows(kernel, slab, Number(vin), 1 << feature, COLLISION_S);
        const what = `${chosen.feature} of car ${vin}, ${consequence} at ${kind} in ${time} s`;
        tried.push({
          feature,
          isShown: follows.shownS <= SHOWN_S,
          isCollision: follows.collisionS <= COLLISION_S,
          account: `${city.name} seed ${job.seed} tick ${job.tick}: ${what}`,
        });
      }
      return { job, tried };
    } finally {
      kernel.release(scratch);
    }
  });
}
