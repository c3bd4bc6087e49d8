import { expect, test } from 'vitest';
import { RouteMeter } from './route-meter.ts';

const meter = () => new RouteMeter('twin', 'GET /x');
const ofClass = (of: RouteMeter, wanted: string) =>
  of.durations().find(([statusClass]) => statusClass === wanted)?.[1];

test('an answer at once is timed one time in sixteen, the first one included', () => {
  const of = meter();
  const picked = Array.from({ length: 40 }, () => of.picks());
  expect(picked.flatMap((isPicked, i) => (isPicked ? [i] : []))).toEqual([0, 16, 32]);
});

test('an answer that is timed counts for those that were not', () => {
  const of = meter();
  for (let i = 0; i < 15; i++) of.answered(200);
  of.timed(204, 4);
  of.timed(404, 30);
  const durations = ofClass(of, '2xx');
  expect([durations?.count, durations?.sumS]).toEqual([16, 0.064]);
  expect(ofClass(of, '4xx')?.count).toBe(1);
  expect(of.byStatus[200]).toBe(15);
  expect(of.byStatus[204]).toBe(1);
});

test('all answers are in the histogram whenever it is read, and none twice', () => {
  const of = meter();
  of.timed(200, 4);
  for (let i = 0; i < 3; i++) of.answered(200);
  expect(ofClass(of, '2xx')?.sumS).toBe(0.016);
  of.answered(200);
  expect(ofClass(of, '2xx')?.count).toBe(5);
  expect(ofClass(of, '2xx')?.count).toBe(5);
});

test('an answer that had to wait counts for itself alone', () => {
  const of = meter();
  for (let i = 0; i < 10; i++) of.answered(503);
  of.waited(503, 5000);
  const durations = ofClass(of, '5xx');
  expect([durations?.count, durations?.sumS]).toEqual([11, 5]);
});
