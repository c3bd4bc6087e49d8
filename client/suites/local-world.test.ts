import { describe, expect, test } from 'vitest';
import { CITIES } from '../../src/city/catalogue.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { useTwin, vinOf } from '../../src/testing/suites/twin/api.ts';
import { recklessJournal } from '../../src/testing/suites/twin/reckless.ts';
import { FEATURES, type World } from '../../src/testing/suites/twin/wire.ts';
import { LocalWorld } from '../src/local-world.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';

const TICKS = 4000;
const SEEDS = [1, 902, 77_000];
const CASES = CITIES.flatMap(({ name: city }) => SEEDS.map((seed) => ({ city, seed })));
/** Of a world that is looked at. */
const LOOKS = 6;

const api = useTwin();

/** The world of a node, lived here up to its present tick. */
async function livedAgain(world: World): Promise<LocalWorld> {
  const journal = await api.world('Journal', world, '/journal');
  const local = await LocalWorld.create({ id: world.id, journal, assets: builtAssets });
  local.step(journal.tick);
  return local;
}

/** What a node answers of the state of a world while its cars are switched, in both encodings. */
async function looksAt(
  world: World,
  dice: Dice,
): Promise<{ json: Uint8Array; msgpack: Uint8Array }[]> {
  const looks = [];
  for (let look = 0; look < LOOKS; look++) {
    const features = { [dice.pick(FEATURES)]: dice.below(3) === 0 };
    await api.patch(vinOf(world, dice.below(20)), features);
    const path = `/api/v1/worlds/${world.id}/state`;
    const json = (await api.ask(path)).bytes;
    looks.push({ json, msgpack: (await api.ask(path, { msgpack: true })).bytes });
  }
  return looks;
}

const tickOf = (json: Uint8Array): number => JSON.parse(new TextDecoder().decode(json)).tick;

/** The MessagePack of a frame has its tick at a fixed place. */
function msgpackTickOf(frame: Uint8Array): number {
  const key = Buffer.from('tick');
  const at = Buffer.from(frame).indexOf(key) + key.length + 1;
  return new DataView(frame.buffer, frame.byteOffset).getUint32(at);
}

describe('[K1] a world that is lived beside a node', () => {
  test.each(CASES)(
    'in $city with seed $seed has its states, byte by byte',
    async ({ city, seed }) => {
      const journal = journalOf(city, seed, randomChanges(seed, TICKS));
      const world = await api.makeWorld({ journal, start_tick: TICKS });
      const looks = await looksAt(world, new Dice(seed));
      const local = await livedAgain(world);
      for (const { json, msgpack } of looks) {
        const [own, other] = [local.at(tickOf(json)), local.at(msgpackTickOf(msgpack))];
        expect(Buffer.compare(own.frame('json'), json)).toBe(0);
        expect(Buffer.compare(other.frame('msgpack'), msgpack)).toBe(0);
      }
      expect(new Set(looks.map(({ json }) => tickOf(json))).size).toBeGreaterThan(1);
      local.close();
    },
  );

  test('has what the sensors of its cars know', async () => {
    const world = await api.makeWorld({ seed: 31, start_tick: TICKS });
    const perception = await api.vehicle('Perception', vinOf(world, 7), '/perception');
    const journal = await api.world('Journal', world, '/journal');
    const local = await LocalWorld.create({ id: world.id, journal, assets: builtAssets });
    local.step(perception.tick);
    expect(local.perception(7)).toEqual(perception);
  });

  test('has its telemetry and features', async () => {
    const world = await api.makeWorld({ seed: 31, start_tick: TICKS });
    const vin = vinOf(world, 7);
    const features = await api.patch(vin, { front_camera: false });
    const telemetry = await api.vehicle('Telemetry', vin, '/telemetry');
    const local = await livedAgain(world);
    expect(local.at(telemetry.tick).telemetry(7)).toEqual(telemetry);
    expect(local.features(vin)).toEqual(features);
    expect(local.fleet).toEqual(world.fleet);
  });
});

describe('[K4] what happens in a world that is lived beside a node', () => {
  let world: World;
  let local: LocalWorld;

  test('is told as the node tells it: events and reports', async () => {
    world = await api.makeWorld({ journal: recklessJournal(1), start_tick: TICKS });
    const events = await api.world('Events', world, '/events');
    const incidents = await api.world('Incidents', world, '/incidents');
    local = await livedAgain(world);
    const before = (tick: number) => (each: { tick: number }) => each.tick < tick;
    const bare = ({ explained: _, failures: __, ...report }: (typeof incidents)[number]) => report;
    // Incidents that have just begun are still growing.
    const isOver = before(TICKS - 200);
    expect(local.incidents().filter(isOver).map(bare)).toEqual(incidents.filter(isOver).map(bare));
    expect(incidents.filter(isOver).length).toBeGreaterThan(5);
    const known = local.events(1000).filter(({ seq }) => events.some((each) => each.seq === seq));
    expect(known.filter(isOver)).toEqual(events.filter(isOver));
    expect(events.some(isOver)).toBe(true);
  });

  test('is explained as the node explains it', async () => {
    const explained = await api.explained(world, TICKS - 300);
    const wanted = explained.filter(({ tick }) => tick <= TICKS - 300);
    const own = [];
    for (const { id } of wanted) own.push(await local.explain(id));
    expect(own).toEqual(wanted);
    expect(own.some(({ failures }) => failures.length > 0)).toBe(true);
    expect(local.incidents().find(({ id }) => id === wanted[0]?.id)).toEqual(wanted[0]);
    const [contact] = local.contacts();
    if (contact === undefined) throw new Error('there are contacts');
    expect(await local.explain(contact)).toEqual(wanted[0]);
  });

  test('is replayed as the node replays it: as it was, and with features on', async () => {
    const incident = local.incidents().find(({ failures }) => failures.length > 0);
    if (incident === undefined) throw new Error('an incident is explained');
    const { feature } = incident.failures[0] ?? {};
    for (const features of [
      [],
      feature === undefined ? [] : [feature],
      ['brakes', 'aeb'],
    ] as const) {
      const path = `/incidents/${incident.id}/replay?with=${features.join()}`;
      expect(await local.replay(incident.id, features)).toEqual(
        await api.world('Replay', world, path),
      );
    }
    await expect(local.replay('i5-0')).rejects.toThrow(RangeError);
  });

  test('will come of what is off, as the node foresees it', async () => {
    const foreseen = await api.world('WorldOutlook', world, '/outlook');
    const own = await livedAgain(world);
    const short = ({ vin, feature, kind, hazard }: (typeof foreseen.outlook)[number]) =>
      [vin, feature, kind, hazard].join(' ');
    // It was asked for some ticks later.
    const outlook = await own.outlook();
    const known = new Set(outlook.outlook.map(short));
    const both = foreseen.outlook.map(short).filter((entry) => known.has(entry));
    expect(both.length).toBeGreaterThan(0.9 * Math.max(foreseen.outlook.length, known.size));
    const [first] = outlook.outlook;
    const ofCar = await own.outlook(first?.vin);
    expect(ofCar.outlook).toEqual(outlook.outlook.filter(({ vin }) => vin === first?.vin));
  });

  test('is not explained before it is over, or if nobody knows it', async () => {
    const early = await LocalWorld.create({ journal: recklessJournal(1), assets: builtAssets });
    while (early.contacts().length === 0) early.step(4);
    const [contact] = early.contacts();
    if (contact === undefined) throw new Error('there is a contact');
    await expect(early.explain(contact)).rejects.toThrow(/is not over/);
    await expect(early.explain('i5-0')).rejects.toThrow(RangeError);
    await expect(early.explain('x')).rejects.toThrow(RangeError);
  });
});
