import { add, at } from '../../city/geometry.ts';
import type { Lane, Light } from '../../city/types.ts';
import { headingOf, negate, rightOf } from '../geometry.ts';
import type { Arm, JunctionPlan } from './streets.ts';

const TICKS_PER_S = 50;
const RED_AMBER_TICKS = 1 * TICKS_PER_S;
/** Least time between two phases in which all lights are red. */
const ALL_RED_MIN_TICKS = 1 * TICKS_PER_S;
/** Distance beyond the width of the junction that the last car of a phase has to clear, m. */
const CLEARED_BEYOND_M = 5;

/** Green times of the main street and of the crossing one, by the class of the latter. */
const GREEN_TICKS = {
  arterial: { main: 20 * TICKS_PER_S, crossing: 20 * TICKS_PER_S },
  collector: { main: 20 * TICKS_PER_S, crossing: 20 * TICKS_PER_S },
  local: { main: 24 * TICKS_PER_S, crossing: 16 * TICKS_PER_S },
} as const;

/** 4 s at a limit of 60 km/h, 3 s at lower limits. */
const amberTicksAt = (speedLimitMps: number): number =>
  (speedLimitMps > 55 / 3.6 ? 4 : 3) * TICKS_PER_S;

/**
 * The signals of a junction: one light per approach and two phases, the main street first. The
 * cycle begins with the main street's red and amber. Junctions with other control have no lights.
 */
export function buildSignals(
  plan: JunctionPlan,
  junction: number,
  arms: readonly Arm[],
  lanes: readonly Lane[],
  firstLight: number,
): { lights: Light[]; cycleTicks: number } {
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
  const speeds = arms.flatMap((arm) => arm.arriving.map((lane) => at(lanes, lane).speedLimitMps));
  const amberTicks = amberTicksAt(Math.max(...speeds));
  const greenFromTick = fromTick + RED_AMBER_TICKS;
  const endTick = greenFromTick + greenTicks + amberTicks + allRedTicks(arms, Math.min(...speeds));
  return { greenFromTick, greenTicks, amberTicks, endTick };
}

/** Time that the last car of a phase needs from its stop line across the junction. */
function allRedTicks(arms: readonly Arm[], slowestMps: number): number {
  const wayM = 2 * Math.max(...arms.map(({ setbackM }) => setbackM)) + CLEARED_BEYOND_M;
  return Math.max(ALL_RED_MIN_TICKS, Math.ceil((wayM / slowestMps) * TICKS_PER_S));
}
