import { expect, test } from 'vitest';
import {
  C_GAP,
  F_ALL,
  F_CORNER_RADARS,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
} from '../../assembly/layout.ts';
import { cars, makeOneWorld } from '../testing/rigs/kernel.ts';
import type { IntentName } from '../twin/perception-record.ts';
import { perceivedBy } from './perception.ts';
import { realOf } from './slab-arrays.ts';

/** Whether any car knows anything by each of the sensors, over half a minute. */
function sensorsIn(features: number): number {
  const { kernel, slab } = makeOneWorld(11);
  for (const car of cars) kernel.apply(slab, 1, car, F_ALL, features);
  let seen = 0;
  for (let tick = 0; tick < 1500; tick += 50) {
    kernel.step(slab, 50);
    for (const car of cars) {
      for (const { sensors } of perceivedBy(kernel.view(slab), car).detections) seen |= sensors;
    }
  }
  return seen;
}

test('[W40] a car knows what its sensors know, and nothing by one that is off', () => {
  expect(sensorsIn(F_ALL)).toBe(SEEN_CAMERA | SEEN_RADAR | SEEN_CORNERS);
  expect(sensorsIn(F_ALL & ~F_FRONT_CAMERA)).toBe(SEEN_RADAR | SEEN_CORNERS);
  expect(sensorsIn(F_ALL & ~F_FRONT_RADAR)).toBe(SEEN_CAMERA | SEEN_CORNERS);
  expect(sensorsIn(F_ALL & ~F_FRONT_CAMERA & ~F_FRONT_RADAR & ~F_CORNER_RADARS)).toBe(0);
});

test('[W40] what a car does is told with whom it does that for', () => {
  const { kernel, slab } = makeOneWorld(12, 2);
  const world = kernel.view(slab);
  const intents = new Set<IntentName>();
  let [followed, confirmed] = [0, 0];
  for (let tick = 0; tick < 30_000; tick += 40) {
    kernel.step(slab, 40);
    for (const car of cars) {
      const { detections, intent, about } = perceivedBy(kernel.view(slab), car);
      intents.add(intent);
      for (const { object, confidence } of detections) {
        expect(object).not.toBe(car);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
        if (confidence === 1) confirmed++;
      }
      if (about !== undefined) {
        expect(detections.map(({ object }) => object)).toContain(about);
      }
      if (intent !== 'following') continue;
      followed++;
      // It follows what its gap was measured to, unless that is out of sight by now.
      expect(realOf(world, C_GAP, car)).toBeGreaterThan(0);
    }
  }
  expect(followed).toBeGreaterThan(100);
  expect(confirmed).toBeGreaterThan(1000);
  expect([...intents]).toEqual(
    expect.arrayContaining(['driving', 'following', 'braking', 'stopping_for_light', 'standing']),
  );
});
