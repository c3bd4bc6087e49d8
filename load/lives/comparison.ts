import { FRAME_TICKS } from '../../assembly/layout.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { patientAnswer } from '../patient-answer.ts';
import { found, hashesOf, type Jump, knowWholeLife } from './lived.ts';
import type { Place } from './place.ts';
import type { Held } from './random-switching.ts';
import { causeOf, wrongText } from './shown.ts';

const AT_ONCE = 4;

/** What was found in one place. */
export interface PlaceFound {
  place: string;
  /** Hashes that were compared with the node's, and of these the first that differ. */
  compared: number;
  differing: string[];
  /** Ticks that this place does not know. */
  unknown: number;
  /** The first tick that is known of a world, of that of which it is the latest. */
  firstTick: number;
  /** States that were looked at when they were shown, and of these those that were wrong. */
  shown: number;
  wrong: string[];
  /** Wrong ones that are none of these: changes that were not known yet were young, or held. */
  young: number;
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

/** Random ticks of frames, in order. Exported for the test. */
export function someTicks(
  { endTick, liveTick, ticks }: Pick<Compared, 'endTick' | 'liveTick' | 'ticks'>,
  dice: Dice,
): number[] {
  const all = Array.from({ length: ticks }, (_, i) => {
    const from = (i % 2 === 0 ? 0 : liveTick) + FRAME_TICKS;
    return from + dice.below(endTick - from);
  });
  return all.map((tick) => tick - (tick % FRAME_TICKS)).sort((a, b) => a - b);
}

interface Comparing {
  nodes: readonly Pick<Server, 'url'>[];
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
      ...{
        place: name,
        compared: 0,
        unknown: 0,
        firstTick: 0,
        shown: 0,
        young: 0,
        excused: 0,
        told: {},
      },
      ...{ differing: [], wrong: [], jumps: [], differences: [] },
    }),
  );
  let next = 0;
  const work = async () => {
    for (let i = next++; i < worlds.length; i = next++) {
      const world = worlds[i] as Compared;
      const node = nodes[i % nodes.length] as Pick<Server, 'url'>;
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
    node: Pick<Server, 'url'>;
    dice: Dice;
    all: readonly PlaceFound[];
  },
): Promise<void> {
  const { id } = compared.world;
  const ticks = someTicks(compared, dice);
  const hashes: string[] = [];
  for (const tick of ticks) {
    const path = `/api/v1/worlds/${id}/state?tick=${tick}&hash=1`;
    hashes.push((await patientAnswer<{ hash: string }>(node.url, path)).hash);
  }
  const { changes } = await patientAnswer<Journal>(node.url, `/api/v1/worlds/${id}/journal`);
  for (const [i, place] of places.entries()) {
    const into = all[i] as PlaceFound;
    into.firstTick = Math.max(into.firstTick, await place.run(knowWholeLife, id));
    compareHashes(into, { id, ticks, hashes, own: await place.run(hashesOf, { id, ticks }) });
    const { told, differences, shownCount, wrong, jumps } = await place.run(found, id);
    into.shown += shownCount;
    into.jumps.push(...jumps);
    into.differences.push(...differences);
    for (const [name, count] of Object.entries(told)) {
      into.told[name] = (into.told[name] ?? 0) + count;
    }
    const held = [...compared.held, ...(stalls[i] ?? [])];
    for (const each of wrong) {
      const cause = causeOf(each, { changes, createdAtMs: compared.world.createdAtMs, held });
      if (cause === 'young') into.young++;
      else if (cause === 'held') into.excused++;
      else into.wrong.push(wrongText(id, each, changes));
    }
  }
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
