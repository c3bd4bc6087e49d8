import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { DealerPlatform } from '../../dealer/dealer-platform.ts';
import { systemTime } from '../../time.ts';
import { BodyThread } from '../server/body-thread.ts';
import { Head } from '../server/head.ts';
import { BodyReader } from './body-reader.ts';
import { CallTurns } from './call-turns.ts';
import { dealerRoutes } from './dealer-routes.ts';

const VIN = 'DTW0123456789ABCD';
const CAR = { vin: VIN, dealer: 'nordbil', owner: { email: 'anna@x.test', username: 'anna' } };

/** Makes a call of a dealer, and returns what was logged. */
async function logOf(operationId: string, json: object): Promise<string[]> {
  const lines: string[] = [];
  const account = { id: 'id', username: 'nordbil', role: 'dealer' };
  const change = async () => CAR;
  const platform = {
    sessions: { find: async () => ({ account }) },
    cars: { addToFleet: change, setState: change, setOwner: change, clearOwner: change },
  } as unknown as DealerPlatform;
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const bodies = new BodyReader(new BodyThread());
  const turns = new CallTurns(systemTime);
  const routes = dealerRoutes({
    platform,
    limits: {},
    bodies,
    turns,
    publicTwinUrl: () => '',
    log,
  });
  const route = routes.find((each) => each.operationId === operationId);
  const head = new Head();
  head.add('content-type', 'application/json');
  const reply = await route?.handle({
    method: route.method,
    path: route.path,
    head,
    params: [VIN],
    query: '',
    encoding: 'json',
    body: Buffer.from(JSON.stringify(json)),
    requestId: 'r1',
    addressKey: () => 'a',
  });
  expect(reply?.status).toBe(200);
  return lines;
}

test.each([
  ['addToFleet', { vin: VIN }, { fleet: 'nordbil' }],
  ['setState', { locked: false, climate: null }, { locked: false }],
  ['setState', { locked: true, charging: true }, { locked: true, charging: true }],
  ['setOwner', { email: 'anna@x.test', since: '2026' }, { owner: 'anna' }],
  ['clearOwner', {}, { owner: null }],
])('[D34, H18] %s logs who changed which car, without VIN and email', async (...given) => {
  const [operationId, json, change] = given;
  const [line = '', ...more] = await logOf(operationId, json);
  const logged = JSON.parse(line);
  const common = { requestId: 'r1', by: 'nordbil', role: 'dealer', car: '89ABCD' };
  expect(logged).toMatchObject({ ...common, ...change, msg: 'car changed' });
  expect(line).not.toContain(VIN);
  expect(line).not.toContain('x.test');
  expect(more).toEqual([]);
});
