/**
 * What a second node costs, in processor time of both nodes together: requests that are forwarded, beside
 * an empty handler, and frames that are relayed, beside an empty publish. Needs redis-server.
 */
import { frameFigures } from './cluster/frames.ts';
import { requestFigures } from './cluster/requests.ts';
import { onCluster, untilBalanced } from './common/cluster.ts';
import type { Figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import { type Server, startEmptyServer } from './common/server.ts';

const OPTIONS = {
  rounds: { fallback: 7, min: 1, max: 1000, help: 'rounds of each kind, in turn' },
  seconds: { fallback: 4, min: 1, max: 600, help: 'of a round' },
  worlds: { fallback: 100, min: 1, max: 5000, help: 'whose frames are relayed' },
};

export function run(options: string[]): Promise<Figure[]> {
  const { rounds, seconds, worlds } = parseOptions(OPTIONS, options);
  return onCluster(2, {}, async ({ nodes }) => {
    const [other, owner] = nodes as [Server, Server];
    const empty = await startEmptyServer();
    try {
      await untilBalanced(nodes);
      const stage = { other, owner, empty, rounds, seconds };
      return [...(await requestFigures(stage)), ...(await frameFigures(stage, worlds))];
    } finally {
      await empty.stop();
    }
  });
}
