import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { worldEncoder } from '../../../shard/world-encoder.ts';
import { maskOf } from '../../../twin/catalogue.ts';
import { parseWorldId } from '../../../twin/ids.ts';
import {
  type LockstepIncident,
  type LockstepMessage,
  type LockstepPulse,
  ticksOf,
} from '../../../twin/lockstep.ts';
import { cities } from '../../rigs/kernel.ts';
import { LivedWorld } from '../../rigs/lived-world.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, useTwin } from './api.ts';
import { LockstepClient } from './lockstep-client.ts';
import { recklessJournal } from './reckless.ts';
import { handshake } from './stream-client.ts';
import type { World } from './wire.ts';

const api = useTwin();
const nodes = useNodes();

const vinOf = ({ fleet }: World, car: number) => fleet[car]?.vin;

function switchOff(world: World, car: number, feature = 'aeb', twin: Api = api) {
  return twin.ask('/api/v1/vehicle/features', {
    ...{ method: 'PATCH', vin: vinOf(world, car), json: { [feature]: false } },
  });
}

test('[Y1] a hello has all that the world is lived from', async () => {
  const world = await api.makeWorld({ seed: 21, city: 'grid', start_tick: 500 });
  const stream = await LockstepClient.open(world);
  const hello = await stream.hello();
  const { id, fleet } = world;
  expect(hello).toMatchObject({ world: id, rate_hz: 12.5, fleet, seed: 21, city: 'grid', seq: 0 });
  expect(hello).toMatchObject({ resumed: false, image: null, watchers: 1 });
  expect(hello.start).toMatchObject({ tick: 0, seq: 0 });
  expect(hello.tick).toBeGreaterThanOrEqual(500);
  const lived = new LivedWorld(hello);
  expect(String(lived.hash)).toBe(hello.journal);
  await stream.close();
});

test('[Y2] a change comes before its answer, and the world lived with it is the server’s', async () => {
  const world = await api.makeWorld({ seed: 22, start_tick: 400 });
  const stream = await LockstepClient.open(world);
  const lived = new LivedWorld(await stream.hello());
  for (const car of [3, 7, 3]) {
    const [change] = await Promise.all([
      stream.nextOf('change'),
      switchOff(world, car, car === 3 ? 'aeb' : 'front_radar'),
    ]);
    lived.change(change);
    expect(change.seq).toBe(lived.changes.length);
    expect(change.journal).toBe(String(lived.hash));
    if (lived.changes.length === 2) break;
  }
  const { bytes } = await api.ask(`/api/v1/worlds/${world.id}/state`);
  const shown = JSON.parse(new TextDecoder().decode(bytes)) as { tick: number };
  lived.live(shown.tick);
  const encoder = worldEncoder(parseWorldId(world.id) ?? -1, cityOf(world));
  const packed = lived.kernel.pack(lived.slab);
  expect(Buffer.from(encoder.encode('json', packed))).toEqual(Buffer.from(bytes));
  await stream.close();
});

function cityOf({ city }: World) {
  return at(
    cities.names,
    cities.cities.findIndex(({ name }) => name === city),
  );
}

/** As a client reads it that knows nothing but MessagePack. */
function expectClock({ tick, fraction }: Pick<LockstepPulse, 'tick' | 'fraction'>): void {
  expect(Number.isInteger(tick)).toBe(true);
  expect(fraction).toBeGreaterThanOrEqual(0);
  expect(fraction).toBeLessThan(1);
}

const DIGITS = expect.stringMatching(/^[0-9a-f]{16}$/);
const CLOCK = { tick: expect.any(Number), fraction: expect.any(Number) };

test('[Y11] each message has its fields, and no others', async () => {
  const journal = recklessJournal(1);
  const world = await api.makeWorld({ journal, start_tick: 1500 });
  const stream = await LockstepClient.open(world);
  const hello = await stream.hello();
  const [kernel, frames, table, car_types] = new Array(4).fill(expect.any(String));
  expect(hello).toStrictEqual({
    ...{ type: 'hello', world: world.id, rate_hz: 12.5, fleet: world.fleet },
    ...{ kernel: expect.any(String), assets: { kernel, frames, table, car_types } },
    ...{
      seed: journal.seed,
      city: journal.city,
      start: { tick: 0, seq: 0, masks: hello.start.masks },
    },
    ...{ resumed: false, image: null, ...CLOCK, seq: 19, journal: DIGITS, watchers: 1 },
    changes: journal.changes.map(({ car }, i) => ({
      ...{ seq: i + 1, tick: 0, car, touched: maskOf(['brakes', 'steering']), values: 0 },
    })),
  });
  expectClock(hello);
  const pulse = await stream.nextOf('pulse');
  expect(pulse).toStrictEqual({ type: 'pulse', ...CLOCK, seq: 19, journal: DIGITS, watchers: 1 });
  expectClock(pulse);
  const [change] = await Promise.all([stream.nextOf('change'), switchOff(world, 0)]);
  expect(change).toStrictEqual({
    ...{ type: 'change', seq: 20, tick: expect.any(Number), car: 0, journal: DIGITS },
    ...{ touched: maskOf(['aeb']), values: 0 },
  });
  expect(Number.isInteger(change.tick)).toBe(true);
  // The node lives the world now, and finds its collisions and what would have avoided them.
  const [{ id } = { id: '' }] = await api.explained(world, 1000);
  const told: LockstepIncident[] = [];
  while (!told.some((each) => each.id === id && each.explained)) {
    told.push(await stream.nextOf('incident'));
  }
  const ofIt = told.filter((each) => each.id === id);
  expect(ofIt[0]).toStrictEqual({ type: 'incident', id, explained: false });
  expect(ofIt.at(-1)).toStrictEqual({ type: 'incident', id, explained: true });
  await stream.close();
});

test('[Y3] pulses tell the clock and the journal, eight in the first seconds', async () => {
  const world = await api.makeWorld({ seed: 23 });
  const stream = await LockstepClient.open(world);
  const hello = await stream.hello();
  await switchOff(world, 1);
  let last = ticksOf(hello);
  let changed: LockstepMessage | undefined;
  const pulses: LockstepPulse[] = [];
  while (pulses.length < 5) {
    const pulse = await stream.nextOf('pulse', (message) => {
      changed = message;
    });
    expect(ticksOf(pulse)).toBeGreaterThanOrEqual(last);
    last = ticksOf(pulse);
    pulses.push(pulse);
  }
  expect(changed).toMatchObject({ type: 'change', seq: 1, car: 1 });
  expect(pulses.at(-1)).toMatchObject({
    seq: 1,
    journal: (changed as { journal: string }).journal,
  });
  await stream.close();
});

test('[Y4] who knows the beginning of the journal gets only what came after it', async () => {
  const world = await api.makeWorld({ seed: 24 });
  const first = await LockstepClient.open(world);
  const lived = new LivedWorld(await first.hello());
  const [change] = await Promise.all([first.nextOf('change'), switchOff(world, 2)]);
  lived.change(change);
  await first.close();
  await switchOff(world, 5);
  const again = await LockstepClient.open(world, `&since=1&journal=${lived.hash}`);
  const hello = await again.hello();
  expect(hello.resumed).toBe(true);
  const later = hello.changes;
  expect(later).toMatchObject([{ seq: 2, car: 5 }]);
  for (const each of later) lived.change(each);
  expect(hello.journal).toBe(String(lived.hash));
  await again.close();

  const current = await LockstepClient.open(world, `&since=2&journal=${lived.hash}`);
  const nothing = await current.hello();
  expect([nothing.resumed, nothing.changes, nothing.seq]).toEqual([true, [], 2]);
  await current.close();

  for (const since of [1, 2]) {
    const known = `&since=${since}&journal=${'0'.repeat(16)}`;
    const stranger = await LockstepClient.open(world, known);
    const whole = await stranger.hello();
    expect([whole.resumed, whole.changes.length]).toEqual([false, 2]);
    expect(String(new LivedWorld(whole).hash)).toBe(whole.journal);
    await stranger.close();
  }
});

test.each([
  'since=1',
  'journal=0123456789abcdef',
  'since=-1&journal=0123456789abcdef',
  'since=1&journal=xyz',
])('[Y5] `%s` is refused', async (query) => {
  const { id } = await api.makeWorld();
  const path = `/ws/worlds/${id}?encoding=lockstep&${query}`;
  const { status, body } = await handshake(api.url, path);
  expect(status).toBe(400);
  expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({ error: 'invalid_value' });
});

test('[Y6] it steps no world, and counts as a watcher', async () => {
  const node = await nodes.inProcess();
  const own = new Api(node.twinUrl);
  const world = await own.makeWorld({ seed: 25 });
  const stream = await LockstepClient.open(world);
  await stream.hello();
  await switchOff(world, 4, 'aeb', own);
  await stream.nextOf('change');
  await stream.nextOf('pulse');
  expect((await own.world('World', world)).watchers).toBe(1);
  const number = parseWorldId(world.id) ?? -1;
  const atHand = node.nodes.flatMap(({ worlds }) => worlds.atHand(number) ?? []);
  expect(atHand.map(({ residency }) => residency)).toEqual([0]);
  await stream.close();
});
