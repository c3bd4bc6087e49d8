import { expect, test } from 'vitest';
import { lengthOf } from '../src/city/geometry.ts';
import { Crossing } from '../src/testing/rigs/crossing.ts';
import { VEHICLE } from '../src/testing/rigs/manoeuvres.ts';
import { poseAlong } from '../src/testing/rigs/paths.ts';
import { spotOf } from '../src/testing/rigs/proving-road.ts';
import { F_ALL, F_FRONT_CAMERA, F_FRONT_RADAR, TICKS_PER_S } from './layout.ts';

interface Standing {
  turn: 'left' | 'right';
  side: 'outer' | 'inner';
  /** Of the way through the junction. */
  share: number;
  /** From the middle of the lane to the near side of the vehicle, m. */
  besideM: number;
  /** Against the way, rad. */
  angle: number;
}

/** Whether a car that turns meets a vehicle that stands beside its bend. */
function meets({ turn, side, share, besideM, angle }: Standing, features: number): boolean {
  const world = new Crossing({
    control: 'none',
    cars: { 0: { from: 'south', turn, distanceM: 2, speedMps: 4, features } },
    hazards: [spotOf(VEHICLE, 0)],
  });
  const { polyline } = world.connector('south', turn);
  const { x, y, hx, hy } = poseAlong(polyline, share * lengthOf(polyline));
  const way = Math.atan2(hy, hx);
  const isRight = (turn === 'left') === (side === 'outer');
  const aside = way + (isRight ? -Math.PI / 2 : Math.PI / 2);
  const awayM = besideM + VEHICLE.widthM / 2;
  world.edit((slab) =>
    slab.placeActor(0, {
      x: x + awayM * Math.cos(aside),
      y: y + awayM * Math.sin(aside),
      hx: Math.cos(way + angle),
      hy: Math.sin(way + angle),
    }),
  );
  return world.until(() => world.contactCount > 0, 6 * TICKS_PER_S) >= 0;
}

const PLACES = [0.5, 0.75].flatMap((share) =>
  [0.4, 0, -0.4].flatMap((angle) =>
    [1.1, 1.2, 1.7, 1.8].map((besideM) => ({ share, angle, besideM })),
  ),
);

test.each([
  ['left', 'outer'],
  ['left', 'inner'],
  ['right', 'outer'],
  ['right', 'inner'],
] as const)('A car that turns %s stops before an obstacle on its %s side.', (turn, side) => {
  const met = (features: number) =>
    PLACES.filter((place) => meets({ ...place, turn, side }, features));
  expect(met(F_ALL)).toEqual([]);
  // A car without sensors hits the vehicle in more than a third of these places.
  expect(met(F_ALL & ~(F_FRONT_CAMERA | F_FRONT_RADAR)).length).toBeGreaterThan(PLACES.length / 3);
});
