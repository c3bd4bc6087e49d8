import { expect, test } from 'vitest';
import { number } from './fields.ts';
import { Form } from './form.ts';

const form = new Form({ a: number() }, {});

test.each([
  ['1', 1],
  ['-1.5', -1.5],
  ['.5', 0.5],
  ['2.', 2],
  ['+3e2', 300],
])('%s is the number %d', (text, meant) => {
  expect(form.read('body', { a: text }).a).toBe(meant);
});

test.each(['', '.', 'e5', '1e', '1.2.3', '0x1', '1 2'])('%j is no number', (text) => {
  expect(() => form.read('body', { a: text })).toThrow(expect.objectContaining({ status: 422 }));
});

test('[R37] a long text that is nearly a number is refused in linear time', () => {
  // With a pattern that looks at each pair of digits this would take a quarter of an hour.
  const text = `${'1'.repeat(1_000_000)}x`;
  expect(() => form.read('body', { a: text })).toThrow(expect.objectContaining({ status: 422 }));
});
