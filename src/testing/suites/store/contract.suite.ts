import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../store/contract.ts';
import { systemTime } from '../../../time.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import type { TempStore } from '../../rigs/temp-store.ts';
import { describeKeys } from './keys.suite.ts';
import { type Current, keysOf, put, versionOf } from './steps.ts';

/** A fresh store of one engine. */
type StoreUnderTest = Omit<TempStore<Store>, 'dir'>;

/** What the contract says, as tests that any engine has to pass. */
export function storeSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let under: StoreUnderTest;

    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.destroy());

    const current = () => under.store;
    describe('entries', () => describeEntries(current));
    describe('versions', () => describeVersions(current));
    describe('checks', () => describeChecks(current));
    describe('commits that overlap', () => describeOverlap(current));
    describe('grants of partitions', () => describeGrants(current));
    describeKeys(current);
    describe('closing and opening', () => {
      describeReopening(current, () => under.reopen());
    });
  });
}

function describeEntries(current: Current): void {
  it('are undefined until they are written', async () => {
    expect(await current().get(['world', 1])).toBeUndefined();
  });

  it('are read as they were written, with their key', async () => {
    const value = { name: 'Älvsjö', ticks: [0, 1.5, -7, 2 ** 40], open: true, owner: null };
    await put(current(), ['world', 1], value);
    expect(await current().get(['world', 1])).toEqual({
      key: ['world', 1],
      value,
      version: expect.any(Number),
    });
  });

  it('are gone once removed, and removing what is absent is no failure', async () => {
    await put(current(), ['world', 1], 'here');
    expect(await current().commit([], [{ key: ['world', 1], remove: true }])).toBe(true);
    expect(await current().get(['world', 1])).toBeUndefined();
    expect(await current().commit([], [{ key: ['world', 1], remove: true }])).toBe(true);
  });

  it.each([0, 1, 12_345, 100_000])('carry %i bytes as a Uint8Array of its own', async (length) => {
    const image = Uint8Array.from({ length }, (_, index) => (index * 31) & 0xff);
    await put(current(), ['image', 1], { tick: 4, image });
    const { value } = (await current().get<{ image: Uint8Array }>(['image', 1])) ?? {};
    expect(value).toStrictEqual({ tick: 4, image });
    expect(value?.image.buffer.byteLength).toBe(length);
    const [listed] = await current().list(['image'], { limit: 1 });
    expect(listed?.value).toStrictEqual({ tick: 4, image });
  });

  it('are there to read once their commit has ended', async () => {
    const write = { key: ['car', 7], value: 'seventh' };
    expect(await current().commit([], [write])).toBe(true);
    expect((await current().get(['car', 7]))?.value).toBe('seventh');
  });

  it('are written as they were when the commit was called', async () => {
    const value = { declared: 1 };
    const done = current().commit([], [{ key: ['car', 1], value }]);
    value.declared = 2;
    await done;
    expect((await current().get(['car', 1]))?.value).toEqual({ declared: 1 });
  });

  it('keep the last of two writes of one commit', async () => {
    await current().commit(
      [],
      [
        { key: ['car', 1], value: 'first' },
        { key: ['car', 2], value: 'first' },
        { key: ['car', 1], value: 'second' },
        { key: ['car', 2], remove: true },
      ],
    );
    expect((await current().get(['car', 1]))?.value).toBe('second');
    expect(await current().get(['car', 2])).toBeUndefined();
  });
}

function describeVersions(current: Current): void {
  it('changes the version with every write, even of the same value', async () => {
    const seen = new Set<number | null>();
    for (let round = 0; round < 5; round++) {
      await put(current(), ['car', 1], 'same');
      seen.add(await versionOf(current(), ['car', 1]));
    }
    expect(seen.size).toBe(5);
    expect(seen).not.toContain(0);
    expect(seen).not.toContain(null);
  });

  it('never gives a version again after the key was removed', async () => {
    await put(current(), ['car', 1], 'old');
    const old = await versionOf(current(), ['car', 1]);
    await current().commit([], [{ key: ['car', 1], remove: true }]);
    await put(current(), ['car', 1], 'new');
    expect(await versionOf(current(), ['car', 1])).not.toBe(old);
  });

  it('shows the same version to get and list', async () => {
    await put(current(), ['car', 1], 'x');
    const [listed] = await current().list(['car'], { limit: 1 });
    expect(listed?.version).toBe(await versionOf(current(), ['car', 1]));
  });
}

function describeChecks(current: Current): void {
  it('[R28] goes through while the key has the version, and not after', async () => {
    await put(current(), ['car', 1], 'first');
    const version = await versionOf(current(), ['car', 1]);
    const check = [{ key: ['car', 1], version }];
    expect(await current().commit(check, [{ key: ['car', 1], value: 'second' }])).toBe(true);
    expect(await current().commit(check, [{ key: ['car', 1], value: 'third' }])).toBe(false);
    expect((await current().get(['car', 1]))?.value).toBe('second');
  });

  it('goes through on a null check only while the key is absent', async () => {
    const check = [{ key: ['car', 1], version: null }];
    expect(await current().commit(check, [{ key: ['car', 1], value: 'mine' }])).toBe(true);
    expect(await current().commit(check, [{ key: ['car', 1], value: 'yours' }])).toBe(false);
    await current().commit([], [{ key: ['car', 1], remove: true }]);
    expect(await current().commit(check, [{ key: ['car', 1], value: 'yours' }])).toBe(true);
  });

  it('fails on the version of a key that is gone', async () => {
    await put(current(), ['car', 1], 'x');
    const version = await versionOf(current(), ['car', 1]);
    await current().commit([], [{ key: ['car', 1], remove: true }]);
    const check = [{ key: ['car', 1], version }];
    expect(await current().commit(check, [{ key: ['car', 2], value: 'x' }])).toBe(false);
  });

  it('[R28] writes nothing at all where one of several checks fails', async () => {
    await put(current(), ['car', 1], 'x');
    const version = await versionOf(current(), ['car', 1]);
    const checks = [
      { key: ['car', 1], version },
      { key: ['car', 1], version: null },
    ];
    const writes = [
      { key: ['car', 1], remove: true as const },
      { key: ['car', 2], value: 'new' },
    ];
    expect(await current().commit(checks, writes)).toBe(false);
    expect(await keysOf(current(), ['car'])).toEqual([['car', 1]]);
  });

  it('tells by a commit without writes whether the checks hold', async () => {
    expect(await current().commit([{ key: ['car', 1], version: null }], [])).toBe(true);
    expect(await current().commit([{ key: ['car', 1], version: 77 }], [])).toBe(false);
  });
}

function describeOverlap(current: Current): void {
  it('take effect in the order of the calls', async () => {
    const rounds = Array.from({ length: 50 }, (_, index) => index);
    await Promise.all(
      rounds.map((round) =>
        current().commit(
          [],
          [
            { key: ['last'], value: round },
            { key: ['n', round], value: 0 },
          ],
        ),
      ),
    );
    expect((await current().get(['last']))?.value).toBe(49);
    expect(await keysOf(current(), ['n'])).toEqual(rounds.map((round) => ['n', round]));
  });

  it('let one of many claimants through, the first', async () => {
    const claims = Array.from({ length: 20 }, (_, who) =>
      current().commit([{ key: ['lease'], version: null }], [{ key: ['lease'], value: who }]),
    );
    expect(await Promise.all(claims)).toEqual([true, ...Array(19).fill(false)]);
    expect((await current().get(['lease']))?.value).toBe(0);
  });

  it('are checked against the earlier writes of the same turn', async () => {
    await put(current(), ['car'], 'old');
    const version = await versionOf(current(), ['car']);
    const held = [{ key: ['car'], version }];
    const absent = [{ key: ['car'], version: null }];
    const results = await Promise.all([
      current().commit(absent, [{ key: ['car'], value: 'too early' }]),
      current().commit(held, [{ key: ['car'], remove: true }]),
      current().commit(held, [{ key: ['car'], value: 'too late' }]),
      current().commit(absent, [{ key: ['car'], value: 'new' }]),
      current().commit(absent, [{ key: ['car'], value: 'taken' }]),
    ]);
    expect(results).toEqual([false, true, false, true, false]);
    expect((await current().get(['car']))?.value).toBe('new');
  });

  it('see nothing of an earlier commit that was refused', async () => {
    const results = await Promise.all([
      current().commit([{ key: ['x'], version: 1 }], [{ key: ['car'], value: 'refused' }]),
      current().commit([{ key: ['car'], version: null }], [{ key: ['car'], value: 'free' }]),
    ]);
    expect(results).toEqual([false, true]);
  });

  it('lose no update where each retries until its check holds', async () => {
    await put(current(), ['sum'], 0);
    const add = async () => {
      for (;;) {
        const entry = await current().get<number>(['sum']);
        const check = [{ key: ['sum'], version: entry?.version ?? null }];
        const value = (entry?.value ?? 0) + 1;
        if (await current().commit(check, [{ key: ['sum'], value }])) return;
      }
    };
    await Promise.all(Array.from({ length: 12 }, add));
    expect((await current().get(['sum']))?.value).toBe(12);
  });
}

function describeGrants(current: Current): void {
  const world = { key: ['p', 9, 'world', 1], value: 0 };

  it('let a process write its partition, as long as they are renewed', async () => {
    const { claims } = current();
    const grant = await takenGrant(current(), 9);
    expect(grant.partition).toBe(9);
    expect(grant.untilMs()).toBeGreaterThan(systemTime.now());
    expect(await claims.renew([grant])).toEqual([]);
    expect(await current().commit([], [world], grant)).toBe(true);
    expect(await current().commit([{ key: world.key, version: null }], [world], grant)).toBe(false);
  });

  it('can be taken again once they were given up', async () => {
    const first = await takenGrant(current(), 9);
    await current().claims.release([first]);
    const second = await takenGrant(current(), 9);
    expect(second.epoch).toBeGreaterThanOrEqual(first.epoch);
    expect(await current().commit([], [world], second)).toBe(true);
  });
}

function describeReopening(current: Current, reopen: () => Promise<void>): void {
  it('keeps every entry with its version', async () => {
    const image = new Uint8Array(12_288).fill(9);
    await current().commit(
      [],
      [
        { key: ['world', 1], value: { seed: 5, nested: { deep: [1, 'two'] } } },
        { key: ['world', 'é\u{1f697}'], value: image },
      ],
    );
    const before = await current().list(['world'], { limit: 10 });
    await reopen();
    expect(before).toHaveLength(2);
    expect(await current().list(['world'], { limit: 10 })).toStrictEqual(before);
  });

  it('never gives a version again, even to a key that was removed before', async () => {
    await put(current(), ['car'], 'x');
    const old = await versionOf(current(), ['car']);
    await current().commit([], [{ key: ['car'], remove: true }]);
    await reopen();
    await put(current(), ['car'], 'x');
    expect(await versionOf(current(), ['car'])).not.toBe(old);
  });

  it('writes all that was asked before the close', async () => {
    const asked: Promise<boolean>[] = [];
    // Some turns apart, so that some is being written and some still waits.
    for (let index = 0; index < 12; index++) {
      asked.push(current().commit([], [{ key: ['n', index], value: index }]));
      await new Promise<void>((resolve) => void systemTime.immediate(resolve));
    }
    await current().close();
    expect(await Promise.all(asked)).toEqual(Array(12).fill(true));
    await reopen();
    expect(await keysOf(current(), ['n'])).toHaveLength(12);
  });

  it('refuses all that comes after the close, and closes a second time', async () => {
    const closing = current().close();
    const closed = { name: 'StoreUnavailable', reason: 'closed' };
    const late = { key: ['late'], value: 1 };
    await expect(current().commit([], [late])).rejects.toMatchObject(closed);
    await expect(current().get(['late'])).rejects.toMatchObject(closed);
    await closing;
    await current().close();
    await expect(current().list(['late'], { limit: 1 })).rejects.toMatchObject(closed);
    await expect(current().count(['late'])).rejects.toMatchObject(closed);
    await reopen();
    expect(await current().get(['late'])).toBeUndefined();
  });
}
