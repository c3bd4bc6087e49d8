import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import { Passwords } from './passwords.ts';

test('what was not done when a node stops is refused with 503', async () => {
  const passwords = new Passwords(systemRandom);
  const all = Array.from({ length: 10 }, () => passwords.hash('secret'));
  const ended = Promise.allSettled(all);
  await passwords.close();
  const refused = (await ended).filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  const busy = { status: 'rejected', reason: { status: 503, retryAfterS: 1 } };
  for (const each of refused) expect(each).toMatchObject(busy);
});

test('[L15] two passwords are hashed at a time, 64 wait, and more are refused', async () => {
  const passwords = new Passwords(systemRandom);
  const all = Array.from({ length: 66 }, () => passwords.hash('secret'));
  const ended = Promise.allSettled(all);
  expect([passwords.running, passwords.waiting]).toEqual([2, 64]);
  await expect(passwords.hash('secret')).rejects.toMatchObject({ status: 503, retryAfterS: 1 });
  await all[0];
  expect(passwords.running).toBe(2);
  expect(passwords.waiting).toBeLessThan(64);
  await passwords.close();
  await ended;
  expect([passwords.running, passwords.waiting]).toEqual([0, 0]);
});

/** Niceness of every thread of this process, by thread id. */
function nicenesses(): Map<number, number> {
  const ids = readdirSync('/proc/self/task');
  return new Map(
    ids.map((id) => {
      // The name is in brackets and may contain blanks; the niceness is the 17th field after it.
      const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1);
      return [Number(id), Number(fields?.split(' ')[16])];
    }),
  );
}

describe('passwords', () => {
  const before = nicenesses();
  const passwords = new Passwords(systemRandom);
  afterAll(() => passwords.close());

  test('are stored as argon2id hashes with the agreed parameters', async () => {
    const hashes = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
    for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(await passwords.verify(hashes[0], 'secret')).toBe(true);
    expect(await passwords.verify(hashes[0], 'Secret')).toBe(false);
    for (const none of [null, undefined]) expect(await passwords.verify(none, '')).toBe(false);
  });

  test('are hashed after a fault of a thread', async () => {
    await expect(passwords.verify('no hash', 'secret')).rejects.toThrow();
    expect(await passwords.verify(await passwords.hash('secret'), 'secret')).toBe(true);
    expect([passwords.running, passwords.waiting]).toEqual([0, 0]);
  });

  test.runIf(process.platform === 'linux')('are hashed by threads of low priority', async () => {
    await Promise.all(Array.from({ length: 4 }, () => passwords.hash('secret')));
    const after = nicenesses();
    for (const [id, niceness] of before) expect(after.get(id) ?? niceness).toBe(niceness);
    const given = Math.min(19, (after.get(process.pid) ?? 0) + 5);
    expect([...after.values()].filter((niceness) => niceness === given)).toHaveLength(2);
  });
});
