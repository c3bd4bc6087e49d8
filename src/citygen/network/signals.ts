import { add, at } from '../../city/geometry.ts';
import type { Lane, Light } from '../../city/types.ts';
import { headingOf, negate, rightOf } from '../geometry.ts';
import type { Arm, JunctionPlan } from './streets.ts';

const TICKS_PER_S = 50;
const RED_AMBER_TICKS = 1 * TICKS_PER_S;
/** Everybody has plain red for at least so long between two greens, besides the red with amber. */
const ALL_RED_MIN_TICKS = 1 * TICKS_PER_S;
/** A car that passed its line in the last moment has so far to go beyond the junction's width, m. */
const CLEARED_BEYOND_M = 5;

/** Green of the main street and of the one that crosses it, by what the latter is. */
const GREEN_TICKS = {
  arterial: { main: 20 * TICKS_PER_S, crossing: 20 * TICKS_PER_S },
  collector: { main: 20 * TICKS_PER_S, crossing: 20 * TICKS_PER_S },
  local: { main: 24 * TICKS_PER_S, crossing: 16 * TICKS_PER_S },
} as const;

/** As road rules have it: 4 s where 60 km/h are allowed, 3 s below. */
const amberTicksAt = (speedLimitMps: number): number =>
  (speedLimitMps > 55 / 3.6 ? 4 : 3) * TICKS_PER_S;

export interface Signals {
  lights: Light[];
  cycleTicks: number;
}

/**
 * The signals of a junction: one light an approach, two phases, the main street first. Tick 0 of
 * the cycle is where its red and amber begins. Junctions without signals get none.
 */
export function buildSignals(
  plan: JunctionPlan,
  junction: number,
  arms: readonly Arm[],
  lanes: readonly Lane[],
  firstLight: number,
): Signals {
  if (plan.control !== 'signals') return { lights: [], cycleTicks: 0 };
  const main = arms.filter((arm) => arm.street === plan.mainStreet);
  const crossing = arms.filter((arm) => arm.street !== plan.mainStreet);
  const green = GREEN_TICKS[at(crossing, 0).class];
  const first = phase(0, green.main, main, lanes);
  const second = phase(first.endTick, green.crossing, crossing, lanes);
  const timed = [
    ...main.map((arm) => ({ arm, ...first })),
    ...crossing.map((arm) => ({ arm, ...second })),
  ];
  const lights = timed.map(({ arm, greenFromTick, greenTicks, amberTicks }, i): Light => {
    const stopLine = add([plan.x, plan.y], arm.outward, arm.setbackM);
    const inward = negate(arm.outward);
    const [x, y] = add(stopLine, rightOf(inward), arm.halfWidthM + POLE_BESIDE_M);
    return {
      id: `s${firstLight + i + 1}`,
      junction,
      x,
      y,
      heading: headingOf(inward),
      lanes: arm.arriving,
      greenFromTick,
      greenTicks,
      amberTicks,
      redAmberTicks: RED_AMBER_TICKS,
    };
  });
  return { lights, cycleTicks: second.endTick };
}

const POLE_BESIDE_M = 0.8;

function phase(fromTick: number, greenTicks: number, arms: readonly Arm[], lanes: readonly Lane[]) {
  const arriving = arms.flatMap((arm) => arm.arriving);
  const fastestMps = Math.max(...arriving.map((lane) => at(lanes, lane).speedLimitMps));
  const amberTicks = amberTicksAt(fastestMps);
  const greenFromTick = fromTick + RED_AMBER_TICKS;
  const endTick = greenFromTick + greenTicks + amberTicks + allRedTicks(arms, lanes);
  return { greenFromTick, greenTicks, amberTicks, endTick };
}

/** Time in which the last car of a phase drives from its stop line across the junction. */
function allRedTicks(arms: readonly Arm[], lanes: readonly Lane[]): number {
  const widest = Math.max(...arms.map(({ setbackM }) => setbackM));
  const wayM = 2 * widest + CLEARED_BEYOND_M;
  const speeds = arms.flatMap((arm) => arm.arriving.map((lane) => at(lanes, lane).speedLimitMps));
  const ticks = Math.ceil((wayM / Math.min(...speeds)) * TICKS_PER_S);
  return Math.max(ALL_RED_MIN_TICKS, ticks);
}
