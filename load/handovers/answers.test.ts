import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

/** Of requests, by when each was due and answered. */
function summaryOf(asked: readonly (readonly [dueMs: number, answeredMs: number])[]) {
  const answers = new Answers();
  answers.addHandover(1000, 1100);
  answers.addHandover(3000, 3100);
  for (const [dueMs, answeredMs] of asked) answers.add(answeredMs, answeredMs - dueMs);
  return answers.summary();
}

test('requests that met a handover are told from those before, between and after', () => {
  const others = [
    [990, 995],
    [1101, 1106],
    [2900, 2905],
    [3101, 3106],
  ] as const;
  const meeting = [
    [990, 1000],
    [1050, 1060],
    [1100, 1110],
    [3050, 3060],
  ] as const;
  const found = summaryOf([...others, ...meeting]);
  expect([found.others.count, found.others.maxMs]).toEqual([4, expect.closeTo(5, 1)]);
  expect([found.meeting.count, found.meeting.maxMs]).toEqual([4, expect.closeTo(10, 1)]);
});

test('a request that is answered long after the handover that it met has met it', () => {
  const { others, meeting } = summaryOf([
    [1050, 2950],
    [3050, 9050],
  ]);
  expect(others.count).toBe(0);
  expect([meeting.count, meeting.maxMs / 1000]).toEqual([2, expect.closeTo(6, 1)]);
});
