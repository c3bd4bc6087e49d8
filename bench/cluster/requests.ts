import { systemTime } from '../../src/time.ts';
import { compared, type Figure, figure } from '../common/figures.ts';
import { askOnce, formatRequest, HttpPool } from '../common/http-pool.ts';
import { closedLoop, formatFailures, openLoop } from '../common/loops.ts';
import { makeWorlds } from '../common/made-worlds.ts';
import type { Server } from '../common/server.ts';
import { inTurns, medianOf, type Stage, used } from './stage.ts';

const WORLD_COUNT = 32;
const CONNECTIONS = 64;
/** Before anything is measured, of each kind: code is compiled meanwhile. */
const WARM_UP_COUNT = 60_000;
const WARM_UP_S_MAX = 20;
const HIGHEST_S = 3;
/** Of the highest rate of forwarded requests. */
const LOAD = 0.4;
const EMPTY_RATIO_MAX = 4;
const LATER_MS_MAX = 0.5;
const PATH = '/api/v1/vehicle/features';

type Ask = (index: number) => Buffer;

/** One kind of request, and the processes that answer it. */
interface Target {
  servers: readonly Server[];
  pool: HttpPool;
  request: Ask;
}

interface Asked {
  us: number;
  seconds: number;
  count: number;
  p50Ms: number;
}

/** GET features of cars whose worlds are at another node, at less than half of the highest rate. */
export async function requestFigures(stage: Stage): Promise<Figure[]> {
  const { other, owner, empty, rounds, seconds } = stage;
  const cars = (await makeWorlds(owner.url, WORLD_COUNT)).map(({ vins: [vin = ''] }) => vin);
  const ofCar = ({ url }: Server): Ask => {
    const made = cars.map((vin) => formatRequest(url, 'GET', PATH, { 'X-VIN': vin }));
    return (i) => made[i % made.length] as Buffer;
  };
  const { body } = await askOnce(other.url, ofCar(other)(0));
  const emptyRequest = formatRequest(empty.url, 'GET', `/bytes/${body.length}`);
  const nodes = [other, owner];
  const open = async (servers: readonly Server[], to: Server, request: Ask): Promise<Target> => ({
    ...{ servers, request, pool: await HttpPool.open(to.url, CONNECTIONS) },
  });
  const targets = {
    empty: await open([empty], empty, () => emptyRequest),
    here: await open(nodes, owner, ofCar(owner)),
    there: await open(nodes, other, ofCar(other)),
  };
  for (const target of Object.values(targets)) await flood(target, WARM_UP_COUNT, WARM_UP_S_MAX);
  const highestPerS = await flood(targets.there, Number.POSITIVE_INFINITY, HIGHEST_S);
  const ratePerS = Math.round(LOAD * highestPerS);
  const at = (target: Target) => () => ask(target, ratePerS, seconds);
  const found = await inTurns(rounds, {
    idleNodes: () => idle(nodes, seconds),
    idleEmpty: () => idle([empty], seconds),
    ...{ empty: at(targets.empty), here: at(targets.here), there: at(targets.there) },
  });
  for (const { pool } of Object.values(targets)) pool.close();
  return figuresOf(found, ratePerS);
}

type Round = Record<'idleNodes' | 'idleEmpty' | 'empty' | 'here' | 'there', Asked>;

function figuresOf(rounds: readonly Round[], ratePerS: number): Figure[] {
  const perCall = (kind: 'empty' | 'here' | 'there') =>
    medianOf(rounds, (round) => {
      const { us, seconds, count } = round[kind];
      const still = round[kind === 'empty' ? 'idleEmpty' : 'idleNodes'];
      return (us - (still.us * seconds) / still.seconds) / count;
    });
  const p50Ms = (kind: 'empty' | 'here' | 'there') => medianOf(rounds, (each) => each[kind].p50Ms);
  const empty = { name: 'an empty handler', value: perCall('empty') };
  const here = { name: 'the same at the node of its world', value: perCall('here') };
  const there = perCall('there');
  const later = p50Ms('there') - p50Ms('empty');
  return [
    figure('rate of the requests', ratePerS, 'requests a second'),
    compared('forwarded GET features', there, 'µs', empty, { atMost: EMPTY_RATIO_MAX }),
    compared('forwarded GET features', there, 'µs', here),
    figure('its p50 beyond that of an empty handler', later, 'ms', { atMost: LATER_MS_MAX }),
    figure('  beyond that at the node of its world', p50Ms('there') - p50Ms('here'), 'ms'),
  ];
}

/** Sends as many requests as are answered; returns how many a second were. */
async function flood({ pool, request }: Target, count: number, seconds: number): Promise<number> {
  return (await closedLoop(pool, { width: CONNECTIONS, count, seconds, request })).okPerS;
}

async function ask({ servers, pool, request }: Target, ratePerS: number, seconds: number) {
  const all = await used(servers, () => openLoop(pool, { request, ratePerS, seconds }));
  const { ok, failed, latency } = all.result;
  if (Object.keys(failed).length > 0) throw new Error(`failed: ${formatFailures(failed)}`);
  return { us: all.us, seconds: all.seconds, count: ok, p50Ms: latency.p50Ms };
}

async function idle(servers: readonly Server[], seconds: number): Promise<Asked> {
  const { us, seconds: passedS } = await used(servers, () => systemTime.sleep(seconds * 1000));
  return { us, seconds: passedS, count: 0, p50Ms: 0 };
}
