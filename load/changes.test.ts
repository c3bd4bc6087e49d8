import { expect, test } from 'vitest';
import { type Car, note } from './changes.ts';

function carUnderWay(): Car {
  return { vin: 'X', acknowledged: undefined, underWay: 1, uncertain: false };
}

function answer(status: number) {
  return { status, head: '', body: Buffer.alloc(0) };
}

test('an acknowledged change is remembered', () => {
  const car = carUnderWay();
  note(car, false, answer(200));
  expect(car).toMatchObject({ acknowledged: false, underWay: 0, uncertain: false });
});

test('a refused change leaves the value before it', () => {
  const car = { ...carUnderWay(), acknowledged: true };
  note(car, false, answer(429));
  expect(car).toMatchObject({ acknowledged: true, uncertain: false });
});

test('after a failed answer or none the value is uncertain', () => {
  const [lost, failed] = [carUnderWay(), carUnderWay()];
  note(lost, true, undefined);
  note(failed, true, answer(503));
  expect([lost.uncertain, failed.uncertain]).toEqual([true, true]);
});
