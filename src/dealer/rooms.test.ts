import { expect, test } from 'vitest';
import { Rooms } from './rooms.ts';

test('changes under way cannot overfill a room together', () => {
  const rooms = new Rooms(2, 'full');
  const [one, two, three] = [rooms.place(), rooms.place(), rooms.place()];
  one.take('fleet', 0);
  two.take('fleet', 0);
  expect(() => three.take('fleet', 0)).toThrow(expect.objectContaining({ status: 409 }));
  three.take('other', 1);
  // The records count it before it is given back.
  one.giveBack();
  expect(() => one.take('fleet', 1)).toThrow(expect.objectContaining({ detail: 'full' }));
  one.giveBack();
  two.giveBack();
  two.giveBack();
  one.take('fleet', 1);
});

test('a change that is repeated takes one place', () => {
  const rooms = new Rooms(1, 'full');
  const place = rooms.place();
  place.take('fleet', 0);
  place.take('fleet', 0);
  place.giveBack();
  rooms.place().take('fleet', 0);
});
