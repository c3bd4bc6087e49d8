import { expect, onTestFinished, test } from 'vitest';
import { openPlace } from './place.ts';

test('Node.js as a place is a thread of its own, with the package', async () => {
  const place = await openPlace('Node.js', []);
  onTestFinished(() => place.close());
  const mark = () => {
    Object.assign(globalThis, { wasHere: true });
    return Object.keys(globalThis).includes('client');
  };
  expect(await place.run(mark, null)).toBe(true);
  const isMarked = () => 'wasHere' in globalThis;
  expect([await place.run(isMarked, null), isMarked()]).toEqual([true, false]);
});

test('what fails in that thread is told, and so is its end', async () => {
  const place = await openPlace('Node.js', []);
  onTestFinished(() => place.close());
  const failing = (what: string) => {
    throw new RangeError(what);
  };
  await expect(place.run(failing, 'none of these')).rejects.toThrow('none of these');
  const forever = place.run(() => new Promise<void>(() => {}), null);
  const ended = expect(forever).rejects.toThrow('the thread has ended');
  await place.close();
  await ended;
  await expect(place.run(failing, '')).rejects.toThrow('the thread has ended');
});
