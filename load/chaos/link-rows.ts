import type { Direction, FaultyProxy } from '../../src/testing/rigs/faulty-proxy.ts';
import { atMostMs, type Found, none, nothingLost, type Row } from './row.ts';
import { type Stage, sleepS } from './stage.ts';

const CUT_S = 5;
const HEALED_MS_MAX = 2000;
/** A second, and what busy processes add. */
const ANSWER_MS_MAX = 1200;

const judged = (found: Found) => [
  atMostMs('longest answer', found.longestMs, ANSWER_MS_MAX),
  atMostMs('all served again', found.recoveredMs, HEALED_MS_MAX),
  none('leases that changed hands', found.takeovers),
  ...nothingLost(found),
];

async function cut(
  links: readonly (FaultyProxy | undefined)[],
  ways: readonly Direction[],
): Promise<undefined> {
  for (const link of links) for (const way of ways) link?.cut(way);
  await sleepS(CUT_S);
  for (const link of links) for (const way of ways) link?.heal(way);
}

/** Nodes that lose each other, but not Redis. */
export const LINK_ROWS: readonly Row[] = [
  {
    name: 'link-one-way',
    fault: ({ links }: Stage) => cut([links[0]], ['forth']),
    judged,
  },
  {
    name: 'link-no-answers',
    fault: ({ links }: Stage) => cut([links[0]], ['back']),
    judged,
  },
  {
    name: 'link-cut',
    fault: ({ links }: Stage) => cut(links, ['forth', 'back']),
    judged,
  },
  {
    name: 'link-broken',
    async fault({ links }: Stage) {
      for (const link of links) link.break();
    },
    judged,
  },
];
