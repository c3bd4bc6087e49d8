import { FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import { found, hashesOf, type Jump, type Shown } from './lived.ts';
import type { Place } from './place.ts';
import type { Held } from './random-switching.ts';

/** A change may be shown so much later. */
const SHOWN_LATE_MS = 500;
const AT_ONCE = 4;
const RETRY_MS = 250;
const ANSWER_MS_MAX = 60_000;

/** What was found in one place. */
export interface PlaceFound {
  place: string;
  /** Hashes that were compared with the node's, and of these the first that differ. */
  compared: number;
  differing: string[];
  /** Ticks that this place does not know. */
  unknown: number;
  /** States that were looked at when they were shown, and of these the first that were wrong by then. */
  shown: number;
  wrong: string[];
  /** Wrong ones that nobody could know to be wrong: the last change was too young, or held. */
  excused: number;
  jumps: Jump[];
  /** Events of all worlds by type, and states. */
  told: Record<string, number>;
  differences: string[];
}

export interface Compared {
  world: MadeWorld;
  /** The last tick. */
  endTick: number;
  /** How many ticks: half of them of the whole life, half since `liveTick`. */
  ticks: number;
  liveTick: number;
  /** Times in which no place could know what the world is. */
  held: readonly Held[];
}

interface Journal {
  changes: readonly { tick: number }[];
}

/** Random ticks of frames, in order. */
export function someTicks({ endTick, liveTick, ticks }: Compared, dice: Dice): number[] {
  const all = Array.from({ length: ticks }, (_, i) => {
    const from = i % 2 === 0 ? 0 : liveTick;
    return from + dice.below(endTick - from);
  });
  return all.map((tick) => tick - (tick % FRAME_TICKS)).sort((a, b) => a - b);
}

/** What a node answers, however often it asks to come again. Throws for what is no 503 or 429. */
async function answerOf<T>({ url }: Server, path: string): Promise<T> {
  for (const endMs = systemTime.now() + ANSWER_MS_MAX; ; ) {
    const answer = await fetch(new URL(path, url));
    if (answer.ok) return (await answer.json()) as T;
    const text = `${path}: ${answer.status} ${await answer.text()}`;
    if (![429, 503].includes(answer.status) || systemTime.now() > endMs) throw new Error(text);
    await systemTime.sleep(RETRY_MS);
  }
}

interface Comparing {
  nodes: readonly Server[];
  /** When each place stood still. */
  stalls: readonly (readonly Held[])[];
  /** A world was compared in all places. */
  compared(): void;
}

/** Compares what places have lived and shown of worlds with what nodes say, a few worlds at a time. */
export async function compare(
  places: readonly Place[],
  worlds: readonly Compared[],
  { nodes, stalls, compared }: Comparing,
): Promise<PlaceFound[]> {
  const all = places.map(
    ({ name }): PlaceFound => ({
      ...{ place: name, compared: 0, unknown: 0, shown: 0, excused: 0, told: {} },
      ...{ differing: [], wrong: [], jumps: [], differences: [] },
    }),
  );
  let next = 0;
  const work = async () => {
    for (let i = next++; i < worlds.length; i = next++) {
      const world = worlds[i] as Compared;
      const node = nodes[i % nodes.length] as Server;
      await compareWorld(places, world, { node, dice: new Dice(i), stalls, all });
      compared();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return all;
}

async function compareWorld(
  places: readonly Place[],
  compared: Compared,
  {
    node,
    dice,
    stalls,
    all,
  }: Pick<Comparing, 'stalls'> & {
    node: Server;
    dice: Dice;
    all: readonly PlaceFound[];
  },
): Promise<void> {
  const { id } = compared.world;
  const ticks = someTicks(compared, dice);
  const hashes: string[] = [];
  for (const tick of ticks) {
    const path = `/api/v1/worlds/${id}/state?tick=${tick}&hash=1`;
    hashes.push((await answerOf<{ hash: string }>(node, path)).hash);
  }
  const { changes } = await answerOf<Journal>(node, `/api/v1/worlds/${id}/journal`);
  for (const [i, place] of places.entries()) {
    const into = all[i] as PlaceFound;
    compareHashes(into, { id, ticks, hashes, own: await place.run(hashesOf, { id, ticks }) });
    const { told, differences, shownCount, wrong, jumps } = await place.run(found, id);
    into.shown += shownCount;
    into.jumps.push(...jumps);
    into.differences.push(...differences);
    for (const [name, count] of Object.entries(told)) {
      into.told[name] = (into.told[name] ?? 0) + count;
    }
    const held = [...compared.held, ...(stalls[i] ?? [])];
    const judged = wrong.filter((each) => !isExcused(each, changes, { ...compared, held }));
    into.excused += wrong.length - judged.length;
    into.wrong.push(...judged.map((each) => wrongText(id, each, changes)));
  }
}

function wrongText(id: string, [tick, , serverTick]: Shown, changes: Journal['changes']): string {
  const last = changes.findLast((change) => change.tick <= tick)?.tick;
  return `${id} at tick ${tick} when it was ${serverTick.toFixed(1)}, last change before at ${last}`;
}

function compareHashes(
  into: PlaceFound,
  of: { id: string; ticks: readonly number[]; hashes: readonly string[]; own: readonly string[] },
): void {
  for (const [i, own] of of.own.entries()) {
    if (own === '') into.unknown++;
    else {
      into.compared++;
      const differs = own !== of.hashes[i];
      if (differs) into.differing.push(`${of.id} at tick ${of.ticks[i]}: ${own}, ${of.hashes[i]}`);
    }
  }
}

/** Whether the state could not be known when it was shown: a change was too young, or held. */
function isExcused(
  [tick, , serverTick]: Shown,
  changes: Journal['changes'],
  { world, held }: Compared,
): boolean {
  const youngTick = serverTick - SHOWN_LATE_MS / TICK_MS;
  if (changes.some((change) => change.tick <= tick && change.tick > youngTick)) return true;
  const atMs = world.createdAtMs + serverTick * TICK_MS;
  return held.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs + SHOWN_LATE_MS);
}
