import * as layout from '../../../assembly/layout.ts';
import { realOf } from '../../kernel/slab-arrays.ts';
import { TRIED_GROUPS, TRIED_TICKS } from '../../limits.ts';
import { OUTLOOK_CONSEQUENCES } from '../../twin/enumerations.ts';
import { LEAD_TICKS } from '../../twin/outlook-record.ts';
import type { Rewind, Slices } from './rewind.ts';

const FRAME_S = layout.FRAME_TICKS * layout.TICK_S;
/**
 * What a car does within this distance of another one that lacks the same feature, m, it may do only
 * because of that one.
 */
const ALONE_M = 40;
/** Within this time after its event a collision follows from it, ticks (5 s). */
const FOLLOWS_TICKS = 250;

const COLLISION = OUTLOOK_CONSEQUENCES.indexOf('collision');
const RED_LIGHT = OUTLOOK_CONSEQUENCES.indexOf('red_light');
const RIGHT_OF_WAY = OUTLOOK_CONSEQUENCES.indexOf('right_of_way');

/**
 * What has to be tried: a car without the feature may stop all the same, for cross traffic, behind
 * another car or because it was slow.
 */
interface Trial {
  off: number;
  /** The event that is looked for, and what it is called unless a collision follows. */
  event: number;
  consequence: number;
  /** Mask of the features without which the same happens. */
  features: number;
}

const TRIALS: readonly Trial[] = [
  {
    off: layout.F_TRAFFIC_LIGHT_RECOGNITION,
    event: layout.EVENT_RED_LIGHT,
    consequence: RED_LIGHT,
    features: layout.F_TRAFFIC_LIGHT_RECOGNITION | layout.F_FRONT_CAMERA | layout.F_BRAKES,
  },
  {
    off: layout.F_INTERSECTION_ASSIST,
    event: layout.EVENT_NOT_YIELDED,
    consequence: RIGHT_OF_WAY,
    features: layout.F_INTERSECTION_ASSIST | layout.F_CORNER_RADARS | layout.F_BRAKES,
  },
  {
    off: layout.F_FRONT_RADAR,
    event: layout.EVENT_COLLISION,
    consequence: COLLISION,
    features: layout.F_FRONT_RADAR,
  },
];
/** Mask of the features that are tried. */
export const TRIED = TRIALS.reduce((mask, { off }) => mask | off, 0);

/** What came of a trial. */
interface Shown {
  car: number;
  /** Mask of the features without which it happens. */
  features: number;
  tick: number;
  spot: number;
  consequence: number;
  wayM: number;
}

/**
 * The first event that each trial shows, with few cars at a time without its feature. In each of the
 * TRIED_GROUPS runs some cars lack the one feature, others another one, and some none.
 */
export function* tried(rewind: Rewind, image: Uint8Array, group: number): Slices<Shown[]> {
  rewind.restore({ image, changes: [] });
  const { kernel, slab, tick: fromTick } = rewind;
  const world = kernel.view(slab);
  const { i32 } = world;
  const real = (array: number, car: number) => realOf(world, array, car);
  const trialOf = (car: number) => TRIALS[(car + group) % TRIED_GROUPS];
  const cars = Array.from({ length: layout.CAR_COUNT }, (_, car) => car);
  for (const car of cars) kernel.apply(slab, fromTick, car, trialOf(car)?.off ?? 0, 0);
  const metresApart = (one: number, other: number) =>
    Math.hypot(
      real(layout.C_X, one) - real(layout.C_X, other),
      real(layout.C_Y, one) - real(layout.C_Y, other),
    );
  const ways = new Float64Array(layout.CAR_COUNT);
  const found = new Map<number, Shown>();
  const show = (car: number, event: number, spot: number) => {
    const trial = trialOf(car);
    if (trial === undefined) return;
    const { tick } = rewind;
    const known = found.get(car);
    const isCollision = event === layout.EVENT_COLLISION;
    if (known && isCollision && tick <= known.tick + FOLLOWS_TICKS) {
      Object.assign(known, { spot, consequence: COLLISION });
    }
    if (known || trial.event !== event || tick <= fromTick + LEAD_TICKS) return;
    const isLed = cars.some(
      (other) => other !== car && trialOf(other) === trial && metresApart(car, other) < ALONE_M,
    );
    if (isLed) return;
    const { features, consequence } = trial;
    found.set(car, { car, features, tick, spot, consequence, wayM: ways[car] ?? 0 });
  };
  /** By number of an event: its argument, in which its repeats are counted. */
  const known = new Map<number, number>();
  const look = () => {
    for (const car of cars) {
      ways[car] = (ways[car] ?? 0) + Math.abs(real(layout.C_VX, car)) * FRAME_S;
    }
    for (let index = 0; index < layout.EVENT_RING; index++) {
      const event = (layout.EVENTS + index * layout.EVENT_BYTES) / 4;
      const [seq = 0, arg = 0] = [i32[event + layout.E_SEQ / 4], i32[event + layout.E_ARG / 4]];
      if (seq === 0 || known.get(seq) === arg) continue;
      known.set(seq, arg);
      const kind = i32[event + layout.E_KIND / 4] ?? 0;
      // Of a collision the car that struck.
      const car = i32[event + layout.E_CAR / 4] ?? -1;
      const spot = i32[event + layout.E_HAZARD / 4] ?? -1;
      if (car >= 0) show(car, kind, kind === layout.EVENT_COLLISION ? spot : -1);
    }
  };
  look();
  ways.fill(0);
  yield* rewind.stepTo(fromTick + TRIED_TICKS, layout.FRAME_TICKS, look);
  return [...found.values()];
}
