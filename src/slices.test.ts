import { expect, test } from 'vitest';
import { SLICE_ITEMS, Slices } from './slices.ts';
import { TurnCount } from './testing/doubles/turn-count.ts';
import { systemTime } from './time.ts';

const numbers = Array.from({ length: 3 * SLICE_ITEMS }, (_, i) => i);

test('[R37] long work returns to the event loop after each slice, in rotation with other work', async () => {
  const slices = new Slices(systemTime);
  const count = new TurnCount();
  const order: string[] = [];
  const work = async (name: string) => {
    await slices.next();
    await slices.each(numbers, (i) => {
      count.add();
      if (i % SLICE_ITEMS === 0) order.push(name);
    });
  };
  await Promise.all([work('a'), work('b')]);
  expect(count).toMatchObject({ total: 2 * numbers.length, most: SLICE_ITEMS });
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

test('what is made of a list is in its order', async () => {
  expect(await new Slices(systemTime).map(numbers, (i) => -i)).toEqual(numbers.map((i) => -i));
});
