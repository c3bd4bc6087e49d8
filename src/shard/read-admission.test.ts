import { beforeEach, expect, test } from 'vitest';
import { READS_MAX } from '../limits.ts';
import { ReadAdmission } from './read-admission.ts';

let admission: ReadAdmission;

beforeEach(() => {
  admission = new ReadAdmission(READS_MAX);
});

/** How many of so many reads are let in. */
function enter(client: string, count: number): number {
  let admitted = 0;
  for (let i = 0; i < count; i++) {
    try {
      admission.enter(client);
      admitted++;
    } catch (error) {
      expect(error).toMatchObject({ code: 'overloaded', status: 503, retryAfterS: 1 });
    }
  }
  return admitted;
}

test('[L30] one client is refused above the maximum, others are still let in', () => {
  expect(enter('greedy', 2 * READS_MAX)).toBe(READS_MAX);
  expect(enter('other', 10)).toBe(10);
  expect(enter('third', 1)).toBe(1);
  expect(enter('greedy', 10)).toBe(0);
});

test('[L30] many clients have equal shares, and each has a place', () => {
  const clients = Array.from({ length: 16 }, (_, i) => `client ${i}`);
  for (const client of clients) expect(enter(client, 10)).toBe(10);
  expect(enter('greedy', 2 * READS_MAX)).toBe(READS_MAX - 160);
  for (const client of clients) expect(enter(client, 20)).toBe(Math.ceil(READS_MAX / 17) - 10);
  expect(enter('late', 1)).toBe(1);
});

test('[L30] at twice the maximum everybody is refused, until some have their answers', () => {
  let admitted = 0;
  for (let i = 0; i < 3 * READS_MAX; i++) admitted += enter(`client ${i}`, 1);
  expect(admitted).toBe(2 * READS_MAX);
  admission.leave('client 0');
  expect(enter('late', 2)).toBe(1);
});

test('answered reads make room', () => {
  enter('a', READS_MAX);
  for (let i = 0; i < READS_MAX; i++) admission.leave('a');
  expect(enter('b', READS_MAX)).toBe(READS_MAX);
});
