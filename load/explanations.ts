import { smaller } from '../bench/against/readings.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { formatLatencies, formatMs } from '../bench/common/latencies.ts';
import { type MadeWorld, makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { progress } from '../bench/common/progress.ts';
import type { Server } from '../bench/common/server.ts';
import { CITIES } from '../src/city/catalogue.ts';
import { systemTime } from '../src/time.ts';
import { FEATURE_NAMES } from '../src/twin/catalogue.ts';
import { frameCeiling, judge } from './calibrate.ts';
import { command, type Outcome } from './command.ts';
import { type Crowd, gather } from './crowd.ts';
import { FRAMES_PER_S, formatGaps } from './frame-tally.ts';
import { CatchUpWatch, IncidentWatch } from './incident-watch.ts';
import { formatUsage, LoadMeter } from './usage-meter.ts';

const CONNECTIONS = 64;
const CARS_PER_WORLD = 20;
const TICKS_PER_MINUTE = 3000;
const EACH = 'each';
const SETTLE_MS = 3000;
const WITHIN_S = 2;

const options = {
  worlds: { fallback: 50, min: 1, max: 20_000, help: 'worlds that are watched' },
  left: { fallback: 20, min: 1, max: 5000, help: 'unwatched worlds, opened in the second half' },
  minutes: { fallback: 10, min: 1, max: 30, help: 'how long they were unwatched before' },
  seconds: {
    fallback: 60,
    min: 5,
    max: 3600,
    help: 'duration of each half, without them and with them',
  },
  seed: { fallback: 1, min: 0, max: 1_000_000_000, help: 'seed of the first world' },
  off: {
    fallback: EACH,
    choices: [EACH, ...FEATURE_NAMES],
    help: 'feature that is off on all cars; each: another one in each world',
  },
} as const;

type Chosen = Options<typeof options>;

/** How soon collisions are explained, also while worlds that were unwatched catch up. */
export const explanations = command({
  summary:
    'measure how soon collisions in watched worlds are explained, also while other worlds catch up',
  options,
  measures: [
    smaller('p99 of an explanation, alone', 'alone.incidents.explained.p99Ms', 'ms'),
    smaller(
      'p99 of an explanation, beside worlds that catch up',
      'beside.incidents.explained.p99Ms',
      'ms',
    ),
    smaller('p99 gap beside them', 'beside.frames.p99Ms', 'ms'),
    smaller('all of the others explained after', 'beside.caughtUp.allMsMax', 'ms'),
    smaller('server CPU beside them, of a core', 'beside.usage.cpuShare', ''),
  ],
  run,
});

async function run(chosen: Chosen, server: Server): Promise<Outcome> {
  const { url } = server;
  const pool = await HttpPool.open(url, CONNECTIONS);
  const watched = await makeWorlds(url, chosen.worlds, (i) => optionsOf(chosen, i, 0));
  const [{ id: first } = { id: '' }] = watched;
  const frame = await pool.ask(formatRequest(url, 'GET', `/api/v1/worlds/${first}/state`));
  const ceiling = await frameCeiling(chosen.worlds + chosen.left, frame.body.length);
  const ticks = chosen.minutes * TICKS_PER_MINUTE;
  const left = await makeWorlds(url, chosen.left, (i) =>
    optionsOf(chosen, chosen.worlds + i, ticks),
  );

  const firstCrowd = await gather(url, pathsOf(watched));
  await systemTime.sleep(SETTLE_MS);
  const alone = await measure(chosen, server, pool, { watched, crowd: firstCrowd, left: [] });
  // The new crowd opens before the old one closes, so each world stays watched.
  const secondCrowd = await gather(url, pathsOf(watched));
  firstCrowd.close();
  const beside = await measure(chosen, server, pool, { watched, crowd: secondCrowd, left });
  secondCrowd.close();
  pool.close();

  const received = chosen.worlds + chosen.left;
  const verdict = judge(ceiling, received * FRAMES_PER_S, Math.max(alone.own, beside.own));
  const rows: Outcome['rows'] = [
    [`${chosen.worlds} watched worlds alone`, ''],
    ...rowsOf(alone),
    [`beside ${chosen.left} that were unwatched for ${chosen.minutes} min`, ''],
    ...rowsOf(beside),
    ...caughtUpRows(beside, chosen.left),
    ['load generator', verdict.text],
    ['gaps from an empty server', formatGaps(ceiling.gaps)],
  ];
  return { rows, figures: { alone, beside, verdict, reference: ceiling.gaps } };
}

/** A world whose cars drove for `ticks` with one feature off from the first tick. */
function optionsOf(chosen: Chosen, i: number, ticks: number) {
  const [feature, round] = [i % FEATURE_NAMES.length, Math.floor(i / FEATURE_NAMES.length)];
  const name = chosen.off === EACH ? FEATURE_NAMES[feature] : chosen.off;
  const city = CITIES[round % CITIES.length]?.name;
  const changes = Array.from({ length: CARS_PER_WORLD }, (_, car) => ({
    tick: 1,
    car,
    features: { [name ?? '']: false },
  }));
  return { journal: { seed: chosen.seed + i, city, changes }, start_tick: Math.max(1, ticks) };
}

const pathsOf = (worlds: readonly MadeWorld[]): string[] =>
  worlds.map(({ id }) => `/ws/worlds/${id}?encoding=json`);

interface Scene {
  watched: readonly MadeWorld[];
  crowd: Crowd;
  left: readonly MadeWorld[];
}

async function measure(chosen: Chosen, server: Server, pool: HttpPool, scene: Scene) {
  const { watched, crowd, left } = scene;
  const meter = new LoadMeter(server);
  const incidents = new IncidentWatch(server.url, pool, watched);
  crowd.tally.record();
  const endMs = systemTime.now() + chosen.seconds * 1000;
  const stopProgress = progress(() => {
    const counts = caughtUp?.counts();
    const late = counts && `${counts.explained} of ${counts.incidents} in unwatched worlds, `;
    const live = `${incidents.tookMs.length} incidents explained`;
    return `${live}, ${late ?? ''}server used ${formatUsage(meter.server())}`;
  });
  const caughtUp = left.length > 0 ? new CatchUpWatch(server.url, pool, left) : undefined;
  const opening = await gather(server.url, pathsOf(left));
  await systemTime.sleep(endMs - systemTime.now());
  stopProgress();
  const frames = crowd.tally.summary();
  const result = {
    incidents: incidents.stop(),
    frames,
    expectedFrames: chosen.worlds * chosen.seconds * FRAMES_PER_S,
    caughtUp: caughtUp?.stop(),
    usage: meter.server(),
    own: meter.ownShare(),
  };
  opening.close();
  return result;
}

type Measured = Awaited<ReturnType<typeof measure>>;

function rowsOf({ incidents, frames, expectedFrames, usage }: Measured): Outcome['rows'] {
  const { explained, late, open, failed } = incidents;
  return [
    ['  explained after the end of the incident', formatLatencies(explained)],
    [
      `  incidents, later than ${WITHIN_S} s, of them still open`,
      `${explained.count}, ${late}, ${open}`,
    ],
    ['  requests refused', String(failed)],
    ['  gaps between frames', formatGaps(frames)],
    ['  frames', `${frames.frames} of ${expectedFrames}, ${frames.missed} missed`],
    ['  streams closed with', JSON.stringify(frames.closed)],
    ['  server used', formatUsage(usage)],
  ];
}

function caughtUpRows({ caughtUp }: Measured, worlds: number): Outcome['rows'] {
  if (caughtUp === undefined) return [];
  const { incidents, explained, disordered, worldsDone, firstMsMax, allMsMax } = caughtUp;
  return [
    ['  their reports', `${explained} of ${incidents} explained`],
    ['  explained before a newer one', String(disordered)],
    ['  first one explained within', formatMs(firstMsMax)],
    ['  all explained', `in ${worldsDone} of ${worlds} worlds, after ${formatMs(allMsMax)}`],
  ];
}
