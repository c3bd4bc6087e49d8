import { describe, expect, it } from 'vitest';
import { amberChoice } from './amber.ts';

const KMH = 1 / 3.6;

/** Distances by hand: v·0.3 s + v²/6, v·0.3 s + v²/9 and v·Y, m. */
describe('the choice at amber', () => {
  it.each([
    // 30 km/h, 3 s: comfortable stop from 14.07 m on.
    [30, 3, 14.0, 'go'],
    [30, 3, 14.2, 'stop'],
    // 50 km/h, 3 s: comfortable stop from 36.32 m on, amber lasts for 41.67 m.
    [50, 3, 36.2, 'go'],
    [50, 3, 36.4, 'stop'],
    // 60 km/h, 4 s: from 51.30 m on.
    [60, 4, 51.2, 'go'],
    [60, 4, 51.4, 'stop'],
    // 60 km/h with 2 s of amber: dilemma between 33.33 m and 51.30 m, a hard stop takes 35.86 m.
    [60, 2, 33.2, 'go'],
    [60, 2, 35.7, 'go'],
    [60, 2, 36.0, 'stop'],
    [0, 3, 1, 'stop'],
  ] as const)('at %d km/h and %d s, %d m before the line: %s', (kmh, amberS, distanceM, choice) => {
    expect(amberChoice(kmh * KMH, distanceM, amberS)).toBe(choice);
  });
});
