import { expect, test } from 'vitest';
import type { Figure } from '../../bench/common/figures.ts';
import { inFreshDir } from '../../bench/common/fresh-dir.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { hashesOf, look } from './lived.ts';
import { NodesBehindProxies } from './nodes-behind-proxies.ts';
import { openPlace, type Place } from './place.ts';
import { type Plan, prove } from './proof.ts';

const PLAN: Plan = {
  ...{ seeds: 1, minutes: 1, live: 8, rate: 10, ticks: 8, kills: 0, late: 200, drop: 4 },
};

/** One node, and worlds in a thread of this process. */
function proved(spoil: (place: Place) => Place = (place) => place) {
  return inFreshDir(async (dir) => {
    const nodes = await ClusterNodes.start(1, dir, () => ({}));
    try {
      const behind = await NodesBehindProxies.open(nodes);
      const place = await openPlace('Node.js', behind.origins);
      try {
        return await prove(PLAN, behind, [spoil(place)]);
      } finally {
        await place.close();
        behind.close();
      }
    } finally {
      await nodes.end();
    }
  });
}

/** How much was seen depends on the machine; that something was, does not. */
function missed({ judged = [] }: Awaited<ReturnType<typeof proved>>) {
  const isAmount = ({ name }: Figure) =>
    /^(states looked at|of these excused|late changes)/.test(name);
  expect(judged.find(({ name }) => name.startsWith('states looked at'))?.value).toBeGreaterThan(0);
  return judged
    .filter((each) => each.target?.met === false && !isAmount(each))
    .map(({ name, value }) => [name, value]);
}

test('worlds that are lived beside a node are its worlds', async () => {
  const outcome = await proved();
  expect(missed(outcome)).toEqual([]);
  const compared = outcome.judged?.find(({ name }) => name === 'hashes compared in each place');
  expect(compared?.value).toBe(PLAN.ticks * CITIES.length);
});

test('one hash that differs is found', async () => {
  let isSpoiled = false;
  const outcome = await proved((place) => ({
    ...place,
    async run(task, given) {
      const result = await place.run(task, given);
      if ((task as unknown) !== hashesOf || isSpoiled) return result;
      isSpoiled = true;
      (result as string[])[3] = 'feedfeedfeedfeed';
      return result;
    },
  }));
  expect(missed(outcome)).toEqual([['hashes that differ', 1]]);
});

test('one state that was shown wrongly is found, however young its changes are', async () => {
  const spoilShown = () => {
    const [last] = [...globalThis.lives.values()].flatMap(({ shown }) => shown.slice(-1));
    if (last) last.hash = 'feedfeedfeedfeed';
    return last !== undefined;
  };
  let isSpoiled = false;
  const outcome = await proved((place) => ({
    ...place,
    async run(task, given) {
      const result = await place.run(task, given);
      if ((task as unknown) === look && !isSpoiled) isSpoiled = await place.run(spoilShown, null);
      return result;
    },
  }));
  expect(missed(outcome)).toEqual([['states that were wrong when shown', 1]]);
});
