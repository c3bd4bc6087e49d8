import { TICK_MS } from '../../assembly/layout.ts';
import { type MadeWorld, makeWorlds } from '../../bench/common/made-worlds.ts';
import { progress } from '../../bench/common/progress.ts';
import { journalOf, randomChanges } from '../../client/testing/random-journal.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import type { Outcome } from '../command.ts';
import { compare } from './comparison.ts';
import { begin, join, leave, look, standings } from './lived.ts';
import type { NodesBehindProxies } from './nodes-behind-proxies.ts';
import type { Place } from './place.ts';
import { type Held, RandomSwitching } from './random-switching.ts';
import { outcomeOf } from './verdict.ts';

export const LEASE_S = 6;
/** Beyond the lease: until the worlds of a killed node are served and shown again. */
const SERVED_MS = 6000;
const MINUTE_TICKS = 3000;
/** Between two changes of the past of a world on average: 8 s. */
const PAST_PAUSE_TICKS = 400;
const LOOK_MS = 250;
/** A look that is so late shows that a place stood still, such as on a machine with other work. */
const STALL_MS = 50;
/** Worlds are opened during this part of the time in which they are changed. */
const JOIN_SHARE = 0.3;
const SETTLED_MS_MAX = 120_000;
/** Worlds in which it is measured how far cars jump: the first ones, one of each city. */
const MEASURED = 3;

/** See the options of the command. */
export interface Plan {
  seeds: number;
  minutes: number;
  live: number;
  rate: number;
  ticks: number;
  kills: number;
  late: number;
  drop: number;
}

const wallTickOf = ({ createdAtMs }: MadeWorld) =>
  Math.floor((systemTime.wallMs() - createdAtMs) / TICK_MS);

/** Lives worlds in places while they are changed and nodes are killed; then compares all of it. */
export async function prove(
  plan: Plan,
  behind: NodesBehindProxies,
  places: readonly Place[],
): Promise<Outcome> {
  const worlds = await makePast(plan, behind);
  const liveTicks = worlds.map(wallTickOf);
  let [phase, count] = ['lived', 0];
  const pauseMs = (worlds.length * 1000) / plan.rate;
  const switching = new RandomSwitching(worlds, pauseMs, () => behind.nodes.living);
  const stopProgress = progress(() => `${switching.answered} changes, ${count} worlds ${phase}`);
  try {
    const unknown = await live(plan, { behind, worlds, places, opened: () => void count++ });
    await switching.end();
    [phase, count] = ['compared', 0];
    const endTicks = worlds.map(wallTickOf);
    const unsettled = await settled(places, endTicks);
    const found = await compare(
      places,
      worlds.map((world, i) => ({
        ...{ world, ticks: plan.ticks, liveTick: liveTicks[i] ?? 0, endTick: endTicks[i] ?? 0 },
        held: [...unknown.kills, ...switching.heldOf(world.id)],
      })),
      { stalls: unknown.stalls, nodes: behind.nodes.living, compared: () => void count++ },
    );
    for (const place of places) await place.run(leave, null);
    const { answered, failed } = switching;
    const { dropCount } = behind;
    const due = worlds.length * plan.ticks;
    return outcomeOf(found, {
      answered,
      failed,
      dropCount,
      due,
      unsettled,
      kills: unknown.kills.length,
    });
  } finally {
    await switching.end();
    stopProgress();
  }
}

/** Makes worlds with a past of random changes, one after the other: a client may send few large bodies at once. */
async function makePast({ seeds, minutes }: Plan, { nodes }: NodesBehindProxies) {
  const ticks = minutes * MINUTE_TICKS;
  const made: MadeWorld[] = [];
  for (let i = 0; i < CITIES.length * seeds; i++) {
    const city = CITIES[i % CITIES.length]?.name ?? '';
    const changes = randomChanges(i, ticks, PAST_PAUSE_TICKS).filter(({ tick }) => tick <= ticks);
    const { url } = nodes.node(i % nodes.count);
    const options = { journal: journalOf(city, i, changes), start_tick: ticks };
    made.push(...(await makeWorlds(url, 1, () => options)));
  }
  return made;
}

interface Stage {
  behind: NodesBehindProxies;
  worlds: readonly MadeWorld[];
  places: readonly Place[];
  opened(): void;
}

/** When it could not be known what a world is: nodes were gone, or a place stood still, place by place. */
interface Unknown {
  kills: Held[];
  stalls: Held[][];
}

/** Opens the worlds in all places, disturbs their streams, and kills nodes. */
async function live(plan: Plan, stage: Stage): Promise<Unknown> {
  const { behind, places } = stage;
  for (const place of places) await place.run(begin, null);
  behind.disturb({ lateMs: plan.late, dropMs: plan.drop * 1000 });
  let isOver = false;
  const lastMs = systemTime.wallMs() + plan.live * 1000 + SETTLED_MS_MAX;
  const looking = async (place: Place) => {
    const stalls: Held[] = [];
    let hasSeen = false;
    // On a machine that is slow by other work it may take longer until there is something to see.
    for (let fromMs = systemTime.wallMs(); !isOver || (!hasSeen && fromMs < lastMs); ) {
      await systemTime.sleep(LOOK_MS);
      hasSeen = (await place.run(look, null)) > 0 || hasSeen;
      const untilMs = systemTime.wallMs();
      // The proxies stand still with this process.
      const isLate = untilMs - fromMs > LOOK_MS + STALL_MS;
      if (isLate) stalls.push({ fromMs, untilMs: untilMs + LOOK_MS });
      fromMs = untilMs;
    }
    return stalls;
  };
  try {
    const looks = Promise.all(places.map(looking));
    // What else has failed is told first: a place that is closed then fails as well.
    looks.catch(() => {});
    const [kills] = await Promise.all([killInTurn(plan, behind), joinAll(plan, stage)]);
    isOver = true;
    return { kills, stalls: await looks };
  } finally {
    isOver = true;
    behind.undisturb();
  }
}

/** Each world by another node in each place. */
async function joinAll(plan: Plan, { behind, worlds, places, opened }: Stage): Promise<void> {
  const dice = new Dice(3);
  const joining = worlds.map(async ({ id }, i) => {
    await systemTime.sleep(dice.below(plan.live * 1000 * JOIN_SHARE));
    for (const [index, place] of places.entries()) {
      const stream_url = behind.streamOf(id, i + index);
      await place.run(join, { id, stream_url, isMeasured: i < MEASURED });
    }
    opened();
  });
  await Promise.all(joining);
}

async function killInTurn({ live, kills }: Plan, behind: NodesBehindProxies): Promise<Held[]> {
  const { nodes } = behind;
  const gone: Held[] = [];
  const endMs = systemTime.now() + live * 1000;
  const kill = async (index: number) => {
    const fromMs = systemTime.wallMs();
    behind.kill(index);
    await systemTime.sleep(LEASE_S * 1000 + SERVED_MS);
    gone.push({ fromMs, untilMs: systemTime.wallMs() });
    await behind.restart(index);
  };
  if (nodes.count > 1) {
    for (let i = 0; i < kills; i++) {
      await systemTime.sleep((live * 1000) / (kills + 1));
      await kill(i % nodes.count);
    }
  }
  await systemTime.sleep(Math.max(0, endMs - systemTime.now()));
  return gone;
}

/** Waits until all worlds are verified and at a tick in all places; returns those that are not. */
async function settled(places: readonly Place[], endTicks: readonly number[]): Promise<string[]> {
  const endTick = Math.max(...endTicks);
  for (const endMs = systemTime.now() + SETTLED_MS_MAX; ; await systemTime.sleep(LOOK_MS)) {
    const unsettled: string[] = [];
    for (const place of places) {
      for (const { id, state, tick } of await place.run(standings, null)) {
        if (state !== 'verified' || tick < endTick) {
          unsettled.push(`${id} in ${place.name} is ${state} at tick ${tick}`);
        }
      }
    }
    if (unsettled.length === 0 || systemTime.now() > endMs) return unsettled;
  }
}
