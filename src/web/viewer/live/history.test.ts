import { expect, it } from 'vitest';
import type { Snapshot, Vehicle } from '../api/types.ts';
import { History } from './history.ts';

function frame(tick: number, ...speeds: number[]): Snapshot {
  const vehicles = speeds.map((speed) => ({ speed }) as Vehicle);
  return { type: 'snapshot', world: 'w', tick, time: 0, vehicles, lights: [], hazards: [] };
}

it('has the speed of each car and its change over three frames', () => {
  const history = new History();
  for (const [i, speed] of [10, 10.2, 10.4, 10.6, 10.8].entries()) {
    history.add(frame(i * 4, 5, speed));
  }
  const past = history.of(1);
  expect(past.map(({ tick }) => tick)).toEqual([0, 4, 8, 12, 16]);
  expect(past[4]?.speed).toBeCloseTo(10.8);
  // 0.6 m/s more in 0.24 s.
  expect(past[4]?.acceleration).toBeCloseTo(2.5);
  expect(past[2]?.acceleration).toBeNull();
  expect(history.of(0)[4]?.acceleration).toBeCloseTo(0);
});

it('has no acceleration across a collision', () => {
  const history = new History();
  for (const [i, speed] of [12, 12, 12, 0].entries()) history.add(frame(i * 4, speed));
  expect(history.of(0)[3]?.acceleration).toBeNull();
});

it('goes half a minute back and no further', () => {
  const history = new History();
  for (let tick = 0; tick < 4000; tick += 4) history.add(frame(tick, tick / 100));
  const past = history.of(0);
  expect(past.length).toBe(375);
  expect(past[0]?.tick).toBe(2500);
  expect(past[0]?.speed).toBeCloseTo(25);
});

it('ignores a repeated frame', () => {
  const history = new History();
  history.add(frame(8, 1));
  history.add(frame(8, 2));
  expect(history.of(0).map(({ speed }) => speed)).toEqual([1]);
});
