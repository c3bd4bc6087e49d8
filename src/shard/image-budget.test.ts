import { expect, test } from 'vitest';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import { HEARTBEAT_MS, IMAGE_BYTES_PER_S } from '../limits.ts';
import { ImageBudget } from './image-budget.ts';

test('a heartbeat has its images, and none are saved up for later ones', () => {
  const budget = new ImageBudget();
  const taken = () => Array.from({ length: 1000 }, () => budget.take()).filter(Boolean).length;
  const perHeartbeat = Math.floor((IMAGE_BYTES_PER_S * HEARTBEAT_MS) / 1000 / SLAB_BYTES);
  expect(taken()).toBe(perHeartbeat);
  expect(taken()).toBe(0);
  for (let i = 0; i < 10; i++) budget.refill();
  expect(taken()).toBe(perHeartbeat);
});
