import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SLICE_ITEMS } from '../slices.ts';
import { TurnCount } from '../testing/doubles/turn-count.ts';
import { takenGrant } from '../testing/rigs/taken-grant.ts';
import { makeStoreDir, openIn, type TempStore, tempStore } from '../testing/rigs/temp-store.ts';
import { storeSuite } from '../testing/suites/store/contract.suite.ts';
import type { Key, Store } from './contract.ts';

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

function script(name: string): string {
  return fileURLToPath(new URL(`../testing/doubles/${name}`, import.meta.url));
}

storeSuite('embedded', () => tempStore(openIn));

describe('the directory', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await makeStoreDir();
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('is created with all that leads to it', async () => {
    const store = await openIn(join(dir, 'not', 'there.yet'));
    expect(await store.commit([], [{ key: ['a'], value: 1 }])).toBe(true);
    await store.close();
  });

  it('[R27] is refused to a second process, which says why', async () => {
    const store = await openIn(dir);
    const second = spawn(process.execPath, [...NODE_FLAGS, script('crash-writer.ts'), dir]);
    const [said] = await Promise.all([text(second.stderr), once(second, 'close')]);
    expect(said).toContain(`${dir} is in use`);
    expect(second.exitCode).toBe(1);
    expect(await store.list([], { limit: 1 })).toEqual([]);
    await store.close();
  });

  it('is refused a second time within one process, until it is closed', async () => {
    const store = await openIn(dir);
    await expect(openIn(dir)).rejects.toThrow('is in use');
    expect(await store.commit([], [{ key: ['a'], value: 1 }])).toBe(true);
    await store.close();
    const again = await openIn(dir);
    expect((await again.get(['a']))?.value).toBe(1);
    await again.close();
  });
});

describe('an embedded store', () => {
  let temp: TempStore<Store>;
  let store: Store;
  beforeEach(async () => {
    temp = await tempStore(openIn);
    store = temp.store;
  });
  afterEach(() => temp.destroy());

  it('lists everything under the empty prefix', async () => {
    await store.commit([], [{ key: ['dealer'], value: 1 }]);
    const world = { key: ['p', 63, 'world'], value: 2 };
    await store.commit([], [world], await takenGrant(store, 63));
    const entries = await store.list([], { limit: 10 });
    expect(entries.map(({ value }) => value)).toEqual([1, 2]);
  });

  it('[R37] packs a long commit in slices, and keeps the order of commits', async () => {
    const packed = new TurnCount();
    const writes = Array.from({ length: 4 * SLICE_ITEMS }, (_, i) => ({
      key: ['many', i],
      value: {
        // Called when the value is packed.
        get n() {
          packed.add();
          return i;
        },
      },
    }));
    const long = store.commit([], writes);
    const after = store.commit([{ key: ['many', 0], version: null }], [{ key: ['b'], value: 1 }]);
    expect(await Promise.all([long, after])).toEqual([true, false]);
    expect(packed).toMatchObject({ total: writes.length, most: SLICE_ITEMS });
    const found = await store.list(['many'], { limit: writes.length });
    expect(found.map(({ value }) => value)).toEqual(writes.map((_, n) => ({ n })));
  });

  it('rejects a long commit with a value that is none, and no other', async () => {
    const values = [...Array(2 * SLICE_ITEMS).fill(1), undefined];
    const writes = values.map((value, i) => ({ key: ['many', i], value }));
    const results = await Promise.allSettled([
      store.commit([], writes),
      store.commit([], [{ key: ['b'], value: 1 }]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await store.list([], { limit: 10 })).toHaveLength(1);
  });

  it('refuses commits while too much waits, and takes them again afterwards', async () => {
    const value = new Uint8Array(8 * 2 ** 20);
    const asked = Array.from({ length: 10 }, (_, index) =>
      store.commit([], [{ key: ['big', index], value }]),
    );
    const results = await Promise.allSettled(asked);
    const accepted = results.filter(({ status }) => status === 'fulfilled');
    expect(accepted).toEqual(Array(8).fill({ status: 'fulfilled', value: true }));
    expect(results.at(-1)).toMatchObject({
      reason: { name: 'StoreUnavailable', reason: 'failed' },
    });
    expect(await store.commit([], [{ key: ['big', 9], value }])).toBe(true);
    expect(await store.list(['big'], { limit: 10 })).toHaveLength(9);
  });
});

describe('a writer that is killed', () => {
  const ROUNDS = 5;
  /** More from round to round, so that the kills fall at different stages of growth. */
  const ACKNOWLEDGED_MORE = 200;

  it('has every acknowledged commit in the store, and none by half', async () => {
    const dir = await makeStoreDir();
    const acknowledged: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const enough = ACKNOWLEDGED_MORE * (round + 1);
      acknowledged.push(...(await writeUntilKilled(dir, round * 1_000_000, enough)));
      await expectWhole(dir, acknowledged);
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * ACKNOWLEDGED_MORE);
    await rm(dir, { recursive: true });
  });

  /** The numbers a writer had acknowledged when it was killed, which are at least so many. */
  async function writeUntilKilled(dir: string, first: number, enough: number): Promise<number[]> {
    const args = [...NODE_FLAGS, script('crash-writer.ts'), dir, String(first)];
    const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(writer, 'close');
    let printed = '';
    writer.stdout.setEncoding('latin1').on('data', (some: string) => {
      printed += some;
      if (printed.split('\n').length > enough) writer.kill('SIGKILL');
    });
    await ended;
    expect(writer.signalCode).toBe('SIGKILL');
    return printed.split('\n').slice(0, -1).map(Number);
  }

  async function expectWhole(dir: string, acknowledged: readonly number[]): Promise<void> {
    const store = await openIn(dir);
    const left = await numbersOf(store, 'left');
    const right = await numbersOf(store, 'right');
    expect(left).toEqual(right);
    expect(acknowledged.filter((number) => !left.has(number))).toEqual([]);
    await store.close();
  }

  async function numbersOf(store: Store, side: string): Promise<Set<number>> {
    const numbers = new Set<number>();
    for (let partition = 0; partition < 64; partition++) {
      const prefix: Key = ['p', partition, side];
      for (const { key, value } of await store.list<{ number: number }>(prefix, {
        limit: 10_000,
      })) {
        expect(value.number).toBe(key[3]);
        numbers.add(value.number);
      }
    }
    return numbers;
  }
});

describe('a device without space', () => {
  it('fails the batch that does not fit, and takes commits again by itself', async () => {
    const dir = await makeStoreDir();
    const writer = spawnWithFileLimit(script('full-writer.ts'), dir);
    const [printed] = await Promise.all([
      text(writer.stdout as NodeJS.ReadableStream),
      once(writer, 'close'),
    ]);
    // A rejection that nobody handles would have ended it with 1.
    expect(writer.exitCode).toBe(0);
    const unavailable = 'StoreUnavailable full';
    expect(JSON.parse(printed)).toEqual({
      before: 'true',
      together: unavailable,
      over: unavailable,
      afterwards: 'true',
      keys: ['afterwards', 'before'],
      last: unavailable,
    });
    await rm(dir, { recursive: true });
  });

  /** Where a file would grow beyond the limit, writes fail as they do on a full device. */
  function spawnWithFileLimit(file: string, dir: string): ChildProcess {
    const command = 'ulimit -f 4096 && exec "$@"';
    const args = ['-c', command, 'sh', process.execPath, ...NODE_FLAGS, file, dir];
    return spawn('sh', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  }
});
