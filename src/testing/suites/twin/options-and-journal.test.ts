import { beforeAll, describe, expect, test } from 'vitest';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { useTwin, vinOf } from './api.ts';
import { bare, openBoth, type Pairs, pairs } from './lockstep.ts';
import { recklessJournal } from './reckless.ts';
import { Stream } from './stream-client.ts';
import type { Incident, Journal, World } from './wire.ts';

const api = useTwin();

/** A new world is at this tick, but for the ticks that passed while it was made. */
async function beginsAt(startTick: number, options: unknown): Promise<void> {
  const askedMs = api.node.time.now();
  const { tick } = await api.makeWorld(options);
  const passedTicks = (api.node.time.now() - askedMs) / 20;
  expect(tick).toBeGreaterThanOrEqual(startTick);
  expect(tick - startTick).toBeLessThanOrEqual(passedTicks + 1);
}

const refusal = (ask: { json?: unknown; body?: string }) =>
  api.refusal('/api/v1/worlds', { method: 'POST', ...ask });

describe('options of a new world', () => {
  test.each([0, 1, 4_294_967_295])('[W12] take seed %d', async (seed) => {
    expect((await api.makeWorld({ seed })).seed).toBe(seed);
  });

  test.each([0, 1, 90_000])('[W14] take start_tick %d', async (start_tick) => {
    await beginsAt(start_tick, { start_tick });
  });

  test('set the world to tick 0 where they say nothing else', async () => {
    await beginsAt(0, {});
  });

  test('[W15] take every city of the catalogue, and the first where none is named', async () => {
    const { cities } = await api.get('Cities', '/api/v1/cities');
    for (const { name } of cities) expect((await api.makeWorld({ city: name })).city).toBe(name);
    expect((await api.makeWorld()).city).toBe(cities[0]?.name);
  });

  test.each([
    ['seed', [-1, 4_294_967_296, 1.5, '7', true, null, [7]]],
    ['start_tick', [-1, 90_001, 0.5, '7', false, null]],
    ['city', ['nowhere', '', 7, null, ['grid'], 'Grid', 'constructor']],
    ['journal', [null, [], 'grid', 7]],
  ])('[W16] refuse wrong values of %s', async (name, values) => {
    for (const value of values) {
      expect(await refusal({ json: { [name]: value } })).toEqual([400, 'invalid_world_options']);
    }
  });

  test.each(['[]', '"grid"', '7', 'null', 'true'])('must be an object, not %s', async (body) => {
    expect(await refusal({ body })).toEqual([400, 'invalid_body']);
  });

  test.each(['{', '{"seed":1,}', '{seed:1}', ' ', '\u0000'])(
    'must be JSON, not %j',
    async (body) => {
      expect(await refusal({ body })).toEqual([400, 'invalid_json']);
    },
  );
});

describe('a given journal', () => {
  const change = { tick: 5, car: 3, features: { aeb: false } };
  const journal = { seed: 9, city: 'grid', tick: 100, changes: [change] };

  test('decides seed and city', async () => {
    const world = await api.makeWorld({ journal });
    expect([world.seed, world.city]).toEqual([9, 'grid']);
  });

  test('[T13] is not taken with a seed or a city beside it', async () => {
    const wrong = [400, 'invalid_world_options'];
    expect(await refusal({ json: { journal, seed: 9 } })).toEqual(wrong);
    expect(await refusal({ json: { journal, city: 'grid' } })).toEqual(wrong);
  });

  test('[T14] sets the world to its own tick', async () => {
    await beginsAt(4000, { journal: { ...journal, tick: 4000 } });
  });

  test('[T14] sets the world to the tick of its last change where that is later', async () => {
    const changes = [change, { ...change, tick: 6000 }];
    await beginsAt(6000, { journal: { ...journal, changes } });
  });

  test('needs no tick', async () => {
    const { tick: _, ...rest } = journal;
    await beginsAt(5, { journal: rest });
  });

  test('goes with a start_tick from its last change on', async () => {
    await beginsAt(5, { journal, start_tick: 5 });
    const early = { journal, start_tick: 4 };
    expect(await refusal({ json: early })).toEqual([400, 'invalid_world_options']);
  });

  test('may reach beyond 90000 ticks, and start_tick then as far', async () => {
    const long = { ...journal, tick: 100_000 };
    await beginsAt(100_000, { journal: long });
    await beginsAt(100_000, { journal: long, start_tick: 100_000 });
    const beyond = { journal: long, start_tick: 100_001 };
    expect(await refusal({ json: beyond })).toEqual([400, 'invalid_world_options']);
  });

  test('leaves start_tick free up to 90000 where it ends before', async () => {
    await beginsAt(90_000, { journal, start_tick: 90_000 });
  });

  test.each([
    ['changes out of order', { changes: [change, { ...change, tick: 4 }] }],
    ['a feature that does not exist', { changes: [{ ...change, features: { radio: true } }] }],
    ['a name of an object’s own', { changes: [{ ...change, features: { constructor: true } }] }],
    ['a value that is not a boolean', { changes: [{ ...change, features: { aeb: 0 } }] }],
    ['car 20', { changes: [{ ...change, car: 20 }] }],
    ['car −1', { changes: [{ ...change, car: -1 }] }],
    ['a car by its name', { changes: [{ ...change, car: 'first' }] }],
    ['a tick below 0', { changes: [{ ...change, tick: -1 }] }],
    ['a tick between ticks', { changes: [{ ...change, tick: 0.5 }] }],
    ['a change without features', { changes: [{ tick: 5, car: 3 }] }],
    ['changes that are no list', { changes: {} }],
    ['no changes', { changes: undefined }],
    ['no seed', { seed: undefined }],
    ['no city', { city: undefined }],
    ['a wrong seed', { seed: -1 }],
    ['a wrong city', { city: 'nowhere' }],
    ['a wrong tick', { tick: -1 }],
  ])('[T13] is refused with %s', async (_, wrong) => {
    const json = { journal: { ...journal, ...wrong } };
    expect(await refusal({ json })).toEqual([400, 'invalid_world_options']);
  });

  test('[L11] may have a body of 1 MiB, and no more', async () => {
    const body = (bytes: number) => {
      const text = JSON.stringify({ journal });
      return text + ' '.repeat(bytes - text.length);
    };
    const ask = { method: 'POST', body: body(1_048_576) };
    expect((await api.ask('/api/v1/worlds', ask)).status).toBe(201);
    expect(await refusal({ body: body(1_048_577) })).toEqual([413, 'body_too_large']);
  });
});

// ── journal ───────────────────────────────────────────────────────────────────────────────────

const journalOf = (world: World) => api.world('Journal', world, '/journal');

/** What is of the world itself: cars by their place in the fleet. */
function bareIncident({ world: _, vehicles, failures, ...rest }: Incident, { fleet }: World) {
  const carOf = (vin: string) => fleet.findIndex((car) => car.vin === vin);
  return {
    ...rest,
    vehicles: vehicles.map(({ vin, ...vehicle }) => ({ ...vehicle, car: carOf(vin) })),
    failures: failures.map(({ vin, ...failure }) => ({ ...failure, car: carOf(vin) })),
  };
}

describe('the journal', () => {
  test('[T10] of a new world is its seed, its city and no changes', async () => {
    const world = await api.makeWorld({ seed: 31 });
    const journal = await journalOf(world);
    expect(journal).toMatchObject({ seed: 31, city: world.city, changes: [] });
    expect(journal.tick).toBeGreaterThanOrEqual(world.tick);
    expect((await journalOf(await api.makeWorld())).kernel).toBe(journal.kernel);
  });

  test('[F15] has every accepted change in order of tick, and nothing that changed nothing', async () => {
    const world = await api.makeWorld();
    await api.patch(vinOf(world, 4), { aeb: false, esc: false });
    await api.patch(vinOf(world, 4), { aeb: false });
    await api.patch(vinOf(world, 4), {});
    const put = { method: 'PUT', json: { enabled: false } };
    await api.vehicle('FeatureSetting', vinOf(world, 19), '/features/throttle', put);
    await api.vehicle('FeatureState', vinOf(world, 3), '/features/reset', { method: 'POST' });
    await api.vehicle('FeatureState', vinOf(world, 4), '/features/reset', { method: 'POST' });
    const { changes } = await journalOf(world);
    expect(changes.map(({ car }) => car)).toEqual([4, 19, 4]);
    expect(changes[0]?.features).toEqual({ aeb: false, esc: false });
    expect(changes[1]?.features).toEqual({ throttle: false });
    expect(changes[2]?.features).toMatchObject({ aeb: true, esc: true });
    const ticks = changes.map(({ tick }) => tick);
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
    expect(ticks[0]).toBeGreaterThanOrEqual(world.tick);
  });

  test('[F17] gives a change a tick at most two ahead of the moment it was accepted', async () => {
    const world = await api.makeWorld({ start_tick: 1000 });
    const before = (await api.world('World', world)).tick;
    await api.patch(vinOf(world, 0), { esc: false });
    const after = (await api.world('World', world)).tick;
    const [change] = (await journalOf(world)).changes;
    expect(change?.tick).toBeGreaterThan(before);
    expect(change?.tick).toBeLessThanOrEqual(after + 2);
  });

  test('[L10] is never trimmed, takes 65,536 changes, and the next is refused with what to do', async () => {
    const world = await api.makeWorld();
    const number = parseWorldId(world.id) ?? 0;
    const serving = api.node.nodes.find(({ ranges }) => ranges.grantOf(partitionOf(number)));
    const handle = await serving?.worlds.load(number);
    if (handle === undefined) throw new Error('the world was just made');
    const accepted = Array.from({ length: 65_535 }, (_, i) => handle.change(7, 1, i % 2));
    await Promise.all(accepted);
    // The 65,536th goes through the API like the one that is too many.
    await api.patch(vinOf(world, 8), { aeb: false });
    const ask = { method: 'PATCH', vin: vinOf(world, 9), json: { aeb: false } };
    const { status, error, hint } = await api.refused('/api/v1/vehicle/features', ask);
    expect([status, error]).toEqual([429, 'rate_limited']);
    expect(hint).toMatch(/new world/);
    expect((await journalOf(world)).changes).toHaveLength(65_536);
    const state = await api.vehicle('FeatureState', vinOf(world, 9), '/features');
    expect(state.declared.aeb).toBe(true);
  });
});

describe.concurrent('a world made from a journal', () => {
  let journal: Journal;
  beforeAll(async () => {
    const first = await api.makeWorld({ seed: 5, start_tick: 200 });
    await api.patch(vinOf(first, 2), { brakes: false, throttle: false });
    await api.patch(vinOf(first, 11), { steering: false });
    journal = await journalOf(first);
  });

  test('[T11] has that journal again, and the features that come of it', async () => {
    const again = await api.makeWorld({ journal });
    const { tick, ...rest } = await journalOf(again);
    const { tick: given, ...expected } = journal;
    expect(rest).toEqual(expected);
    expect(tick).toBeGreaterThanOrEqual(given);
    const { declared } = await api.vehicle('FeatureState', vinOf(again, 2), '/features');
    const off = Object.entries(declared).filter(([, on]) => !on);
    expect(off.map(([name]) => name)).toEqual(['brakes', 'throttle']);
  });

  test('[T10] goes on taking changes after those', async () => {
    const again = await api.makeWorld({ journal });
    await api.patch(vinOf(again, 2), { brakes: true });
    const { changes } = await journalOf(again);
    expect(changes).toHaveLength(3);
    expect(changes[2]).toMatchObject({ car: 2, features: { brakes: true } });
  });

  test('is exact with the kernel hash of this kernel, and says nothing of it', async () => {
    const again = await api.makeWorld({ journal });
    expect(Object.hasOwn(again, 'exact')).toBe(false);
    expect(Object.hasOwn(await api.world('World', again), 'exact')).toBe(false);
  });

  test.each([
    ['another', { kernel: 'feedface' }],
    ['no', { kernel: undefined }],
  ])('[T12] is marked as not exact with %s kernel hash', async (_, change) => {
    const again = await api.makeWorld({ journal: { ...journal, ...change } });
    expect(again.exact).toBe(false);
    expect((await api.world('World', again)).exact).toBe(false);
  });

  test('[T11] lives exactly as the world lives that the journal is of', async () => {
    const live = await api.makeWorld({ seed: 6, start_tick: 400 });
    const watching = await Stream.open(live.stream_url);
    await watching.hello();
    await watching.frames(2);
    for (const car of [0, 1, 2, 3, 4]) {
      await api.patch(vinOf(live, car), { throttle: false, steering: car % 2 === 0 });
    }
    const lived = await journalOf(live);
    const [first] = lived.changes;
    const start_tick = lived.changes.at(-1)?.tick;
    const again = await api.makeWorld({ journal: lived, start_tick });
    const second = await Stream.open(again.stream_url);
    await second.hello();
    const seen = await pairs(watching, second, ({ length }) => length === 10);
    for (const [ofLive, ofAgain] of seen) expect(bare(ofAgain)).toEqual(bare(ofLive));
    expect(seen[0]?.[0].tick).toBeGreaterThan(first?.tick ?? 0);
    await Promise.all([watching.close(), second.close()]);
  });

  test('[T11] has the same incidents under the same ids, and the same events', async () => {
    const first = await api.makeWorld({ journal: recklessJournal(), start_tick: 3000 });
    const lived = await journalOf(first);
    const second = await api.makeWorld({ journal: lived, start_tick: 3000 });
    // The list has the last sixty, and the count of one may go up: that depends on when it is read.
    const events = async (world: World) => {
      const all = await api.world('Events', world, '/events');
      return all.map(({ vin: _, count: __, ...event }) => event);
    };
    const [ofFirst, ofSecond] = await Promise.all([events(first), events(second)]);
    const since = Math.max(ofFirst[0]?.seq ?? 0, ofSecond[0]?.seq ?? 0);
    const common = (all: typeof ofFirst) =>
      all.filter(({ seq, tick }) => seq >= since && tick <= 3000);
    expect(common(ofFirst).length).toBeGreaterThan(3);
    expect(common(ofSecond)).toEqual(common(ofFirst));
    const incidents = async (world: World) =>
      (await api.explained(world, 3000)).map((incident) => bareIncident(incident, world));
    expect((await incidents(first)).length).toBeGreaterThan(3);
    expect(await incidents(second)).toEqual(await incidents(first));
  });
});

describe.concurrent('a change', () => {
  test('[F16] shows from its tick on, and not before', async () => {
    const options = { seed: 8, start_tick: 600 };
    const [changed, unchanged] = [await api.makeWorld(options), await api.makeWorld(options)];
    const [x, y] = await openBoth(changed, unchanged);
    const [now] = await x.frames(1);
    const fastest = now?.vehicles.reduce((a, b) => (a.speed > b.speed ? a : b));
    await api.patch(fastest?.vin ?? '', { throttle: false, brakes: false });
    const tick = (await journalOf(changed)).changes[0]?.tick ?? 0;
    const laterOf = (found: Pairs) => found.filter(([{ tick: at }]) => at > tick + 8);
    const seen = await pairs(x, y, (found) => laterOf(found).length > 5);
    const earlier = seen.filter(([{ tick: at }]) => at < tick);
    for (const [a, b] of earlier) expect(bare(a)).toEqual(bare(b));
    for (const [a, b] of laterOf(seen)) expect(bare(a)).not.toEqual(bare(b));
    await Promise.all([x.close(), y.close()]);
  });
});
