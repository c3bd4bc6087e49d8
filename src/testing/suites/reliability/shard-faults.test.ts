import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { BEHIND_TICKS, WAIT_MS_MAX } from '../../../limits.ts';
import type { Fault } from '../../../shard/protocol.ts';
import { systemTime } from '../../../time.ts';
import { parseWorldId } from '../../../twin/ids.ts';
import { rendezvous } from '../../../worlds/rendezvous.ts';
import { Dice } from '../../rigs/dice.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from '../twin/api.ts';
import {
  type Answer,
  ask,
  changesOf,
  expectRefusal,
  journalOf,
  makeWorld,
  retryAfterS,
  stateOf,
  tickOf,
  type World,
} from './client.ts';
import { expectLived, expectWhole } from './reference.ts';
import { expectEveryFrame, moreFrames, StreamReader } from './stream-reader.ts';
import {
  expectSwitched,
  firstCars,
  moreAcknowledged,
  SwitchedCar,
  switchOn,
} from './switched-car.ts';

const nodes = useNodes();

async function startFaulty(shards = 1): Promise<TestNode> {
  return nodes.inProcess({ SHARDS: String(shards) }, { faults: true });
}

function injectFault(node: TestNode, fault: Fault): void {
  node.shards[0]?.command({ kind: 'fault', fault });
}

function poison(node: TestNode, { id }: World): void {
  injectFault(node, { what: 'poison', world: parseWorldId(id) ?? 0 });
}

/**
 * Poisons a world that nobody watches, and waits for a tick: a world traps when it is stepped, and
 * a read within the tick that it has reached does not step it. `other` tells the time.
 */
async function poisonUnwatched(node: TestNode, world: World, other: World): Promise<void> {
  const tickOfOther = async () => tickOf(await stateOf(node.twinUrl, other));
  poison(node, world);
  // The shard takes commands before it answers requests that come later.
  const tick = await tickOfOther();
  // Ticks of two worlds begin apart: after two of one the other has begun one.
  await until('both worlds are a tick further', async () => (await tickOfOther()) >= tick + 2);
}

function makeWorlds(base: string, count: number): Promise<World[]> {
  return Promise.all(
    Array.from({ length: count }, (_, seed) => makeWorld(base, { seed, start_tick: 2000 })),
  );
}

function watchAll(base: string, worlds: readonly World[]): Promise<StreamReader[]> {
  return Promise.all(worlds.map((world) => StreamReader.open(base, world)));
}

/** All that a stream showed rose in ticks, and was the world as it is lived in one go. */
async function expectShown(base: string, world: World, reader: StreamReader): Promise<void> {
  const { ticks } = reader;
  expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b));
  expectLived(world, changesOf(await journalOf(base, world)), reader.snapshots);
}

test('[R16] a world that traps is rebuilt alone: the others keep their frames and the thread lives on', async () => {
  const node = await startFaulty();
  const worlds = await makeWorlds(node.twinUrl, 6);
  const readers = await watchAll(node.twinUrl, worlds);
  await moreFrames(readers, 5);
  const [ill, healthy] = [at(readers, 0), readers.slice(1)];
  const sick = at(worlds, 0);
  const incarnation = node.shards[0]?.incarnation;
  const dice = new Dice(1);
  const cars = firstCars(sick, 5);
  poison(node, sick);
  await Promise.all([
    ...cars.map((car) => car.switch(node.twinUrl, dice)),
    moreFrames([ill], 10),
    moreFrames(healthy, 10),
  ]);
  expectEveryFrame(healthy);
  expect(node.shards[0]?.incarnation).toBe(incarnation);
  await expectSwitched(node.twinUrl, sick, cars);
  for (const [i, world] of worlds.entries()) {
    await expectWhole(node.twinUrl, world);
    await expectShown(node.twinUrl, world, at(readers, i));
  }
});

test('a world without watchers is rebuilt by the next request, twice, and is quarantined after the third trap', async () => {
  const node = await startFaulty();
  const worlds = await makeWorlds(node.twinUrl, 2);
  const [world, other] = [at(worlds, 0), at(worlds, 1)];
  for (let round = 0; round < 2; round++) {
    await stateOf(node.twinUrl, world);
    await poisonUnwatched(node, world, other);
    const answer = await ask(node.twinUrl, `/api/v1/worlds/${world.id}/state`);
    expect(answer.status, answer.text).toBe(200);
    await expectWhole(node.twinUrl, world);
  }
  await poisonUnwatched(node, world, other);
  const answer = await ask(node.twinUrl, `/api/v1/worlds/${world.id}/state`);
  expectRefusal(answer);
  expect(JSON.parse(answer.text).error).toBe('world_unavailable');
  expect(node.shards[0]?.incarnation).toBe(1);
  await expectWhole(node.twinUrl, other);
});

test('the third trap quarantines a world even while requests wait for it', async () => {
  const node = await startFaulty();
  const worlds = await makeWorlds(node.twinUrl, 2);
  const [world, other] = [at(worlds, 0), at(worlds, 1)];
  const look = () => ask(node.twinUrl, `/api/v1/worlds/${world.id}/state`);
  expect((await look()).status).toBe(200);
  for (let trap = 1; trap <= 3; trap++) {
    await poisonUnwatched(node, world, other);
    const answers = await Promise.all(Array.from({ length: 10 }, look));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses]).toEqual([trap < 3 ? 200 : 503]);
  }
});

test('[R17] a watched world that traps three times in a minute is quarantined: 1013 on its stream, 503 on its reads', async () => {
  const node = await startFaulty();
  const worlds = await makeWorlds(node.twinUrl, 2);
  const readers = await watchAll(node.twinUrl, worlds);
  const [ill, healthy] = [at(readers, 0), at(readers, 1)];
  const [world, other] = [at(worlds, 0), at(worlds, 1)];
  for (let trap = 0; trap < 3; trap++) {
    await moreFrames([ill], 3);
    expect(ill.closeCode).toBeUndefined();
    poison(node, world);
  }
  await until('the stream is closed', () => ill.closeCode !== undefined);
  expect(ill.closeCode).toBe(1013);
  const vin = vinOf(world, 0);
  const reads = ['/state', '/events', '/incidents'].map(
    (path) => `/api/v1/worlds/${world.id}${path}`,
  );
  for (const path of [...reads, '/api/v1/vehicle/telemetry']) {
    const answer = await ask(node.twinUrl, path, { vin });
    expectRefusal(answer);
    expect(JSON.parse(answer.text).error).toBe('world_unavailable');
    expect(retryAfterS(answer)).toBeLessThanOrEqual(60);
  }
  await expect(StreamReader.open(node.twinUrl, world)).rejects.toThrow('503');
  await moreFrames([healthy], 5);
  expect(healthy.closeCode).toBeUndefined();
  await expectShown(node.twinUrl, other, healthy);
  // What needs no stepping is answered all the same.
  await new Api(node.twinUrl).patch(vin, { aeb: false });
  expect(changesOf(await journalOf(node.twinUrl, world))).toHaveLength(1);
});

/** Asks for states, one request after the other, until told to stop. */
async function readUntil(stop: () => boolean, base: string, world: World): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (!stop()) {
    answers.push(await ask(base, `/api/v1/worlds/${world.id}/state`));
    await systemTime.sleep(10);
  }
  return answers;
}

/** There were snapshots, in order, and no refusals but those that say when to come back. */
function expectAnswered(answers: readonly Answer[]): void {
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer);
  const ticks = answers.filter(({ status }) => status === 200).map(({ text }) => tickOf(text));
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
}

async function newThread(node: TestNode, incarnation: number): Promise<void> {
  await until('a new thread', () => {
    const [shard] = node.shards;
    return shard?.alive === true && shard.incarnation > incarnation;
  });
}

/** A fault under load: everything is answered meanwhile, and afterwards all is as it must be. */
async function expectSurvived(node: TestNode, fault: Fault): Promise<void> {
  const { twinUrl } = node;
  const worlds = await makeWorlds(twinUrl, 6);
  const readers = await watchAll(twinUrl, worlds.slice(0, 3));
  await moreFrames(readers, 5);
  const cars = worlds.map(({ fleet }) => new SwitchedCar(at(fleet, 0).vin));
  let isOver = false;
  const reading = Promise.all(worlds.map((world) => readUntil(() => isOver, twinUrl, world)));
  const stopSwitching = switchOn(twinUrl, cars);
  const incarnation = node.shards[0]?.incarnation ?? 0;
  try {
    await moreAcknowledged(cars, 20);
    injectFault(node, fault);
    await newThread(node, incarnation);
    await moreFrames(readers, 10);
    await moreAcknowledged(cars, 20);
  } finally {
    isOver = true;
    await stopSwitching();
  }
  const answers = await reading;
  expect(answers).toHaveLength(worlds.length);
  for (const each of answers) expectAnswered(each);
  expect(readers.map(({ closeCode }) => closeCode)).toEqual(readers.map(() => undefined));
  for (const [i, world] of worlds.entries()) {
    await expectSwitched(twinUrl, world, cars.slice(i, i + 1));
    await expectWhole(twinUrl, world);
  }
  for (const [i, reader] of readers.entries()) {
    await expectShown(twinUrl, at(worlds, i), reader);
  }
}

test('[R18] a shard whose thread dies is replaced: streams go on, requests are answered, nothing is lost', async () => {
  const node = await startFaulty();
  await expectSurvived(node, { what: 'die' });
});

test('[R19] a shard that is stuck is found and replaced, and requests never hang', async () => {
  const node = await startFaulty();
  await expectSurvived(node, { what: 'stall', ms: 60_000 });
});

/** Three worlds that the first of two shards has, or the second. */
async function makeWorldsOn(base: string, shard: number): Promise<World[]> {
  const worlds: World[] = [];
  while (worlds.length < 3) {
    const world = await makeWorld(base, { start_tick: 2000 });
    if (rendezvous(parseWorldId(world.id) ?? 0, 2) === shard) worlds.push(world);
  }
  return worlds;
}

const longestStep = ({ ticks }: StreamReader) =>
  Math.max(...ticks.slice(1).map((tick, i) => tick - at(ticks, i)));

test('[R19] while a shard is stuck the worlds of another go on, and requests for its own are answered', async () => {
  const node = await startFaulty(2);
  const { twinUrl } = node;
  const [stuck, others] = [await makeWorldsOn(twinUrl, 0), await makeWorldsOn(twinUrl, 1)];
  const [standing, going] = [await watchAll(twinUrl, stuck), await watchAll(twinUrl, others)];
  await moreFrames([...standing, ...going], 5);
  const incarnations = node.shards.map(({ incarnation }) => incarnation);
  injectFault(node, { what: 'stall', ms: 60_000 });
  const askedMs = systemTime.now();
  const asked = stuck.map(({ id }) => ask(twinUrl, `/api/v1/worlds/${id}/state`));
  for (const answer of await Promise.all(asked)) if (answer.status !== 200) expectRefusal(answer);
  expect(systemTime.now() - askedMs).toBeLessThan(3 * WAIT_MS_MAX);
  await newThread(node, at(incarnations, 0));
  await moreFrames([...standing, ...going], 10);
  // They stood for longer than frames are made up for.
  for (const reader of standing) expect(longestStep(reader)).toBeGreaterThan(BEHIND_TICKS);
  expectEveryFrame(going);
  expect(node.shards[1]?.incarnation).toBe(incarnations[1]);
  for (const world of [...stuck, ...others]) await expectWhole(twinUrl, world);
});

test('a thread that dies again and again is replaced each time', async () => {
  const node = await startFaulty();
  const worlds = await makeWorlds(node.twinUrl, 3);
  const readers = await watchAll(node.twinUrl, worlds);
  for (let death = 0; death < 4; death++) {
    await moreFrames(readers, 3);
    const incarnation = node.shards[0]?.incarnation ?? 0;
    injectFault(node, { what: 'die' });
    await until('the thread dies', () => (node.shards[0]?.incarnation ?? 0) > incarnation);
  }
  await moreFrames(readers, 10);
  expect(readers.map(({ closeCode }) => closeCode)).toEqual(readers.map(() => undefined));
  for (const [i, world] of worlds.entries()) {
    await expectWhole(node.twinUrl, world);
    await expectShown(node.twinUrl, world, at(readers, i));
  }
});
