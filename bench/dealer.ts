/** The dealer platform: requests a second, log-ins beside bare argon2id, start to ready. */

import { rm } from 'node:fs/promises';
import { hash, verify } from '@node-rs/argon2';
import { systemRandom } from '../src/random.ts';
import { systemTime } from '../src/time.ts';
import {
  bearerOf,
  DEMO_ADMIN,
  DEMO_CARS,
  DEMO_CUSTOMER,
  dealerUrlOf,
  loginRequest,
} from './common/dealer-client.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { inFreshDir } from './common/fresh-dir.ts';
import { formatRequest, HttpPool } from './common/http-pool.ts';
import { closedLoop, formatFailures, saturate } from './common/loops.ts';
import { parseOptions } from './common/options.ts';
import { median } from './common/report.ts';
import { type Server, startNodeOn } from './common/server.ts';
import { besideEmptyServer, measure, readFigures, togglingRequests } from './turns.ts';

const ROUNDS = 3;
const ROUND_S = 3;
/** Log-ins at a time: those being verified and those waiting. */
const LOGIN_WIDTH = 8;
/** The parameters of the platform, and how many hashes it runs at once. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const HASHES_AT_ONCE = 2;
const MAKERS = 64;
const MAKING_S_MAX = 600;

const OPTIONS = {
  worlds: { fallback: 100_000, min: 1, max: 10_000_000, help: 'in the store at the start' },
};

export async function run(options: string[]): Promise<Figure[]> {
  const { worlds } = parseOptions(OPTIONS, options);
  return [...(await requestFigures()), ...(await startFigures(worlds))];
}

function requestFigures(): Promise<Figure[]> {
  return besideEmptyServer(async (node, empty) => {
    const url = dealerUrlOf(node);
    const headers = await bearerOf(url, DEMO_ADMIN);
    const reads = [
      { name: 'GET auth/me', path: '/api/auth/me', headers, atLeast: 0.4 },
      { name: 'GET cars', path: '/api/cars', headers, atLeast: 0.15 },
      { name: 'GET dealers', path: '/api/dealers' },
    ];
    const toggling = (pathOf: (vin: string) => string) =>
      togglingRequests('locked', DEMO_CARS, (vin) => ({ path: pathOf(vin), headers }));
    const patching = {
      own: toggling((vin) => `/api/cars/${vin}/state`),
      empty: toggling(() => '/accept/400'),
    };
    const figures = await readFigures(reads, url, empty);
    const patch = await measure(patching, url, empty);
    return [
      ...figures,
      compared('PATCH state, durable', patch.own.perS, '/s', patch.reference),
      figure('its p99', patch.own.p99Ms, 'ms'),
      await loginFigure(url),
    ];
  });
}

/** Log-ins and bare hashes take turns. */
async function loginFigure(url: URL): Promise<Figure> {
  const [own, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await loginsPerS(url));
    bare.push(await hashesPerS());
  }
  const reference = { name: 'bare argon2id', value: median(bare) };
  return compared('log-ins', median(own), '/s', reference, { atLeast: 0.9 });
}

async function loginsPerS(url: URL): Promise<number> {
  const requests = [loginRequest(url, DEMO_CUSTOMER)];
  const { okPerS } = await saturate(url, { width: LOGIN_WIDTH, seconds: ROUND_S, requests });
  return okPerS;
}

async function hashesPerS(): Promise<number> {
  const password = Buffer.from(systemRandom.bytes(8)).toString('hex');
  const known = await hash(password, ARGON2ID);
  const startMs = systemTime.now();
  const endMs = startMs + ROUND_S * 1000;
  let count = 0;
  const verifier = async () => {
    for (; systemTime.now() < endMs; count += 1) await verify(known, password);
  };
  await Promise.all(Array.from({ length: HASHES_AT_ONCE }, verifier));
  return count / ((systemTime.now() - startMs) / 1000);
}

async function startFigures(worlds: number): Promise<Figure[]> {
  const empty = await inFreshDir(async (dir) => median(await startsMs(dir, true)));
  const full = await inFreshDir(async (dir) => {
    const node = await startNodeOn(dir);
    await fill(node, worlds);
    await node.stop();
    return median(await startsMs(dir, false));
  });
  const name = `start to ready, ${worlds.toLocaleString('en-US')} worlds in the store`;
  return [
    figure('start to ready, empty store', empty, 'ms', { atMost: 1500 }),
    figure(name, full, 'ms', { atMost: 2000 }),
  ];
}

/** From the start of the process to the line that says it is ready. */
async function startsMs(dir: string, isFresh: boolean): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isFresh) await rm(dir, { recursive: true, force: true });
    const startMs = systemTime.now();
    const node = await startNodeOn(dir);
    times.push(systemTime.now() - startMs);
    await node.stop();
  }
  return times;
}

async function fill({ url }: Server, worlds: number): Promise<void> {
  const pool = await HttpPool.open(url, MAKERS);
  const request = formatRequest(url, 'POST', '/api/v1/worlds');
  const { ok, failed } = await closedLoop(pool, {
    width: MAKERS,
    count: worlds,
    seconds: MAKING_S_MAX,
    request: () => request,
  });
  pool.close();
  if (ok < worlds) throw new Error(`${ok} of ${worlds} worlds: ${formatFailures(failed)}`);
}
