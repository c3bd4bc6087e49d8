import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Answer, ask, expectRefusal, makeWorld, read, until } from './client.ts';
import { Dice } from './dice.ts';
import { useNodes } from './nodes.ts';
import { expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { declaredOf, expectSwitched, SwitchedCar } from './switched-car.ts';

const nodes = useNodes();
const run = promisify(execFile);

/** No file of the process may grow beyond so much: writes then fail as on a full device. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/** Makes worlds, fewer and fewer at a time, until one alone is refused; the refusal. */
async function fillUp(base: string): Promise<Answer> {
  const make = () => ask(base, '/api/v1/worlds', { method: 'POST', body: { seed: 1 } });
  for (let atOnce = 64; ; ) {
    const answers = await Promise.all(Array.from({ length: atOnce }, make));
    const refusal = answers.find(({ status }) => status !== 201);
    if (refusal !== undefined && atOnce === 1) return refusal;
    if (refusal !== undefined) atOnce /= 4;
  }
}

test('on a full disk writes are refused, reads and streams go on, and all heals with space', async () => {
  const settings = { DATA_DIR: nodes.dir(), SHARDS: '1', LOG_LEVEL: 'silent' };
  const node = await nodes.ownProcess(settings);
  const { twinUrl, pid } = node;
  const world = await makeWorld(twinUrl, { seed: 1, start_tick: 1000 });
  const cars = world.fleet.slice(0, 4).map(({ vin }) => new SwitchedCar(vin));
  const dice = new Dice(1);
  for (const car of cars) await car.switch(twinUrl, dice);
  const reader = await StreamReader.open(twinUrl, world);

  await limitFiles(pid, statSync(join(settings.DATA_DIR, 'data.mdb')).size);
  expectRefusal(await fillUp(twinUrl));
  // What changes nothing need not be written.
  for (const car of cars) while (car.refused === 0) await car.switch(twinUrl, dice);
  const { length } = reader.snapshots;
  await until('frames go on', () => reader.snapshots.length > length + 10);
  expect(Object.keys(await declaredOf(twinUrl, world.fleet[0]?.vin ?? ''))).toHaveLength(12);
  await read(twinUrl, `/api/v1/worlds/${world.id}/state`);

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
