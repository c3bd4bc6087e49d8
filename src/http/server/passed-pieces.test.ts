import { beforeEach, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { StreamedAnswers } from './streamed-answers.ts';

let time: TestTime;
let streamed: StreamedAnswers;
let begunCount = 0;
let endedCount = 0;
let failures: unknown[] = [];

beforeEach(() => {
  time = TestTime.standing();
  streamed = new StreamedAnswers(time);
  begunCount = 0;
  endedCount = 0;
  failures = [];
});

async function* pieces(...made: (string | Error)[]) {
  begunCount++;
  try {
    for (const piece of made) {
      if (piece instanceof Error) throw piece;
      yield piece;
    }
  } finally {
    endedCount++;
  }
}

const pass = (key: string, ...made: (string | Error)[]) =>
  streamed.pass(key, pieces(...made), (error) => failures.push(error));

async function all(passed: AsyncIterable<string | Uint8Array>): Promise<string[]> {
  const got: string[] = [];
  for await (const piece of passed) got.push(String(piece));
  return got;
}

test('all pieces pass, but for empty ones', async () => {
  expect(await all(await pass('a', '', 'x', '', 'y'))).toEqual(['x', 'y']);
  expect(await all(await pass('a', ''))).toEqual([]);
  expect([begunCount, endedCount]).toEqual([2, 2]);
});

test('[H24] of all of them one piece is made in a turn, and keys take turns', async () => {
  const made: string[] = [];
  async function* noting(name: string) {
    for (const number of [1, 2, 3]) {
      made.push(name + number);
      yield name + number;
    }
  }
  const answers = ['a', 'a', 'b'].map((key, i) =>
    streamed.pass(key, noting(`${key}${i}:`), () => {}),
  );
  await Promise.all(answers.map(async (answer) => all(await answer)));
  expect(made).toHaveLength(9);
  expect(made.slice(0, 2)).toEqual(['a0:1', 'b2:1']);
});

test('the next piece is made when it is asked for', async () => {
  let madeCount = 0;
  async function* endless() {
    for (;;) yield String(++madeCount);
  }
  const passed = await streamed.pass('a', endless(), () => {});
  const counts = [madeCount];
  for (let i = 0; i < 3; i++) {
    await passed.next();
    counts.push(madeCount);
  }
  expect(counts).toEqual([1, 1, 2, 3]);
  await passed.return();
  expect(await passed.next()).toMatchObject({ done: true });
});

test('what is thrown before the first piece rejects, later it breaks off', async () => {
  await expect(pass('a', '', new TwinError('store_unavailable'))).rejects.toThrow(TwinError);
  expect(failures).toEqual([]);
  const passed = await pass('a', 'x', new Error('late'));
  await expect(all(passed)).rejects.toThrow('late');
  expect(failures).toMatchObject([{ message: 'late' }]);
  expect(endedCount).toBe(2);
});

test('[L21] they count as answers of their client, until they end in whatever way', async () => {
  const open = await Promise.all(Array.from({ length: 32 }, () => pass('a', 'x', 'y')));
  await expect(pass('a', 'x')).rejects.toThrow('rate_limited');
  await pass('b', 'x');
  await open[0]?.return();
  await all(open[1] as AsyncIterable<string>);
  await pass('a', 'x');
  await pass('a', 'x');
  await expect(pass('a', 'x')).rejects.toThrow('rate_limited');
});

test('one that nobody reads for 45 s is broken, and its production ends', async () => {
  const passed = await pass('a', 'x', 'y', 'z');
  await passed.next();
  await passed.next();
  await time.advance(44_999);
  expect(endedCount).toBe(0);
  await time.advance(1);
  expect(endedCount).toBe(1);
  await expect(passed.next()).rejects.toThrow('request_timeout');
});
