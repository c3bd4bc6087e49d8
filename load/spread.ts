import { onCluster, untilBalanced } from '../bench/common/cluster.ts';
import { figure } from '../bench/common/figures.ts';
import { formatMs } from '../bench/common/latencies.ts';
import { makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { median } from '../bench/common/report.ts';
import type { Server } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { commandWithNodes, type Outcome } from './command.ts';
import { gather } from './crowd.ts';
import { FRAMES_PER_S, type FrameSummary } from './frame-tally.ts';

const SETTLE_MS = 3000;
/** By which p99 of the gaps may be longer over several nodes than at one. */
const LATER_MS_MAX = 10;

const options = {
  nodes: { fallback: 3, min: 2, max: 8, help: 'nodes on one Redis' },
  watchers: { fallback: 1000, min: 2, max: 20_000, help: 'watchers of one world' },
  seconds: { fallback: 10, min: 1, max: 600, help: 'of a round' },
  rounds: {
    fallback: 5,
    min: 1,
    max: 1000,
    help: 'rounds with all at one node, and over all, in turn',
  },
} as const;

type Chosen = Options<typeof options>;
/** Gaps are those of the node where they are longest. */
type Seen = Pick<FrameSummary, 'frames' | 'missed' | 'p50Ms' | 'p99Ms' | 'maxMs'>;

/** What the watchers of one world meet who are spread over nodes, beside as many at the world's own. */
export const spread = commandWithNodes({
  summary: 'watch one world over several nodes: gaps between frames, beside those at one node',
  options,
  measures: [],
  run: (chosen) => onCluster(chosen.nodes, {}, ({ nodes }) => measure(chosen, nodes)),
});

async function measure(chosen: Chosen, nodes: readonly Server[]): Promise<Outcome> {
  await untilBalanced(nodes);
  const [owner] = nodes as [Server, ...Server[]];
  const [world] = await makeWorlds(owner.url, 1);
  const path = `/ws/worlds/${world?.id}`;
  const found: Record<'one' | 'all', Seen[]> = { one: [], all: [] };
  for (let round = 0; round < chosen.rounds; round++) {
    found.one.push(await watch([owner], path, chosen));
    found.all.push(await watch(nodes, path, chosen));
  }
  const of = (kind: 'one' | 'all', value: (seen: Seen) => number) => median(found[kind].map(value));
  const p99 = ({ p99Ms }: Seen) => p99Ms;
  const due = chosen.watchers * chosen.seconds * FRAMES_PER_S;
  const rows = (['one', 'all'] as const).flatMap((kind): Outcome['rows'] => {
    const name = kind === 'one' ? 'at one node' : `over ${nodes.length}`;
    const frames = of(kind, ({ frames }) => frames);
    const missed = of(kind, ({ missed }) => missed);
    const gaps = `p50 ${formatMs(of(kind, ({ p50Ms }) => p50Ms))}, p99 ${formatMs(of(kind, p99))}`;
    return [
      [`frames ${name}`, `${Math.round((100 * frames) / due)} % of those due, ${missed} missed`],
      [`gaps ${name}`, gaps],
    ];
  });
  const later = of('all', p99) - of('one', p99);
  const judged = [figure('p99 longer over several nodes', later, 'ms', { atMost: LATER_MS_MAX })];
  return { rows, judged, figures: { found, laterMs: later } };
}

/** The watchers are shared evenly. */
async function watch(
  nodes: readonly Server[],
  path: string,
  { watchers, seconds }: Chosen,
): Promise<Seen> {
  const crowds = await Promise.all(
    nodes.map(({ url }, i) => {
      const share = Math.floor((watchers + i) / nodes.length);
      return gather(url, Array<string>(share).fill(path));
    }),
  );
  await systemTime.sleep(SETTLE_MS);
  for (const { tally } of crowds) tally.record();
  await systemTime.sleep(seconds * 1000);
  const summaries = crowds.map(({ tally }) => tally.summary());
  for (const crowd of crowds) crowd.close();
  const sum = (value: keyof Seen) => summaries.reduce((total, each) => total + each[value], 0);
  const worst = (value: keyof Seen) => Math.max(...summaries.map((each) => each[value]));
  return {
    ...{ frames: sum('frames'), missed: sum('missed') },
    ...{ p50Ms: worst('p50Ms'), p99Ms: worst('p99Ms'), maxMs: worst('maxMs') },
  };
}
