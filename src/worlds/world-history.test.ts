import { expect, test } from 'vitest';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { WorldHistory } from './world-history.ts';
import type { WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

test('[I34] the lists of each object of a world have tags of their own', () => {
  let count = 0;
  const shared = {
    random: { bytes: (length: number) => new Uint8Array(length).fill(count++) },
    explanationBudget: () => undefined,
  };
  const parts = {
    world: { number: 7, id: 'w' },
    record: worldRecord(),
    journal: { seq: 3 },
    shared,
  };
  const tagOfNew = () => {
    const history = new WorldHistory(parts as unknown as WorldParts, {} as WorldLoader);
    return history.journal({}).tag;
  };
  expect(tagOfNew()).not.toBe(tagOfNew());
  count = 0;
  const first = tagOfNew();
  count = 0;
  expect(tagOfNew()).toBe(first);
});
