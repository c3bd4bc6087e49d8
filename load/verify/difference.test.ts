import { expect, test } from 'vitest';
import { firstByte, firstField } from './difference.ts';

test('the first byte and the first field that differ are found', () => {
  const [one, other] = ['{"a":[1,2]}', '{"a":[1,3]}'].map((text) => Buffer.from(text));
  if (one === undefined || other === undefined) throw new Error('there are two');
  expect(firstByte(one, other)).toBe(8);
  expect(firstByte(one, one.subarray(0, 4))).toBe(4);
  const frame = { tick: 4, vehicles: [{ x: 1 }, { x: 2, y: 0 }], hazards: null };
  expect(firstField(frame, structuredClone(frame))).toBe('');
  expect(firstField(frame, { ...frame, hazards: [] })).toBe('hazards');
  expect(firstField(frame, { ...frame, vehicles: [{ x: 1 }, { x: 2, y: -0 }] })).toBe(
    'vehicles[1].y',
  );
  expect(firstField(frame, { ...frame, vehicles: [{ x: 1 }] })).toBe('vehicles[1]');
  expect(firstField(frame, undefined)).toBe('all of it');
});
