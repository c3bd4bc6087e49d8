import { expect, test } from 'vitest';
import { systemRandom } from '../../random.ts';
import { BackpressureSampler } from './backpressure-sampler.ts';

test.each([64, 1000, 10_000])('one of 128 KiB is picked, in answers of %i bytes', (bytes) => {
  const sampler = new BackpressureSampler(systemRandom);
  const count = Math.ceil((1000 * 131_072) / bytes);
  let pickedCount = 0;
  for (let i = 0; i < count; i += 1) if (sampler.picks(bytes)) pickedCount += 1;
  expect(pickedCount).toBeGreaterThan(800);
  expect(pickedCount).toBeLessThan(1200);
});
