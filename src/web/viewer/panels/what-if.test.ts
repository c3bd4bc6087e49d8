import { expect, test } from 'vitest';
import { compared } from './what-if.tsx';

test('the comparison says what is not known', () => {
  expect(compared('1 min', 0, 0)).toBe('Within 1 min: no collision in the copy, none in the city.');
  expect(compared('1 min', 2, null)).toBe(
    'Within 1 min: 2 collisions in the copy, not known in the city.',
  );
});
