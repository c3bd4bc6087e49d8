import { expect, test } from 'vitest';
import { emptyWorld } from '../live/interpolation.ts';
import { carOf } from '../live/playback.ts';
import { LastFrame } from './last-frame.ts';
import type { Mutable, Picked, ShownWorld } from './types.ts';

const POSE = { x: 1, y: 2, z: 0, distance: 100, tilt: 0.5, bearing: 0.1 };
const HAZARD = {
  ...{ id: 'h1', kind: 'animal', active: true, moves: false },
  ...{ x: 5, y: 6, heading: 0, length: 1, width: 0.5 },
};

function scene() {
  const car = carOf({ vin: 'A', model: 'Lumen City', colour: 'teal', plate: 'T 1' });
  const world: ShownWorld = { ...emptyWorld(), cars: [car, { ...car, vin: 'B' }] };
  world.hazards = [{ ...HAZARD }];
  world.lights.set('l1', 'red');
  const picked: Mutable<Picked> = {
    ...{ car: 0, route: [], effective: undefined },
    gap: null,
    sight: null,
  };
  return { world, picked, pose: { ...POSE }, reducedMotion: false };
}
type Scene = ReturnType<typeof scene>;

function lastFrame(of: Scene) {
  const last = new LastFrame();
  const isLike = () => last.isLike(of.world, of.picked, of.pose, of.reducedMotion);
  expect(isLike()).toBe(false);
  return { last, isLike };
}

test('a frame of the same things looks like the last one', () => {
  const { last, isLike } = lastFrame(scene());
  expect([isLike(), isLike()]).toEqual([true, true]);
  last.forget();
  expect([isLike(), isLike()]).toEqual([false, true]);
});

test.each<[string, (of: Scene) => unknown]>([
  ['a tick', ({ world }) => Object.assign(world, { tick: 0.1 })],
  ['a car that moves', ({ world }) => Object.assign(world.cars[1] ?? {}, { x: 0.001 })],
  ['a car that brakes', ({ world }) => Object.assign(world.cars[0] ?? {}, { braking: true })],
  ['a hazard that acts', ({ world }) => Object.assign(world.hazards[0] ?? {}, { moves: true })],
  ['a light that changes', ({ world }) => world.lights.set('l1', 'green')],
  ['a ghost', ({ world }) => world.ghosts.push(...world.cars.slice(0, 1))],
  ['the sign of the ghosts', ({ world }) => Object.assign(world, { ghostSign: 'with ESC' })],
  ['a contact', ({ world }) => Object.assign(world, { contact: [1, 2] })],
  ['a crash', ({ world }) => Object.assign(world, { crashes: [{ place: [1, 2], tick: 3 }] })],
  ['another focus', ({ world }) => Object.assign(world, { focus: { places: [] } })],
  ['another world', (of) => Object.assign(of, { world: emptyWorld() })],
  ['another picked car', (of) => Object.assign(of, { picked: { ...of.picked } })],
  ['no picked car', (of) => Object.assign(of, { picked: null })],
  ['the gap of the picked car', ({ picked }) => Object.assign(picked, { gap: 12 })],
  ['a camera that moves', ({ pose }) => Object.assign(pose, { bearing: 0.101 })],
  ['reduced motion', (of) => Object.assign(of, { reducedMotion: true })],
])('%s looks different', (_, change) => {
  const of = scene();
  const { isLike } = lastFrame(of);
  expect(isLike()).toBe(true);
  change(of);
  expect([isLike(), isLike()]).toEqual([false, true]);
});
