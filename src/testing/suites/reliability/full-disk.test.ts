import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { journalEntryOf } from '../../../twin/journal.ts';
import { Dice } from '../../rigs/dice.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { vinOf } from '../twin/api.ts';
import { type Answer, ask, expectRefusal, makeWorld } from './client.ts';
import { expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { declaredOf, expectSwitched, firstCars } from './switched-car.ts';

const nodes = useNodes();
const run = promisify(execFile);

/** No file of the process may grow beyond so much: writes then fail as on a full device. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/** Changes of a world with a long past: some 50 KB in the store. */
const PAST = Array.from({ length: 3000 }, (_, i) =>
  journalEntryOf({ tick: i + 1, car: i % 20, touched: 1, values: Math.floor(i / 20) % 2 }),
);

/** Makes worlds with a past, then such without, until one is refused; the refusal. */
async function fillUp(base: string, city: string): Promise<Answer> {
  const journal = { seed: 1, city, tick: PAST.length, changes: PAST };
  for (let json: object = { journal }; ; ) {
    const answer = await ask(base, '/api/v1/worlds', { method: 'POST', json });
    if (answer.status === 201) continue;
    if (!('journal' in json)) return answer;
    json = {};
  }
}

test('[R9] on a full disk writes are refused, reads and streams go on, and all heals with space', async () => {
  const settings = { DATA_DIR: nodes.dir(), SHARDS: '1', LOG_LEVEL: 'silent' };
  const node = await nodes.ownProcess(settings);
  const { twinUrl, pid } = node;
  const world = await makeWorld(twinUrl, { seed: 1, start_tick: 1000 });
  const cars = firstCars(world, 4);
  const dice = new Dice(1);
  for (const car of cars) await car.switch(twinUrl, dice);
  const reader = await StreamReader.open(twinUrl, world);

  await limitFiles(pid, statSync(join(settings.DATA_DIR, 'data.mdb')).size);
  expectRefusal(await fillUp(twinUrl, world.city));
  // What changes nothing need not be written.
  for (const car of cars) while (car.refused === 0) await car.switch(twinUrl, dice);
  const { length } = reader.snapshots;
  await until('frames go on', () => reader.snapshots.length > length + 10);
  expect(Object.keys(await declaredOf(twinUrl, vinOf(world, 0)))).toHaveLength(12);
  expect((await ask(twinUrl, `/api/v1/worlds/${world.id}/state`)).status).toBe(200);

  await limitFiles(pid, 'unlimited');
  await makeWorld(twinUrl, { seed: 2 });
  for (const car of cars) await car.switch(twinUrl, dice);
  expect(cars.map(({ refused }) => refused)).toEqual([1, 1, 1, 1]);
  expect(reader.closeCode).toBeUndefined();
  await expectSwitched(twinUrl, world, cars);
  await expectWhole(twinUrl, world);

  await node.end('SIGKILL');
  const again = await nodes.ownProcess(settings);
  await expectSwitched(again.twinUrl, world, cars);
  await expectWhole(again.twinUrl, world);
});
