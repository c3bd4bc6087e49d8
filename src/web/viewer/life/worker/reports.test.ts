import { expect, test } from 'vitest';
import { DivergedRun } from '../../../../shard/counterfactual/counterfactual-runner.ts';
import { TestTime } from '../../../../testing/doubles/test-time.ts';
import type { Incident } from '../../api/types.ts';
import { Reports } from './reports.ts';

const ROUND_MS = 500;

/** The reports of a world with one incident, whose explanation is refused with one error after the other. */
function stage(errors: readonly Error[]) {
  const time = TestTime.standing();
  const told: Incident[] = [];
  let asked = 0;
  const incident = { id: 'i4-0', tick: 4, explained: false, place: { x: 0 } } as Incident;
  const grown = { ...incident, place: { ...incident.place, x: 1 } };
  const world = {
    async explain() {
      const error = errors[asked++];
      if (error !== undefined) throw error;
      return { ...grown, explained: true };
    },
    incident: () => grown,
  };
  const platform = { now: () => time.now(), after: time.after.bind(time), random: () => 0 };
  const reports = new Reports(
    platform,
    () => world,
    (each) => told.push(...each),
  );
  reports.add(incident);
  return { time, told, grown, asked: () => asked };
}

test('a report that cannot be made yet is asked for again, until it is explained', async () => {
  const early = new RangeError('it is not over');
  const { time, told, grown, asked } = stage([early, early]);
  await time.advance(10 * ROUND_MS);
  expect(asked()).toBe(3);
  expect(told).toEqual([grown, { ...grown, explained: true }]);
});

test('an incident that does not happen again in a re-run is not run again for ever', async () => {
  const { time, told, grown, asked } = stage(new Array(9).fill(new DivergedRun('no such contact')));
  await time.advance(10 * ROUND_MS);
  expect(asked()).toBe(1);
  expect(told).toEqual([grown]);
});
