import { expect, test } from 'vitest';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import { CarChanges } from './car-changes.ts';
import { MixedRequests } from './mixed-requests.ts';

const WORLDS: MadeWorld[] = ['one', 'other'].map((id) => {
  return { id, vins: [1, 2, 3].map((i) => `${id}${i}`), createdAtMs: 0 };
});
const REFUSED = { status: 503, head: '', body: Buffer.from('refused') };

/** Vehicle that a request is for. */
const vinOf = (request: Buffer) => /X-VIN: (\w+)/.exec(request.toString())?.[1];

test('a failed request tells the world that it asked for, be it a change or a read', () => {
  const requests = new MixedRequests(WORLDS, new CarChanges(WORLDS));
  const asked = Array.from({ length: 30 }, (_, index) => {
    const request = requests.request(index);
    requests.answered(index, index % 2 === 0 ? REFUSED : undefined, 5);
    return { isChange: request.toString().startsWith('PATCH'), vin: vinOf(request) ?? '' };
  });
  expect(asked.filter(({ isChange }) => isChange)).toHaveLength(6);
  expect(requests.failed.map(({ world }) => world)).toEqual(
    asked.map(({ vin }) => vin.replace(/\d$/, '')),
  );
});

test('a request in the place of a change, where all cars wait, is for no world', () => {
  const changes = new CarChanges(WORLDS);
  const requests = new MixedRequests(WORLDS, changes);
  for (let index = 0; index < 30; index += 5) requests.request(index);
  expect(requests.request(30).toString()).toMatch(/^GET \/api\/v1\/cities /);
  requests.answered(30, undefined, 5);
  expect(requests.failed).toMatchObject([{ world: undefined, text: 'no answer' }]);
});
