/** Prices of whole requests: processor time of a node, with all its threads. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { PRICES_US } from '../../src/http/server/prices.ts';
import { PAST_STATES_OF_CLIENT_MAX } from '../../src/limits.ts';
import { bearerOf, DEMO_ADMIN, DEMO_CARS, dealerUrlOf } from '../common/dealer-client.ts';
import { askOnce, formatRequest, HttpPool } from '../common/http-pool.ts';
import { madeWorld, makeWorlds } from '../common/made-worlds.ts';
import { type Server, startNode } from '../common/server.ts';
import { WatchSocket } from '../common/watch-socket.ts';
import { usPerItem } from './per-item.ts';

type Name = keyof typeof PRICES_US;
type Request = readonly [
  method: string,
  path: string,
  body?: string | undefined,
  headers?: Headers,
];
type Headers = Readonly<Record<string, string>>;

const CONNECTIONS = 16;
const PARTS = 1000;
const BODIES = 100;
const CALLS = 500;
const TOGGLES = 25;
const LOOK_ROUNDS = 60;
const WATCHED = 40;
/** Old enough that their hellos have an image. */
const WATCHED_TICK = 4000;
const WATCHED_ROUNDS = 10;
const RESETS = 5;
const PAGES = 20;
const PAGE_CHANGES = 256;
const READS = 50;
/** A change of these is some 150 bytes long. */
const OFF = ['front_camera', 'front_radar', 'throttle', 'brakes', 'steering', 'esc'];
/** So many that the trail is not kept encoded. */
const NOTED = 1000;
const TRAILS = 20;
/** More than there are rounds. */
const HEIRS = 10;
const CARS = 2000;
const CUSTOMERS = 100;

/** Measures them all on one node. */
export async function pricesOfNode(): Promise<Partial<Record<Name, number>>> {
  const node = await startNode();
  try {
    const twin = await withConnections(node.url, (send) => pricesOfTwin(node, send));
    const dealer = await withConnections(dealerUrlOf(node), (send) => pricesOfDealer(node, send));
    return { ...twin, ...dealer };
  } finally {
    await node.stop();
  }
}

/** Processor time of the node so far, µs. */
async function nodeUs({ opsUrl }: Server): Promise<number> {
  if (opsUrl === undefined) throw new Error('the node has no private port');
  const { body } = await askOnce(opsUrl, formatRequest(opsUrl, 'GET', '/metrics'));
  const [, seconds] = /^process_cpu_seconds_total (\S+)$/m.exec(body.toString()) ?? [];
  return Number(seconds) * 1e6;
}

type Send = (requests: readonly Request[]) => Promise<void>;

/** Gives what sends all requests over a few connections, and throws where one is refused. */
async function withConnections<T>(url: URL, use: (send: Send) => Promise<T>): Promise<T> {
  const pool = await HttpPool.open(url, CONNECTIONS);
  const sendOne = async ([method, path, body, headers]: Request) => {
    const { status } = await pool.ask(formatRequest(url, method, path, headers, body));
    if (status >= 400) throw new Error(`${method} ${path}: ${status}`);
  };
  try {
    return await use(async (requests) => void (await Promise.all(requests.map(sendOne))));
  } finally {
    pool.close();
  }
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

async function pricesOfTwin(node: Server, send: Send) {
  const meter = () => nodeUs(node);
  const creations = times(CALLS, (): Request => ['POST', '/api/v1/worlds']);
  const world = await usPerItem(CALLS, () => send(creations), meter);
  const [{ vins } = { vins: [] }] = await makeWorlds(node.url, 1);
  let isOn = false;
  // Each switches the feature of a car, so that none is without effect.
  const changeAll = () => {
    isOn = !isOn;
    const body = JSON.stringify({ aeb: isOn });
    return send(vins.map((vin) => ['PATCH', '/api/v1/vehicle/features', body, { 'X-VIN': vin }]));
  };
  const changes = () =>
    inTurn(
      times(TOGGLES, () => changeAll),
      (change) => change(),
    );
  const featureChange = await usPerItem(TOGGLES * vins.length, changes, meter);
  const looks = times(
    CALLS,
    (i): Request => [
      'GET',
      '/api/v1/vehicle/perception',
      undefined,
      { 'X-VIN': vins[i % vins.length] ?? '' },
    ],
  );
  const perception = await usPerItem(CALLS, () => send(looks), meter);
  const pastState = await beginnings(node.url, send, meter);
  const lockstepHello = await hellos(node.url, meter);
  const kept = await keptPage(node.url, send, meter);
  const part = await bodyPart(node.url, meter);
  const kib = await sentKib(node.url, send, meter);
  const ofReads = { perception, pastState, lockstepHello, keptPage: kept, sentKib: kib };
  return { world, featureChange, bodyPart: part, ...ofReads };
}

/** States at tick 0: nothing is lived for them. */
async function beginnings(url: URL, send: Send, meter: () => Promise<number>): Promise<number> {
  const worlds = await makeWorlds(url, PAST_STATES_OF_CLIENT_MAX);
  const looks = worlds.map(
    ({ id }): Request => ['GET', `/api/v1/worlds/${id}/state?tick=0&hash=1`],
  );
  const rounds = times(LOOK_ROUNDS, () => looks);
  return usPerItem(LOOK_ROUNDS * looks.length, () => inTurn(rounds, send), meter);
}

/** Of worlds with states to send, to watchers that leave after it; the upgrade is part of it. */
async function hellos(url: URL, meter: () => Promise<number>): Promise<number> {
  const worlds = await makeWorlds(url, WATCHED, () => ({ start_tick: WATCHED_TICK }));
  const join = async ({ id }: { id: string }) => {
    const told = Promise.withResolvers<void>();
    const closed = () => told.reject(new Error('a stream ended before its hello'));
    const events = { message: () => told.resolve(), closed };
    const stream = `/ws/worlds/${id}?encoding=lockstep`;
    const [socket] = await Promise.all([WatchSocket.open(url, stream, events), told.promise]);
    socket.close();
  };
  const joinAll = () => Promise.all(worlds.map(join));
  const rounds = times(WATCHED_ROUNDS, () => joinAll);
  const all = () => inTurn(rounds, async (round) => void (await round()));
  return usPerItem(WATCHED_ROUNDS * WATCHED, all, meter);
}

/** Of bodies in parts of one byte. */
async function bodyPart(url: URL, meter: () => Promise<number>): Promise<number> {
  const parts = `1\r\n \r\n`.repeat(PARTS);
  const head = `POST /api/v1/worlds HTTP/1.1\r\nHost: ${url.host}\r\nTransfer-Encoding: chunked`;
  const request = `${head}\r\n\r\n${parts}0\r\n\r\n`;
  // The node ends the connection after such a body.
  const send = async () => {
    const socket = connect(Number(url.port), url.hostname);
    socket.resume().write(request);
    await once(socket, 'close');
  };
  const sendAll = () => Promise.all(times(BODIES, send));
  return usPerItem(BODIES * PARTS, sendAll, meter);
}

/** A map of some 200 KiB. */
async function sentKib(url: URL, send: Send, meter: () => Promise<number>): Promise<number> {
  const [{ id } = { id: '' }] = await makeWorlds(url, 1);
  const path = `/api/v1/worlds/${id}/map`;
  const { body } = await askOnce(url, formatRequest(url, 'GET', path));
  const reads = times(CALLS, (): Request => ['GET', path]);
  return usPerItem((CALLS * body.length) / 1024, () => send(reads), meter);
}

/** Pages of a journal, whose encoded pages are as long as those of incidents. */
async function keptPage(url: URL, send: Send, meter: () => Promise<number>): Promise<number> {
  const features = Object.fromEntries(OFF.map((name) => [name, false]));
  const changes = times(PAGES * PAGE_CHANGES, () => ({ tick: 0, car: 0, features }));
  const body = JSON.stringify({ journal: { seed: 1, city: 'grid', changes } });
  const made = await askOnce(url, formatRequest(url, 'POST', '/api/v1/worlds', {}, body));
  const read: Request = ['GET', `/api/v1/worlds/${madeWorld(made).id}/journal`];
  await send([read]);
  const reads = times(READS, () => read);
  return usPerItem(PAGES * READS, () => send(reads), meter);
}

async function pricesOfDealer(node: Server, sendPlain: Send) {
  const url = dealerUrlOf(node);
  const meter = () => nodeUs(node);
  const headers = await bearerOf(url, DEMO_ADMIN);
  const send: Send = (requests) =>
    sendPlain(requests.map(([method, path, body]) => [method, path, body, headers]));
  const calls = times(CALLS, (): Request => ['GET', '/api/auth/me']);
  const dealerCall = await usPerItem(CALLS, () => send(calls), meter);
  let isLocked = false;
  const change = (count: number): Request[] => {
    isLocked = !isLocked;
    const body = JSON.stringify({ locked: isLocked });
    return DEMO_CARS.slice(0, count).map((vin) => ['PATCH', `/api/cars/${vin}/state`, body]);
  };
  const dealerChange = await usPerItem(
    DEMO_CARS.length,
    () => send(change(DEMO_CARS.length)),
    meter,
  );
  const resets = times(RESETS, (): Request => ['POST', '/api/admin/reset']);
  const reset = await usPerItem(RESETS, () => inTurn(resets, (each) => send([each])), meter);
  await send(times(CARS, addedCar));
  await send(times(CUSTOMERS, signUp));
  // Long lists come in pieces without a length, which the pool does not read.
  const readList = async (path: string) => {
    const response = await fetch(new URL(path, url), { headers });
    const list = (await response.json()) as unknown[];
    if (list.length < CUSTOMERS) throw new Error(`${path}: ${response.status}`);
  };
  // A change before it, since a list that has not changed is kept.
  const listed = (path: string, items: number) =>
    usPerItem(items, () => send(change(1)).then(() => readList(path)), meter);
  const listedCar = await listed('/api/cars', CARS);
  const listedCustomer = await listed('/api/customers', CUSTOMERS);
  const [vin = ''] = DEMO_CARS;
  for (let i = 0; i < NOTED; i++) await send(change(1));
  const trails = times(TRAILS, () => `/api/cars/${vin}/audit`);
  const auditEntry = await usPerItem(TRAILS * NOTED, () => inTurn(trails, readList), meter);
  const dealerWrite = await writeOfMove(send, meter);
  return { dealerCall, dealerChange, reset, listedCar, listedCustomer, auditEntry, dealerWrite };
}

/** Two records are written of each car and customer that goes from one dealer to the next. */
async function writeOfMove(send: Send, meter: () => Promise<number>): Promise<number> {
  const heirs = times(HEIRS, (i) => `heir${i}`);
  await send(heirs.map(newDealer));
  let of = 'nordbil';
  const moveAll = async () => {
    const heir = heirs.shift();
    await send([['DELETE', `/api/dealers/${of}?reassign_to=${heir}`]]);
    of = heir ?? '';
  };
  return usPerItem(2 * (CARS + CUSTOMERS), moveAll, meter);
}

const newDealer = (username: string): Request => [
  'POST',
  '/api/dealers',
  JSON.stringify({ username, password: 'secret', name: 'H', city: 'C' }),
];

const addedCar = (i: number): Request => [
  'POST',
  '/api/cars/add-to-fleet',
  JSON.stringify({ vin: `BENCH${String(i).padStart(12, '0')}`, dealer: 'nordbil' }),
];

const signUp = (i: number): Request => [
  'POST',
  '/api/auth/signup',
  JSON.stringify({
    ...{ name: 'A Customer', username: `bench${i}`, password: 'abcd', dealer: 'nordbil' },
    email: `bench${i}@x.test`,
  }),
];

async function inTurn<T>(all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  for (const each of all) await act(each);
}
