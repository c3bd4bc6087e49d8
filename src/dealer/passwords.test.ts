import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../random.ts';
import { Gate } from './gate.ts';
import { Passwords } from './passwords.ts';

describe('a gate', () => {
  test('lets two run, so many wait, and refuses the rest', async () => {
    const gate = new Gate(2, 3);
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const work = () => {
      running++;
      most = Math.max(most, running);
      return new Promise<void>((resolve) => ends.push(resolve)).finally(() => running--);
    };
    const all = Promise.allSettled(Array.from({ length: 8 }, () => gate.run(work)));
    expect([gate.running, gate.waiting]).toEqual([2, 3]);
    for (let ended = 0; ended < 5; ended++) {
      await expect.poll(() => ends.length).toBeGreaterThan(0);
      ends.shift()?.();
    }
    const results = await all;
    expect(most).toBe(2);
    expect(results.map(({ status }) => status)).toEqual([
      ...Array(5).fill('fulfilled'),
      ...Array(3).fill('rejected'),
    ]);
    expect(results.at(-1)).toMatchObject({ reason: { status: 503, retryAfterS: 1 } });
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  });

  test('goes on after what runs in it has failed', async () => {
    const gate = new Gate(1, 1);
    await expect(gate.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await gate.run(async () => 1)).toBe(1);
  });
});

/** Of every thread of this process, by its id. */
function nicenesses(): Map<number, number> {
  const ids = readdirSync('/proc/self/task');
  return new Map(
    ids.map((id) => {
      // Behind the name, which is in brackets and may hold blanks, the niceness is the 17th field.
      const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1);
      return [Number(id), Number(fields?.split(' ')[16])];
    }),
  );
}

describe('passwords', () => {
  const before = nicenesses();
  const passwords = new Passwords(systemRandom);
  afterAll(() => passwords.close());

  test('are kept as argon2id with the parameters that were agreed', async () => {
    const hashes = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
    for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(await passwords.verify(hashes[0], 'secret')).toBe(true);
    expect(await passwords.verify(hashes[0], 'Secret')).toBe(false);
    for (const none of [null, undefined]) expect(await passwords.verify(none, '')).toBe(false);
  });

  test('are hashed on after a fault', async () => {
    await expect(passwords.verify('no hash', 'secret')).rejects.toThrow();
    expect(await passwords.verify(await passwords.hash('secret'), 'secret')).toBe(true);
    expect([passwords.gate.running, passwords.gate.waiting]).toEqual([0, 0]);
  });

  test.runIf(process.platform === 'linux')('are hashed by threads that give way', async () => {
    await Promise.all(Array.from({ length: 4 }, () => passwords.hash('secret')));
    const after = nicenesses();
    for (const [id, niceness] of before) expect(after.get(id) ?? niceness).toBe(niceness);
    const given = Math.min(19, (after.get(process.pid) ?? 0) + 5);
    expect([...after.values()].filter((niceness) => niceness === given)).toHaveLength(2);
  });
});
