import { FRAME_MS } from '../../src/limits.ts';
import { systemTime } from '../../src/time.ts';
import { compared, type Figure, figure } from '../common/figures.ts';
import { askOnce, formatRequest } from '../common/http-pool.ts';
import { makeWorlds } from '../common/made-worlds.ts';
import type { Server } from '../common/server.ts';
import { UpgradeRefused, type WatchEvents, WatchSocket } from '../common/watch-socket.ts';
import { inTurns, medianOf, type Stage, used } from './stage.ts';

const SETTLE_MS = 2000;
/** To open a stream. */
const ATTEMPTS = 10;
/** Streams that end leave work behind. */
const PAUSE_MS = 500;
const EMPTY_RATIO_MAX = 1;

interface Watched {
  /** For each frame that was due. */
  us: number;
  delivered: number;
}

/**
 * A frame for one watcher: what it costs more where that is at another node than the world, beside what
 * it costs an empty server to send as many bytes. Both send the frames of a few worlds at a time: a send
 * that wakes its reader costs two to three times what one of a hundred at once does.
 */
export async function frameFigures(stage: Stage, worldCount: number): Promise<Figure[]> {
  const { other, owner, empty, rounds, seconds } = stage;
  const worlds = await makeWorlds(owner.url, worldCount);
  const state = formatRequest(owner.url, 'GET', `/api/v1/worlds/${worlds[0]?.id}/state`);
  const { length: bytes } = (await askOnce(owner.url, state)).body;
  const paths = worlds.map(({ id }) => `/ws/worlds/${id}`);
  const nodes = [other, owner];
  const found = await inTurns(rounds, {
    here: () => watch(nodes, owner, paths, seconds),
    there: () => watch(nodes, other, paths, seconds),
    empty: () =>
      watch(
        [empty],
        empty,
        paths.map(() => `/ws/${bytes}/spread`),
        seconds,
      ),
  });
  const us = (kind: 'here' | 'there' | 'empty') => medianOf(found, (round) => round[kind].us);
  const relayed = medianOf(found, ({ here, there }) => there.us - here.us);
  const reference = { name: 'an empty publish', value: us('empty') };
  return [
    compared('relayed frame, beyond its delivery', relayed, 'µs', reference, {
      atMost: EMPTY_RATIO_MAX,
    }),
    figure('  all of it at the node of its world', us('here'), 'µs'),
    figure('  all of it where it is relayed', us('there'), 'µs'),
    figure(
      '  relayed frames that were delivered',
      medianOf(found, ({ there }) => 100 * there.delivered),
      '%',
    ),
    figure('  its size', bytes, 'bytes'),
  ];
}

async function watch(
  servers: readonly Server[],
  { url }: Server,
  paths: readonly string[],
  seconds: number,
): Promise<Watched> {
  let frames = 0;
  const events = {
    message: () => {
      frames++;
    },
    closed: () => {},
  };
  const sockets: WatchSocket[] = [];
  for (const path of paths) sockets.push(await openStream(url, path, events));
  await systemTime.sleep(SETTLE_MS);
  frames = 0;
  const all = await used(servers, () => systemTime.sleep(seconds * 1000));
  const due = (paths.length * all.seconds * 1000) / FRAME_MS;
  const delivered = frames / due;
  for (const socket of sockets) socket.close();
  await systemTime.sleep(PAUSE_MS);
  return { us: all.us / due, delivered };
}

/** A busy node refuses streams for a while. */
async function openStream(url: URL, path: string, events: WatchEvents): Promise<WatchSocket> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await WatchSocket.open(url, path, events);
    } catch (error) {
      if (!(error instanceof UpgradeRefused) || attempt === ATTEMPTS) throw error;
      await systemTime.sleep(SETTLE_MS);
    }
  }
}
