import { expect, test } from 'vitest';
import { Quotas } from './quotas.ts';

test('changes under way cannot exceed a quota together', () => {
  const quotas = new Quotas(2, 'full');
  const [one, two, three] = [quotas.reservation(), quotas.reservation(), quotas.reservation()];
  one.reserve('fleet', 0);
  two.reserve('fleet', 0);
  expect(() => three.reserve('fleet', 0)).toThrow(expect.objectContaining({ status: 409 }));
  three.reserve('other', 1);
  // The records count it before it is released.
  one.release();
  expect(() => one.reserve('fleet', 1)).toThrow(expect.objectContaining({ detail: 'full' }));
  one.release();
  two.release();
  two.release();
  one.reserve('fleet', 1);
});

test('a change that is repeated reserves one item', () => {
  const quotas = new Quotas(1, 'full');
  const reservation = quotas.reservation();
  reservation.reserve('fleet', 0);
  reservation.reserve('fleet', 0);
  reservation.release();
  quotas.reservation().reserve('fleet', 0);
});
