import type { FeatureName, Journal } from './wire.ts';

/** Every feature that needs brakes or steering. */
export const NEEDS_BRAKES_OR_STEERING: readonly FeatureName[] = [
  'aeb',
  'evasive_steering',
  'traffic_light_recognition',
  'intersection_assist',
  'esc',
];

/**
 * Traffic that can neither brake nor steer and hits something before long.
 * @param firstCar of those; the cars before it have everything on
 */
export function recklessJournal(firstCar = 0): Omit<Journal, 'kernel' | 'tick'> {
  const changes = Array.from({ length: 20 - firstCar }, (_, i) => ({
    tick: 0,
    car: firstCar + i,
    features: { brakes: false, steering: false },
  }));
  return { seed: 7, city: 'grid', changes };
}
