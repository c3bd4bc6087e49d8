import { TICK_S } from '../../../assembly/layout.ts';
import type { City } from '../../city/types.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { type Course, courseOf } from './course.ts';
import { DrivingProbe } from './driving-probe.ts';
import { DrivingTally } from './driving-tally.ts';
import { makeWorld } from './kernel.ts';
import { OrderProbe } from './order-probe.ts';
import { SignalProbe } from './signal-probe.ts';
import { Undisturbed } from './undisturbed.ts';

const ORDER_TICKS = 50;
/** Cars know where they are on their lanes after every odd tick. */
const ORDER_PHASE = 1;
const OVERLAP_TICKS = 10;

/**
 * Drives one world per seed for some ticks and measures all of them; `prepare` may switch features
 * first.
 */
export function measureDriving(
  kernel: Kernel,
  city: City,
  cityIndex: number,
  seeds: readonly number[],
  ticks: number,
  prepare: (slab: Slab) => void = () => {},
): DrivingTally {
  const tally = new DrivingTally();
  const course = courseOf(city, cityIndex);
  for (const seed of seeds) {
    const slab = makeWorld(kernel, seed, cityIndex);
    prepare(slab);
    driveWorld(kernel, slab, course, tally, `${city.name} seed ${seed}`, ticks);
    kernel.release(slab);
  }
  return tally;
}

function driveWorld(
  kernel: Kernel,
  slab: Slab,
  course: Course,
  tally: DrivingTally,
  name: string,
  ticks: number,
): void {
  const arrays = kernel.view(slab);
  const undisturbed = new Undisturbed(arrays, course.city.hazards.length);
  const driving = new DrivingProbe(arrays, course, tally, name);
  const signals = new SignalProbe(arrays, course, tally, name, 0);
  const order = new OrderProbe(arrays, course, tally, name);
  for (let tick = 1; tick <= ticks; tick++) {
    kernel.step(slab, 1);
    undisturbed.look(tick);
    driving.look(tick, undisturbed);
    signals.look(tick);
    if (tick % OVERLAP_TICKS === 0) order.lookForOverlaps(tick);
    if (tick % ORDER_TICKS === ORDER_PHASE) order.look(tick, driving.stood, undisturbed);
  }
  driving.finish(ticks);
  signals.finish(ticks);
  tally.contacts += kernel.contactCount(slab);
}

/** A limit on one figure of driving. */
export interface DrivingLimit {
  name: string;
  unit: string;
  of: (tally: DrivingTally) => number;
  /** Origin of the figure: the place of an extreme, or examples of what was counted. */
  seen?: (tally: DrivingTally) => string;
  atMost?: number;
  atLeast?: number;
}

const KMH_PER_MPS = 3.6;
const examples = (what: string) => (tally: DrivingTally) =>
  (tally.examples.get(what) ?? []).join('; ');

export const DRIVING_LIMITS: readonly DrivingLimit[] = [
  {
    name: 'distance to the lane centre outside junctions, RMS of cars that move undisturbed',
    unit: 'm',
    of: (tally) => Math.sqrt(tally.offsetSquares / tally.offsetTicks),
    atMost: 0.2,
  },
  {
    name: 'distance to the lane centre outside junctions, greatest of undisturbed cars',
    unit: 'm',
    of: ({ offset }) => offset.value,
    seen: ({ offset }) => offset.where,
    atMost: 0.6,
  },
  {
    name: 'speed as a share of the limit, greatest',
    unit: '',
    of: ({ speedShare }) => speedShare.value,
    seen: ({ speedShare }) => speedShare.where,
    atMost: 1.05,
  },
  {
    name: 'mean speed, those that stand included',
    unit: 'km/h',
    of: ({ distanceM, carTicks }) => (distanceM / (carTicks * TICK_S)) * KMH_PER_MPS,
    atLeast: 20,
  },
  {
    name: 'lateral acceleration of cars that move, 99th percentile',
    unit: 'm/s²',
    of: (tally) => tally.lateralPercentile(0.99),
    seen: ({ lateral }) => `greatest ${lateral.value.toFixed(2)} at ${lateral.where}`,
    atMost: 2.6,
  },
  {
    name: 'gap between undisturbed queued cars, least',
    unit: 'm',
    of: ({ narrowestGap }) => narrowestGap.value,
    seen: ({ narrowestGap }) => narrowestGap.where,
    atLeast: 1.5,
  },
  {
    name: 'gap between undisturbed queued cars, greatest',
    unit: 'm',
    of: ({ widestGap }) => widestGap.value,
    seen: (tally) => `${outOfBand(tally)}; ${examples('gaps')(tally)}`,
    atMost: 3.5,
  },
  { name: 'arrivals at signals', unit: '', of: ({ arrivals }) => arrivals, atLeast: 500 },
  {
    name: 'stop lines crossed on red',
    unit: '',
    of: ({ redCrossings }) => redCrossings,
    seen: examples('crossed on red'),
    atMost: 0,
  },
  { name: 'choices at amber', unit: '', of: ({ choices }) => choices, atLeast: 30 },
  { name: 'choices at amber to go', unit: '', of: ({ goes }) => goes, atLeast: 5 },
  {
    name: 'went at amber where the rule stops',
    unit: '',
    of: ({ wrongGoes }) => wrongGoes,
    seen: examples('went where the rule stops'),
    atMost: 0,
  },
  {
    name: 'stopped at amber where the rule goes',
    unit: '',
    of: ({ wrongStops }) => wrongStops,
    seen: examples('stopped where the rule goes'),
    atMost: 0,
  },
  {
    name: 'longest standstill',
    unit: 's',
    of: ({ stoodTicks }) => stoodTicks.value * TICK_S,
    seen: ({ stoodTicks }) => stoodTicks.where,
    atMost: 120,
  },
  { name: 'contacts', unit: '', of: ({ contacts }) => contacts, atMost: 0 },
  {
    name: 'bodies seen to overlap',
    unit: '',
    of: ({ overlaps }) => overlaps,
    seen: examples('overlaps'),
    atMost: 0,
  },
  { name: 'cars taken back to their route', unit: '', of: ({ respawns }) => respawns, atMost: 0 },
  {
    name: 'cars that did not complete their loop',
    unit: '',
    of: ({ unfinishedLoops }) => unfinishedLoops,
    seen: examples('unfinished loops'),
    atMost: 0,
  },
];

/** Limits that hold in every world, however it drives. */
export const MOTION_LIMITS: readonly DrivingLimit[] = [
  {
    name: 'position jumps',
    unit: '',
    of: ({ jumps }) => jumps,
    seen: examples('jumps'),
    atMost: 0,
  },
  {
    name: 'distance against the sum of speeds, of one car over the drive',
    unit: '',
    of: ({ distanceError }) => distanceError.value,
    seen: ({ distanceError }) => distanceError.where,
    atMost: 0.001,
  },
  {
    // The mean of two yaw rates is not quite that of the tick between where a car swerves hardest.
    name: 'turn of the heading in a tick against the yaw rate',
    unit: 'rad/s',
    of: ({ headingError }) => headingError.value,
    seen: ({ headingError }) => headingError.where,
    atMost: 0.01,
  },
  {
    name: 'turns against the sum of yaw rates, of one car over the drive',
    unit: '',
    of: ({ turnError }) => turnError.value,
    seen: ({ turnError }) => turnError.where,
    atMost: 0.001,
  },
  {
    name: 'offset against the geometry of the lane',
    unit: 'm',
    of: ({ offsetError }) => offsetError.value,
    seen: ({ offsetError }) => offsetError.where,
    atMost: 0.03,
  },
  {
    name: 'length of the heading vector against one',
    unit: '',
    of: ({ headingLengthError }) => headingLengthError.value,
    seen: ({ headingLengthError }) => headingLengthError.where,
    atMost: 1e-12,
  },
  {
    name: 'seconds with a number that is none',
    unit: '',
    of: ({ notFinite }) => notFinite,
    seen: examples('not finite'),
    atMost: 0,
  },
];

function outOfBand({ gapCount, gapsInBand }: DrivingTally): string {
  return `${gapCount - gapsInBand} of ${gapCount} out of band`;
}

export function isMet({ of, atMost, atLeast }: DrivingLimit, tally: DrivingTally): boolean {
  const value = of(tally);
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
}

/** One line: figure, limit, and where it was seen. */
export function describeLimit(limit: DrivingLimit, tally: DrivingTally): string {
  const { name, unit, of, seen, atMost, atLeast } = limit;
  const value = Number(of(tally).toPrecision(4));
  const bound = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  const where = seen?.(tally) ?? '';
  return `${name}: ${value} ${unit} (${bound}) ${where}`;
}
