/** Prices of work that functions do, measured in this process. */
import { CAR_COUNT, F_ALL, F_BRAKES, FRAME_TICKS } from '../../assembly/layout.ts';
import { at } from '../../src/city/geometry.ts';
import { nearestRoad } from '../../src/city/place.ts';
import { Passwords } from '../../src/dealer/passwords.ts';
import type { CustomerRecord } from '../../src/dealer/records.ts';
import { joseSigner } from '../../src/dealer/token-signer.ts';
import { Tokens } from '../../src/dealer/tokens.ts';
import { readForm, readJson } from '../../src/http/dealer/body.ts';
import type { PRICES_US } from '../../src/http/server/prices.ts';
import { encode } from '../../src/http/server/reply.ts';
import { type PictureTask, pictureOf } from '../../src/picture/picture.ts';
import { surroundingsOf } from '../../src/picture/surroundings.ts';
import { systemRandom } from '../../src/random.ts';
import { openEmbedded } from '../../src/store/embedded-store.ts';
import { itemsOf } from '../../src/testing/doubles/long-list.ts';
import { takenGrant } from '../../src/testing/rigs/taken-grant.ts';
import { systemTime } from '../../src/time.ts';
import { fleetOf } from '../../src/twin/fleet.ts';
import { partitionOf } from '../../src/twin/ids.ts';
import { incidentOf } from '../../src/twin/incidents.ts';
import { journalEntryOf, packChanges } from '../../src/twin/journal.ts';
import { previewOf } from '../../src/twin/link-preview.ts';
import type { Incident } from '../../src/twin/wire.ts';
import { IncidentIndex } from '../../src/worlds/incident-index.ts';
import { IncidentList } from '../../src/worlds/incident-list.ts';
import { Records, type WorldRecord } from '../../src/worlds/records.ts';
import { inFreshDir } from '../common/fresh-dir.ts';
import { usPerItem } from './per-item.ts';
import { cities, drive, RECKLESS_SEED, RECKLESS_TICKS } from './reckless-world.ts';

type Name = keyof typeof PRICES_US;

const WORLD = 7;
const BODY_BYTES = 65_536;
const CHANGES = 10_000;
const FORMS = 100;
const READS = 50;
const INCIDENT_TICKS = 100_000;
const CAR = 3;
const PICTURES = 10;
const FRAMES = 100;
const HASHES = 8;
const VERIFIED = 1000;
const TOKEN_S = 3600;

const city = at(cities.cities, 0);

function tick(): Promise<number> {
  return usPerItem(RECKLESS_TICKS, () => drive(RECKLESS_TICKS));
}

/** Short values are the dearest bytes if the end is missing: the answer names the place. */
function parsedByte(): Promise<number> {
  const body = Buffer.from(`[${'1,'.repeat(BODY_BYTES / 2)}`.slice(0, BODY_BYTES));
  return usPerItem(10 * body.length, () => {
    for (let i = 0; i < 10; i += 1) tryAll(() => readJson(body, 'application/json'));
  });
}

function tryAll(work: () => unknown): void {
  try {
    work();
  } catch {
    // What fails costs as much.
  }
}

function multipart(): Promise<number> {
  const fields = { username: 'nordbil', password: 'dealer-demo' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const body = Buffer.from(`${parts.join('')}--x--\r\n`);
  return usPerItem(FORMS, async () => {
    for (let i = 0; i < FORMS; i += 1) await readForm(body, 'multipart/form-data; boundary=x');
  });
}

/** With the signature of another key. */
function token(): Promise<number> {
  const clock = { now: () => systemTime.now() };
  return inFreshDir(async (dir) => {
    const store = await openEmbedded(dir, systemTime);
    try {
      const tokens = await Tokens.open(
        { store, clock, random: systemRandom, signer: joseSigner },
        TOKEN_S,
      );
      const issued = await tokens.issue({ role: 'user', id: 'x', credential: 1 } as CustomerRecord);
      const [head, claims] = issued.split('.');
      const wrong = `${head}.${claims}.${'x'.repeat(43)}`;
      return await usPerItem(VERIFIED, async () => {
        for (let i = 0; i < VERIFIED; i += 1) await tokens.verify(wrong);
      });
    } finally {
      await store.close();
    }
  });
}

async function password(): Promise<number> {
  const passwords = new Passwords(systemRandom);
  try {
    return await usPerItem(HASHES, async () => {
      for (let i = 0; i < HASHES; i += 1) await passwords.hash('dealer-demo');
    });
  } finally {
    await passwords.close();
  }
}

/** Records in an embedded store. */
function withRecords<T>(use: (records: Records) => Promise<T>): Promise<T> {
  return inFreshDir(async (dir) => {
    const store = await openEmbedded(dir, systemTime);
    try {
      return await use(new Records(store, await takenGrant(store, partitionOf(WORLD))));
    } finally {
      await store.close();
    }
  });
}

/** In the list of a car: its incidents are read one by one. */
function incident(): Promise<number> {
  return withRecords(async (records) => {
    const facts = drive(INCIDENT_TICKS);
    await records.saveIncidents(WORLD, facts);
    const list = incidentsOf(records, facts.length).list({ car: CAR });
    const count = (await itemsOf(list)).length;
    return usPerItem(READS * count, async () => {
      for (let i = 0; i < READS; i += 1) encode(await itemsOf(list), 'msgpack');
    });
  });
}

function incidentsOf(records: Records, storedContacts: number): IncidentList {
  const fleet = fleetOf(RECKLESS_SEED, WORLD);
  return new IncidentList(new IncidentIndex(WORLD, records), {
    reports: { storedContacts },
    name: () => 'bench',
    incidentOf: (chain) => {
      const { id: road, name: street } = nearestRoad(city, chain[0].x, chain[0].y);
      const context = { worldId: 'w', fleet, hazards: city.hazards, place: { road, street } };
      return incidentOf(chain, context, []);
    },
    ask: () => {},
    isOpen: () => false,
  });
}

/** With frames as long as those of a replay up to the contact. */
function picture(): Promise<number> {
  return withRecords(async (records) => {
    const facts = drive(INCIDENT_TICKS);
    await records.saveIncidents(WORLD, facts);
    const incidents = await itemsOf(incidentsOf(records, facts.length).list({ car: CAR }));
    const tasks = incidents.slice(0, PICTURES).map(pictureTaskOf);
    return usPerItem(tasks.length, async () => {
      for (const task of tasks) await pictureOf(task);
    });
  });
}

function pictureTaskOf(incident: Incident): PictureTask {
  const fleet = fleetOf(RECKLESS_SEED, WORLD);
  const { x, y } = incident.place;
  const frames = Array.from({ length: FRAMES }, (_, i) => ({
    tick: incident.tick - FRAME_TICKS * (FRAMES - 1 - i),
    vehicles: fleet.map(({ vin }, car) => ({ vin, x: x + car, y: y + i / 2, heading: 1 })),
    hazards: [],
  }));
  const text = JSON.stringify(frames).slice(1, -1);
  const replayed = { frames: Buffer.from(text) };
  return {
    ...{ incident, fleet, asItWas: replayed },
    asItWouldHaveBeen: { ...replayed, vins: incident.vehicles.map(({ vin }) => vin) },
    preview: previewOf(incident, city.hazards),
    surroundings: surroundingsOf(city, [x, y]),
  };
}

function journalChange(): Promise<number> {
  const masks = Array.from({ length: CAR_COUNT }, () => F_ALL);
  const changes = Array.from({ length: CHANGES }, (_, i) => ({
    ...{ tick: i, car: i % CAR_COUNT, touched: F_BRAKES },
    values: i % 2 === 0 ? F_BRAKES : 0,
  }));
  const record: WorldRecord = {
    ...{ seed: RECKLESS_SEED, city: city.name, createdAtMs: 0, kernel: 'k', exact: true, due: 0 },
    ...{ livedCount: CHANGES, masks, maskSeq: CHANGES, maskTick: CHANGES },
    from: { tick: 0, seq: 0, masks },
  };
  return withRecords(async (records) => {
    await records.create(WORLD, record, packChanges(changes));
    return usPerItem(CHANGES, async () => {
      encode((await records.changes(WORLD, record, 0)).map(journalEntryOf), 'msgpack');
    });
  });
}

export const OF_FUNCTIONS = {
  tick,
  parsedByte,
  multipart,
  token,
  password,
  incident,
  picture,
  journalChange,
} satisfies Partial<Record<Name, () => Promise<number>>>;
