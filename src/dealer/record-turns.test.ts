import { expect, test } from 'vitest';
import { RecordTurns } from './record-turns.ts';

test('work on the same record goes in order, and other work does not wait for it', async () => {
  const turns = new RecordTurns();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, ends?: Promise<void>) => async () => {
    log.push(name);
    await ends;
    return name;
  };
  const a = turns.take(['a'], work('a', first.promise));
  const b = turns.take(['b'], work('b'));
  const ab = turns.take(['a', 'b'], work('ab'));
  const afterAb = turns.take(['b'], work('b again'));
  expect(await b).toBe('b');
  expect(log).toEqual(['a', 'b']);
  first.resolve();
  expect(await Promise.all([a, ab, afterAb])).toEqual(['a', 'ab', 'b again']);
  expect(log).toEqual(['a', 'b', 'ab', 'b again']);
});

test('work that fails ends its turn', async () => {
  const turns = new RecordTurns();
  const fails = turns.take(['a'], () => Promise.reject(new Error('no')));
  const next = turns.take(['a'], async () => 'done');
  await expect(fails).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('of work that has to wait some hundred pieces do, and what need not wait is not refused', async () => {
  const turns = new RecordTurns();
  const first = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 513 }, () => turns.take(['a'], () => first.promise));
  await expect(turns.take(['a'], async () => {})).rejects.toMatchObject({ status: 503 });
  expect(await turns.take(['b'], async () => 'done')).toBe('done');
  first.resolve();
  await Promise.all(waiting);
  expect(await turns.take(['a'], async () => 'done')).toBe('done');
});
