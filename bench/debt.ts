/**
 * Worlds that only their clients live, for a day by a clock that is moved: how many of them a shard keeps at
 * hand in spare time, how soon one answers for its state, and how soon for any tick of its day.
 */
import { CAR_COUNT, F_ALL } from '../assembly/layout.ts';
import { CATCH_UP_SHARE, HEARTBEAT_MS, LOCKSTEP_LAG_TICKS } from '../src/limits.ts';
import { Dice } from '../src/testing/rigs/dice.ts';
import { startTestNode, type TestNode } from '../src/testing/rigs/node.ts';
import { systemTime } from '../src/time.ts';
import type { OwnedWorld } from '../src/worlds/owned-world.ts';
import { measuredFactor } from './common/factor.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import { progress } from './common/progress.ts';

const HOUR_MS = 3_600_000;
const TICKS_PER_S = 50;
const HOUR_TICKS = 3600 * TICKS_PER_S;
const DAY_TICKS = 24 * HOUR_TICKS;
/** Worlds a shard has to keep at hand. */
const WORLDS_MIN = 500;
const STATE_MS_MAX = 5000;
const DEBT_S_MAX = 60;
/** With one shard; streams come on top. */
const CORES_MAX = 0.15;
/** Many bursts with their pauses. */
const SHARE_MS = 120_000;
/** Clients that ask at the same time. */
const AT_ONCE = 2;
/** Moved on between two looks, so that pauses of the catch-ups take no time here. */
const SKIP_MS = 1000;
/** Not shorter: a thread whose heart did not beat between checks of the node would be replaced. */
const LOOK_MS = HEARTBEAT_MS;

const OPTIONS = {
  worlds: { fallback: 3, min: 1, max: 500, help: 'worlds that are lived for the whole day' },
  hours: { fallback: 24, min: 2, max: 1000, help: 'how long' },
  standing: { fallback: WORLDS_MIN, min: 1, max: 2000, help: 'worlds of a shard after a day' },
  answers: { fallback: 50, min: 1, max: 2000, help: 'of these, how many are asked at random' },
  ticks: { fallback: 20, min: 1, max: 10_000, help: 'ticks of each that are asked for' },
  crowd: {
    fallback: 10_000,
    min: 1,
    max: 20_000,
    help: 'worlds that are as old, and never stepped',
  },
  asked: { fallback: 5, min: 1, max: 1000, help: 'of these, how many are asked for their state' },
};
type Chosen = ReturnType<typeof parseOptions<typeof OPTIONS>>;

export async function run(options: string[]): Promise<Figure[]> {
  const chosen = parseOptions(OPTIONS, options);
  const node = await startTestNode();
  try {
    const { tickUs, figures } = await livedDay(node, chosen);
    const standing = await owedByMany(node, chosen, lagTicks(tickUs));
    return [...figures, ...standing, ...(await owedDay(node, chosen))];
  } finally {
    await node.discard();
  }
}

/** A world that somebody watches by lockstep. */
async function watched(node: TestNode, startTick: number): Promise<OwnedWorld> {
  const world = (await node.worlds.create({ startTick })) as OwnedWorld;
  world.watch('lockstep', 'a');
  return world;
}

/** What came of a request that was repeated as long as it was told to come again. */
interface Asked {
  ms: number;
  refusals: number;
}

async function askUntilAnswered(url: string): Promise<Asked> {
  const startMs = systemTime.now();
  for (let refusals = 0; ; refusals++) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.ok) return { ms: systemTime.now() - startMs, refusals };
    if (answer.status !== 503) throw new Error(`${url}: ${answer.status}`);
    await systemTime.sleep(1000 * Number(answer.headers.get('Retry-After')));
  }
}

const stateOf = (node: TestNode, { id }: OwnedWorld) => `${node.twinUrl}/api/v1/worlds/${id}/state`;
const longest = (all: readonly Asked[]) => Math.max(...all.map(({ ms }) => ms));
const refusals = (all: readonly Asked[]) => all.reduce((sum, each) => sum + each.refusals, 0);

/** Some worlds live for a day with some changes; the node steps them in spare time. */
async function livedDay(
  node: TestNode,
  { worlds: count, hours, ticks }: Chosen,
): Promise<{ tickUs: number; figures: Figure[] }> {
  const worlds = await Promise.all(Array.from({ length: count }, () => watched(node, 0)));
  const dice = new Dice(1);
  let hour = 0;
  const stopProgress = progress(() => `${hour} of ${hours} hours are lived`);
  const before = { us: processorUs(), ticks: reachedOf(worlds) };
  for (; hour < hours; hour++) {
    for (const world of worlds) {
      // One car at a time is without some functions, as where somebody tries them.
      await world.change((hour + CAR_COUNT - 1) % CAR_COUNT, F_ALL, F_ALL);
      await world.change(hour % CAR_COUNT, F_ALL, dice.below(F_ALL + 1));
    }
    await node.skip(HOUR_MS + SKIP_MS);
    await caughtUp(node, worlds);
  }
  const livedTicks = reachedOf(worlds) - before.ticks;
  const tickUs = (processorUs() - before.us) / livedTicks;
  // Just before they would be stepped again.
  await node.skip(HOUR_MS - SKIP_MS);
  const states: Asked[] = [];
  for (const world of worlds) states.push(await askUntilAnswered(stateOf(node, world)));
  const past: Asked[] = [];
  for (const world of worlds) {
    for (let i = 0; i < ticks; i++) {
      const tick = dice.below(hours * HOUR_TICKS);
      past.push(await askUntilAnswered(`${stateOf(node, world)}?tick=${tick}&hash=1`));
    }
  }
  stopProgress();
  for (const world of worlds) world.unwatch('lockstep', 'a');
  const figures = [
    figure('worlds a shard steps in spare time for ever', keptWorlds(tickUs), 'worlds'),
    figure('a tick in spare time, all in', tickUs, 'µs'),
    figure('state of a world that stood for an hour, slowest', longest(states), 'ms', {
      atMost: STATE_MS_MAX,
    }),
    figure('  refused until then', refusals(states), ''),
    figure(`any tick of ${hours} hours, slowest of ${past.length}`, longest(past) / 1000, 's', {
      ...{ atMost: DEBT_S_MAX, isScaled: false },
    }),
    figure('  refused until then', refusals(past), ''),
  ];
  return { tickUs, figures };
}

/** Worlds that a shard keeps at hand in spare time, for ever. */
function keptWorlds(tickUs: number): number {
  return (CATCH_UP_SHARE * 1e6) / (TICKS_PER_S * tickUs);
}

/**
 * How far each of the worlds that a shard has to keep at hand is behind after a day, on the machine that the
 * limits are for: as far as a world that is not stepped yet, and by what a shard does not get done in a day.
 */
function lagTicks(tickUs: number): number {
  const { factor } = measuredFactor() ?? { factor: 1 };
  const done = Math.min(1, (keptWorlds(tickUs) * factor) / WORLDS_MIN);
  return Math.round(LOCKSTEP_LAG_TICKS + (1 - done) * DAY_TICKS);
}

function processorUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What this process takes of a core while nothing is asked. */
async function processorShare(): Promise<number> {
  const [us, ms] = [processorUs(), systemTime.now()];
  await systemTime.sleep(SHARE_MS);
  return (processorUs() - us) / 1000 / (systemTime.now() - ms);
}

const reachedOf = (worlds: readonly OwnedWorld[]) =>
  worlds.reduce((sum, { loader }) => sum - loader.behindTicks, 0) +
  worlds.reduce((sum, world) => sum + world.tick(), 0);

/** Waits until the node has stepped worlds that were an hour behind. */
async function caughtUp(node: TestNode, worlds: readonly OwnedWorld[]): Promise<void> {
  await node.worlds.idle.sweep();
  while (worlds.some(({ loader }) => loader.behindTicks > LOCKSTEP_LAG_TICKS)) {
    await systemTime.sleep(LOOK_MS);
    await node.skip(SKIP_MS);
  }
}

/** As many worlds as a shard has to keep at hand, each so far behind; some are asked at the same time. */
async function owedByMany(
  node: TestNode,
  { standing, answers }: Chosen,
  lag: number,
): Promise<Figure[]> {
  const worlds: OwnedWorld[] = [];
  while (worlds.length < standing) worlds.push(await watched(node, lag));
  const dice = new Dice(2);
  const found: Asked[] = [];
  const stopProgress = progress(() => `${found.length} of ${answers} states are answered`);
  const askSome = async () => {
    while (found.length + AT_ONCE <= answers) {
      const world = worlds[dice.below(worlds.length)] as OwnedWorld;
      found.push(await askUntilAnswered(stateOf(node, world)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askSome));
  stopProgress();
  for (const world of worlds) world.unwatch('lockstep', 'a');
  return [
    figure(
      `state of one of ${standing} worlds after a day, ${(lag / HOUR_TICKS).toFixed(1)} hours behind, ${AT_ONCE} asked at once, slowest of ${found.length}`,
      longest(found),
      'ms',
      { atMost: STATE_MS_MAX, isScaled: true },
    ),
    figure('  refused until then', refusals(found), ''),
  ];
}

/** Very many worlds that were never stepped, of which some are asked for their state. */
async function owedDay(node: TestNode, { crowd, hours, asked }: Chosen): Promise<Figure[]> {
  const worlds: OwnedWorld[] = [];
  const stopProgress = progress(() => `${worlds.length} of ${crowd} worlds are made`);
  while (worlds.length < crowd) worlds.push(await watched(node, hours * HOUR_TICKS));
  await node.worlds.idle.sweep();
  const share = await processorShare();
  const found: Asked[] = [];
  for (const world of worlds.slice(0, asked)) {
    found.push(await askUntilAnswered(stateOf(node, world)));
  }
  stopProgress();
  return [
    figure(`processor time of the node while ${crowd} worlds are caught up with`, share, 'cores', {
      ...{ atMost: CORES_MAX, isScaled: false },
    }),
    figure(
      `state of one of ${crowd} worlds that stood for ${hours} hours, slowest`,
      longest(found) / 1000,
      's',
      {
        ...{ atMost: DEBT_S_MAX, isScaled: false },
      },
    ),
    figure('  refused until then', refusals(found), ''),
  ];
}
