import { beforeAll, describe, expect, test } from 'vitest';
import { metricOf } from '../../rigs/metric.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, useTwin } from './api.ts';
import { NEEDS_BRAKES_OR_STEERING, recklessJournal } from './reckless.ts';
import { Stream } from './stream-client.ts';
import type { FeatureName, Incident, Journal, Replay, Snapshot, World } from './wire.ts';

/** A minute and a half of traffic that can neither brake nor steer, but for car 0. */
const TICKS = 4500;
const journal = recklessJournal(1);

const api = useTwin();
const nodes = useNodes();
let world: World;
let incidents: Incident[];
beforeAll(async () => {
  world = await api.makeWorld({ journal, start_tick: TICKS });
  incidents = await api.explained(world, TICKS - 300);
});

function replayOf(of: World, { id }: Incident, features: readonly string[] = []): Promise<Replay> {
  const query = features.length === 0 ? '' : `?with=${features.join(',')}`;
  return api.world('Replay', of, `/incidents/${id}/replay${query}`);
}

const indexOf = (of: World, vin: string) => of.fleet.findIndex((car) => car.vin === vin);

/** Those that avoid the collision without another feature. */
const avoidingAlone = ({ failures }: Incident) =>
  failures.filter(
    ({ effect, set }) =>
      effect === 'avoids' && failures.filter((other) => other.set === set).length === 1,
  );

describe('explained incidents', () => {
  test('[I12] name only what was off, restore only what was degraded, and say so in a sentence', () => {
    expect(incidents.length).toBeGreaterThan(5);
    const failures = incidents.flatMap((incident) =>
      incident.failures.map((failure) => ({ incident, failure })),
    );
    expect(failures.length).toBeGreaterThan(5);
    for (const { incident, failure } of failures) {
      const { vin, feature, restores, explanation } = failure;
      const car = incident.vehicles.find((vehicle) => vehicle.vin === vin);
      expect(car?.off).toContain(feature);
      expect(car?.degraded).toEqual(expect.arrayContaining([...restores]));
      expect(restores.every((name) => NEEDS_BRAKES_OR_STEERING.includes(name))).toBe(true);
      expect(explanation).toMatch(
        new RegExp(`^${feature} (was|were) off, so .+; with (it|them).* would .+\\.$`),
      );
    }
  });

  test('[I17] number their sets from one, in order', () => {
    for (const { failures } of incidents) {
      const sets = [...new Set(failures.map(({ set }) => set))];
      expect(sets).toEqual(sets.map((_, i) => i + 1));
    }
  });

  test('[I13] blame no car that had everything on', () => {
    for (const { failures } of incidents) {
      expect(failures.every(({ vin }) => vin !== world.fleet[0]?.vin)).toBe(true);
    }
  });

  test('are the same one by one, and for the cars', async () => {
    const [incident] = incidents;
    if (incident === undefined) throw new Error('there are incidents');
    expect(await api.world('Incident', world, `/incidents/${incident.id}`)).toEqual(incident);
    const { vin = '' } = incident.vehicles[0] ?? {};
    const own = await api.vehicle('Incidents', vin, '/incidents');
    expect(own.find(({ id }) => id === incident.id)).toEqual(incident);
  });

  test('are avoided in a world of its own too that has the feature on in time', async () => {
    const single = incidents.filter(
      (incident) =>
        incident.tick > 800 && incident.vehicles.length === 1 && avoidingAlone(incident).length > 0,
    );
    expect(single.length).toBeGreaterThan(2);
    for (const incident of single.slice(0, 4)) {
      const { feature = 'brakes', vin = '' } = avoidingAlone(incident)[0] ?? {};
      const car = indexOf(world, vin);
      const avoided = [];
      for (const lead of [800, 600, 400, 300, 200]) {
        if (await isAvoided(incident, car, feature, incident.tick - lead)) avoided.push(lead);
      }
      expect([incident.id, avoided.length >= 2]).toEqual([incident.id, true]);
    }
  });

  /** Whether a car does not touch what it touched, with a feature on from a tick on. */
  async function isAvoided(incident: Incident, car: number, feature: FeatureName, from: number) {
    const change = { tick: from + 1, car, features: { [feature]: true } };
    const changes = [...journal.changes, change];
    const until = incident.tick + 100;
    const other = await api.makeWorld({ journal: { ...journal, changes }, start_tick: until });
    const all = await api.world('Incidents', other, '/incidents');
    return !all.some(
      ({ tick, kind, vehicles }) =>
        tick > from &&
        tick <= until &&
        kind === incident.kind &&
        vehicles.some(({ vin }) => indexOf(other, vin) === car),
    );
  }
});

describe('a replay', () => {
  test('[I23] is every frame from 8 s before to 2 s after, and touches when the incident says', async () => {
    const incident = incidents.find(({ tick }) => tick > 800);
    if (incident === undefined) throw new Error('there are later incidents');
    const { tick } = incident;
    const replay = await replayOf(world, incident);
    const first = Math.ceil((tick - 400) / 4) * 4;
    const ticks = replay.frames.map((frame) => frame.tick);
    expect(ticks).toEqual(Array.from({ length: ticks.length }, (_, i) => first + 4 * i));
    expect(ticks.at(-1)).toBe(Math.floor((tick + 100) / 4) * 4);
    expect(replay).toMatchObject({ incident: incident.id, with: [], contact_tick: tick });
  });

  test('[I23] begins with the world where that is younger', async () => {
    const young = incidents.find(({ tick }) => tick < 400);
    if (young === undefined) throw new Error('the first cars meet early');
    const { frames } = await replayOf(world, young);
    expect(frames[0]?.tick).toBe(0);
  });

  test('[I24] shows what the world showed', async () => {
    const incident = incidents.find(({ tick }) => tick > 800);
    if (incident === undefined) throw new Error('there are later incidents');
    const { frames } = await replayOf(world, incident);
    const shown = new Map(frames.map((frame) => [frame.tick, frame]));
    // A world may be past the tick at which it was made, and between two frames.
    for (let attempt = 0, compared = 0; compared < 3; attempt++) {
      expect(attempt).toBeLessThan(200);
      const start_tick = frames[(attempt * 37) % frames.length]?.tick;
      const again = await api.makeWorld({ journal, start_tick });
      const snapshot = await api.world('Snapshot', again, '/state');
      const frame = shown.get(snapshot.tick);
      if (frame === undefined) continue;
      expect(anonymous(snapshot)).toEqual(anonymous(frame));
      compared++;
    }
  });

  /** The same city and cars, with VINs of their own. */
  function anonymous(snapshot: Snapshot): Snapshot {
    const vehicles = snapshot.vehicles.map((vehicle) => ({ ...vehicle, vin: '' }));
    return { ...snapshot, world: '', vehicles };
  }

  test('[I25] with the features that avoid it has no contact, and the figure that was told', async () => {
    let unharmed = 0;
    for (const incident of incidents) {
      const { vehicles, kind } = incident;
      const [failure] = avoidingAlone(incident);
      if (failure === undefined || vehicles.length > 1) continue;
      const replay = await replayOf(world, incident, [failure.feature]);
      expect(replay.with).toEqual([failure.feature]);
      expect([incident.id, replay.contact_tick]).toEqual([incident.id, null]);
      const car = indexOf(world, failure.vin);
      const speeds = replay.frames.map(({ vehicles: all }) => all[car]?.speed ?? 0);
      if (/would have stopped/.test(failure.explanation)) expect(Math.min(...speeds)).toBe(0);
      expect(kind).not.toBe('');
      // Where it stops, somebody else may strike it who cannot.
      if (replay.frames.every(({ vehicles: all }) => all[car]?.status !== 'crashed')) unharmed++;
    }
    expect(unharmed).toBeGreaterThan(2);
  });

  test('is the same in MessagePack', async () => {
    const [incident] = incidents;
    if (incident === undefined) throw new Error('there are incidents');
    const path = `/api/v1/worlds/${world.id}/incidents/${incident.id}/replay?with=brakes,steering`;
    const plain = await api.get('Replay', path);
    expect(await api.get('Replay', path, { msgpack: true })).toEqual(plain);
    expect(plain.with).toEqual(['steering', 'brakes']);
  });

  test('[I27] refuses unknown features and incidents', async () => {
    const path = `/api/v1/worlds/${world.id}/incidents`;
    const { id = '' } = incidents[0] ?? {};
    const feature = await api.refused(`${path}/${id}/replay?with=brakes,wings`);
    expect([feature.status, feature.error]).toEqual([400, 'unknown_feature']);
    expect(feature.hint).toContain('corner_radars');
    for (const unknown of ['i1-9', 'none', `${id}0`]) {
      expect(await api.refusal(`${path}/${unknown}/replay`)).toEqual([404, 'unknown_incident']);
    }
  });

  test('[L6] is work that an address is given only so much of', async () => {
    const { twinUrl } = await nodes.inProcess({
      RATE_LIMITS: 'on',
      LIMIT_WORK_MS_BURST: '14',
      LIMIT_WORK_MS_PER_S: '0.001',
    });
    const other = new Api(twinUrl);
    const made = await other.makeWorld({ journal, start_tick: 1500 });
    const [incident] = await other.world('Incidents', made, '/incidents');
    const path = `/api/v1/worlds/${made.id}/incidents/${incident?.id}/replay`;
    const statuses = new Set<number>();
    for (let i = 0; i < 30; i++) statuses.add((await other.ask(path)).status);
    expect(statuses).toEqual(new Set([200, 429]));
  });
});

describe('a watched world', () => {
  const options = (start_tick: number) => ({ journal: { ...journal, seed: 11 }, start_tick });
  const quiet = useTwin();

  /** Shortly before two collisions in close succession. */
  async function busyTick(): Promise<number> {
    const later = await api.makeWorld(options(8000));
    const ticks = (await api.world('Incidents', later, '/incidents'))
      .map(({ tick }) => tick)
      .filter((tick) => tick > 1500);
    const waits = ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? 0));
    const first = ticks[waits.indexOf(Math.min(...waits))];
    if (first === undefined) throw new Error('this world has too few collisions');
    return first - 120;
  }

  test('[I20] has its collisions explained without anybody asking, and goes on all the while', async () => {
    const startTick = await busyTick();
    const past = await api.world(
      'Incidents',
      await api.makeWorld(options(startTick)),
      '/incidents',
    );
    const watched = await quiet.makeWorld(options(startTick));
    const stream = await Stream.open(watched.stream_url);
    await stream.hello();
    const frames: Snapshot[] = [];
    const wanted = past.filter(({ tick }) => tick <= startTick).length + 2;
    const explainedTotal = () => metricOf(quiet.node, 'twin_incidents_explained_total');
    while ((await explainedTotal()) < wanted) frames.push(...(await stream.frames(12)));
    await stream.close();
    const ticks = frames.map(({ tick }) => tick);
    expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b));
    const all = await quiet.world('Incidents', watched, '/incidents');
    const explained = all.filter((incident) => incident.explained);
    expect(explained.length).toBeGreaterThanOrEqual(wanted);
    // What the stream showed is what the replay shows, to the last digit.
    const shown = new Map(frames.map((frame) => [frame.tick, frame]));
    const seen = explained.filter(({ tick }) => shown.has(Math.ceil(tick / 4) * 4));
    expect(seen.length).toBeGreaterThanOrEqual(2);
    for (const { id } of seen) {
      const replay = await quiet.world('Replay', watched, `/incidents/${id}/replay`);
      const common = replay.frames.filter(({ tick }) => shown.has(tick));
      expect(common.length).toBeGreaterThan(20);
      for (const frame of common) expect(frame).toEqual(shown.get(frame.tick));
    }
  });
});

test('[I26] a change within the seconds before does not undo what a replay has on', async () => {
  const [found] = incidents
    .filter(({ tick, vehicles }) => tick > 800 && vehicles.length === 1)
    .flatMap((incident) => avoidingAlone(incident).map((failure) => ({ incident, failure })));
  if (found === undefined) throw new Error('one feature avoids a later incident');
  const { incident, failure } = found;
  const { feature } = failure;
  const car = indexOf(world, failure.vin);
  const flicker = [400, 300, 200, 100].map((lead) => ({
    tick: incident.tick - lead,
    car,
    features: { [feature]: false },
  }));
  const changes: Journal['changes'] = [...journal.changes, ...flicker];
  const other = await api.makeWorld({
    journal: { ...journal, changes },
    start_tick: incident.tick + 200,
  });
  const touched = (await api.world('Journal', other, '/journal')).changes.filter(
    (change) => change.car === car && change.tick > 0,
  );
  expect(touched).toHaveLength(flicker.length);
  expect((await replayOf(other, incident)).contact_tick).toBe(incident.tick);
  const again = await replayOf(other, incident, [feature]);
  expect([again.with, again.contact_tick]).toEqual([[feature], null]);
});
