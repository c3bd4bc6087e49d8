import { expect, test } from 'vitest';
import { F_ALL } from '../../../../assembly/layout.ts';
import { at } from '../../../city/geometry.ts';
import type { Incident } from '../../../twin/wire.ts';
import { Dice } from '../../rigs/dice.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { randomMasks } from '../../rigs/told-and-found.ts';
import { until } from '../../rigs/until.ts';
import { incidentsOf, makeLivedWorld, type World } from './client.ts';

const nodes = useNodes();
const TICK = 3000;
const lived = { seed: 7, tick: TICK };

/** Those that are long over at a tick. */
const past = (incidents: readonly Incident[], endTick = TICK - 300) =>
  incidents.filter(({ tick }) => tick <= endTick);

/** The past incidents of a world, once all of them are explained. */
async function explained(base: string, world: World, endTick?: number): Promise<Incident[]> {
  return until('explanations', async () => {
    const incidents = past(await incidentsOf(base, world), endTick);
    const isDone = incidents.length > 0 && incidents.every((incident) => incident.explained);
    return isDone ? incidents : undefined;
  });
}

/** What was found out, by car instead of VIN. */
const found = (incidents: readonly Incident[], { fleet }: World) =>
  incidents.map(({ id, failures }) => [
    id,
    failures.map((failure) => ({
      ...failure,
      vin: fleet.findIndex(({ vin }) => vin === failure.vin),
    })),
  ]);

test('explanations are kept over a restart', async () => {
  const DATA_DIR = nodes.dir();
  const first = await nodes.inProcess({ DATA_DIR });
  const world = await makeLivedWorld(first.twinUrl, lived);
  const before = await explained(first.twinUrl, world);
  expect(before.length).toBeGreaterThan(3);
  await first.stop();
  const second = await nodes.inProcess({ DATA_DIR });
  expect(past(await incidentsOf(second.twinUrl, world))).toEqual(before);
});

test('[I22] incidents that a killed process had not explained are explained by the next', async () => {
  const DATA_DIR = nodes.dir();
  const first = await nodes.ownProcess({ DATA_DIR });
  const world = await makeLivedWorld(first.twinUrl, lived);
  const reported = past(await incidentsOf(first.twinUrl, world));
  expect(reported.length).toBeGreaterThan(3);
  await first.end('SIGKILL');
  const second = await nodes.inProcess({ DATA_DIR });
  const after = await explained(second.twinUrl, world);
  expect(after.map(({ id }) => id)).toEqual(reported.map(({ id }) => id));
  // As in a world that was never disturbed.
  const other = await makeLivedWorld(second.twinUrl, lived);
  expect(found(await explained(second.twinUrl, other), other)).toEqual(found(after, world));
});

test('a thread that dies during an explanation loses nothing', async () => {
  const node = await nodes.inProcess({ SHARDS: '1' }, { faults: true });
  const world = await makeLivedWorld(node.twinUrl, lived);
  expect(past(await incidentsOf(node.twinUrl, world)).length).toBeGreaterThan(3);
  const shard = at(node.shards, 0);
  await until('an explanation under way', () => shard.searching > 0);
  shard.command({ kind: 'fault', fault: { what: 'die' } });
  await until('another thread', () => shard.alive && shard.incarnation > 1);
  expect((await explained(node.twinUrl, world)).length).toBeGreaterThan(3);
});

test('[I19] every explanation has a figure, also if nothing would have been hit', async () => {
  const { twinUrl } = await nodes.inProcess();
  let awayCount = 0;
  // A car that stalls and is struck from behind would have been far away with its drive.
  for (let seed = 18; seed <= 42 && awayCount === 0; seed++) {
    const changes = randomMasks(new Dice(seed)).flatMap((mask, car) =>
      mask === F_ALL ? [] : [{ tick: 2, car, touched: F_ALL & ~mask, values: 0 }],
    );
    const world = await makeLivedWorld(twinUrl, { seed, tick: 4000, changes });
    const incidents = await explained(twinUrl, world, 3700);
    const sentences = incidents.flatMap(({ failures }) => failures.map((each) => each.explanation));
    expect(sentences.filter((sentence) => !/\d/.test(sentence))).toEqual([]);
    const isAway = (sentence: string) => sentence.includes(' away by then and not have met ');
    awayCount += sentences.filter(isAway).length;
  }
  expect(awayCount).toBeGreaterThan(0);
});
