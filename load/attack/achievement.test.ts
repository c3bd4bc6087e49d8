import { expect, test } from 'vitest';
import { formatAchievement, noAchievement, together } from './achievement.ts';

test('what several processes reached is added up, and the first fault stays', () => {
  const one = { ...noAchievement(), connections: 2, requests: 5, statuses: { 200: 4, 503: 1 } };
  const other = { ...noAchievement(), connections: 1, closed: 1, statuses: { 200: 1 }, fault: 'x' };
  const both = together([one, other]);
  expect(both).toMatchObject({ connections: 3, requests: 5, closed: 1, fault: 'x' });
  expect(both.statuses).toEqual({ 200: 5, 503: 1 });
  expect(formatAchievement(both)).toBe(
    '3 connections, 1 closed by the node, 5 requests, 0 MiB sent, 0 MiB received, 5 × 200, 1 × 503',
  );
});
