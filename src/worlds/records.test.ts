import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN_TICKS } from '../../assembly/layout.ts';
import { type EmbeddedStore, openEmbedded } from '../store/embedded-store.ts';
import { systemTime } from '../time.ts';
import { partitionOf } from '../twin/ids.ts';
import type { ContactFacts, PartyFacts } from '../twin/incidents.ts';
import { Leases } from './leases.ts';
import { Records } from './records.ts';

const WORLD = 77;

let dir: string;
let store: EmbeddedStore;
let records: Records;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'records-test.'));
  store = await openEmbedded(dir, systemTime);
  records = new Records(store, await Leases.takeAll(store, 'node'));
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true });
});

const party: PartyFacts = {
  car: 1,
  declared: 0,
  effective: 0,
  type: 0,
  speedMps: 10,
  deltaVMps: 5,
  hx: 1,
  hy: 0,
  impactX: 1,
  impactY: 0,
  massKg: 1500,
};

function contact(tick: number, order: number, chainTick: number, chainOrder: number): ContactFacts {
  const where = {
    kind: 0,
    block: -1,
    hazard: -1,
    x: 0,
    y: 0,
    closingMps: 10,
    energyJ: 1000,
    striking: 0,
  };
  return { tick, order, chainTick, chainOrder, ...where, parties: [party, party] };
}

test('a chain is all contacts that go back to its first, however many others lie between', async () => {
  const first = contact(1000, 1, 1000, 1);
  // One just in time after another, with a thousand and more of other chains in between.
  const links = [1099, 1198, 1297].map((tick) => contact(tick, 19, 1000, 1));
  const others = [1000, 1050, 1150, 1250].flatMap((tick) =>
    Array.from({ length: 300 }, (_, i) => contact(tick, i + 2, tick, i + 2)),
  );
  await records.saveIncidents(WORLD, [first, ...others, ...links]);
  expect(await records.incidentChain(WORLD, 1000, 1)).toEqual([first, ...links]);
  expect(await records.incidentChain(WORLD, 1050, 7)).toEqual([contact(1050, 7, 1050, 7)]);
  expect(await records.incidents(WORLD)).toHaveLength(1 + others.length + links.length);
});

test('a contact later in its chain is none to ask for, nor one that never was', async () => {
  expect(await records.incidentChain(WORLD, 1099, 19)).toBeUndefined();
  expect(await records.incidentChain(WORLD, 999, 0)).toBeUndefined();
});

test('a chain ends where no contact can belong to it any more', async () => {
  const first = contact(5000, 0, 5000, 0);
  const late = contact(5000 + CHAIN_TICKS, 0, 5000, 0);
  await records.saveIncidents(WORLD, [first, late]);
  expect(await records.incidentChain(WORLD, 5000, 0)).toEqual([first]);
});

test('a contact that was stored before there were chains is one of its own', async () => {
  const { chainTick: _, chainOrder: __, energyJ: ___, ...old } = contact(9000, 3, 9000, 3);
  await records.write(WORLD, [{ key: records.key(WORLD, 'incident', 9000, 3), value: old }]);
  // Two cars of 1,500 kg that close at 10 m/s.
  const energyJ = 0.5 * 750 * 100;
  expect(await records.incidentChain(WORLD, 9000, 3)).toEqual([
    { ...contact(9000, 3, 9000, 3), energyJ },
  ]);
});

test('a world falls due as it was made to until it is moved, and is gone with all that is filed', async () => {
  const world = 78;
  const masks = Array.from({ length: 20 }, () => 4095);
  await records.create(
    world,
    {
      seed: 1,
      city: 'grid',
      createdAtMs: 0,
      kernel: 'one',
      exact: true,
      due: 5,
      livedCount: 0,
      masks,
      maskSeq: 0,
      maskTick: 0,
      from: { tick: 0, seq: 0, masks },
    },
    [],
  );
  const fallen = async (before: number) =>
    (await records.fallenDue(partitionOf(world), before, 10)).map((found) => found.world);
  expect([await records.due(world), await fallen(5), await fallen(6)]).toEqual([5, [], [world]]);
  await records.moveDue(world, 5, 9);
  expect([await records.due(world), await fallen(9), await fallen(10)]).toEqual([9, [], [world]]);
  await records.remove(world);
  expect([await records.due(world), await fallen(10)]).toEqual([undefined, []]);
});
