import type { City } from '../types.ts';
import type { LaneProfile } from './lane-profile.ts';

/** Comfortable lateral acceleration in a bend, m/s². */
const CURVE_ACCELERATION = 2;
/** Deceleration before a slower point, m/s². */
const CURVE_DECELERATION = 1.5;
/** Rounds over a loop until the speeds at its end have an effect at its start. */
const ROUNDS = 2;

/**
 * Speed at each point of a lane, m/s: at most the limit, comfortable in bends, and falling by at
 * most `CURVE_DECELERATION`.
 */
export function speedsOf({ points, spacingM }: LaneProfile, limitMps: number): number[] {
  const speeds = points.map(({ curvature }) =>
    Math.min(limitMps, Math.sqrt(CURVE_ACCELERATION / Math.max(Math.abs(curvature), 1e-6))),
  );
  for (let i = speeds.length - 2; i >= 0; i--) {
    speeds[i] = Math.min(speeds[i] ?? 0, speedBefore(speeds[i + 1] ?? 0, spacingM));
  }
  return speeds;
}

/**
 * For each route and each of its lanes, the speed at the end of the lane that the rest of the route
 * allows, m/s. The speed at a station is the lower of the lane's own and the one from which a car
 * can brake to this.
 */
export function exitSpeedsOf(
  city: City,
  profiles: readonly LaneProfile[],
  speeds: readonly (readonly number[])[],
): number[][] {
  return city.routes.map((route) => {
    const exits = route.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = route.length - 1; i >= 0; i--) {
        const after = (i + 1) % route.length;
        const lane = route[after] ?? 0;
        const own = speeds[lane]?.[0] ?? 0;
        const beyond = speedBefore(exits[after] ?? 0, profiles[lane]?.lengthM ?? 0);
        exits[i] = Math.min(own, beyond);
      }
    }
    return exits;
  });
}

/** The speed from which a car brakes to `speedMps` within a distance. */
const speedBefore = (speedMps: number, distanceM: number): number =>
  Math.sqrt(speedMps * speedMps + 2 * CURVE_DECELERATION * distanceM);
