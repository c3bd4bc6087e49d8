import { askOnce, formatRequest } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import type { Change } from '../../src/twin/journal.ts';
import type { CarChanges, Checked } from './car-changes.ts';
import { changesIn, differing, type Journal, type Shown } from './lived-world.ts';

const ANSWER_MS_MAX = 30_000;
const LOOK_MS = 50;

/** The journal of a world, as a node tells. Throws where no answer comes for long. */
export async function journalFrom({ url }: Server, id: string): Promise<Journal> {
  const request = formatRequest(url, 'GET', `/api/v1/worlds/${id}/journal`, {
    Connection: 'close',
  });
  const endMs = systemTime.now() + ANSWER_MS_MAX;
  for (;;) {
    const answer = await askOnce(url, request);
    if (answer.status === 200) return JSON.parse(answer.body.toString()) as Journal;
    if (systemTime.now() > endMs) throw new Error(`no journal of ${id}: ${answer.status}`);
    await systemTime.sleep(LOOK_MS);
  }
}

/** What comparing all nodes with each other and with what clients know has shown. */
export interface Agreement extends Checked {
  /** Acknowledged changes that the journals lack. */
  lost: number;
  /** Worlds whose journals or features differ between nodes. */
  disagreeing: number;
  snapshots: number;
  /** Snapshots that are not those of the world lived from its seed and journal. */
  wrongSnapshots: number;
}

/** Compares the journals of all worlds at all nodes, and with what was acknowledged and shown. */
export async function checkAgreement(
  nodes: readonly Server[],
  worlds: readonly MadeWorld[],
  changes: CarChanges,
  takeShown: (world: string) => readonly Shown[],
): Promise<Agreement> {
  const sum: Agreement = {
    ...{ right: 0, wrong: 0, unknown: 0, made: 0, lost: 0 },
    ...{ disagreeing: 0, snapshots: 0, wrongSnapshots: 0 },
  };
  for (const world of worlds) {
    const journals = await Promise.all(nodes.map((node) => journalFrom(node, world.id)));
    const [journal] = journals as [Journal];
    const found = changesIn(journal);
    const isSame = journals.every((each) => sameChanges(changesIn(each), found));
    if (!isSame) sum.disagreeing++;
    const shown = takeShown(world.id);
    const checked = changes.check(world.id, found);
    sum.right += checked.right;
    sum.wrong += checked.wrong;
    sum.unknown += checked.unknown;
    sum.made += checked.made;
    sum.lost += changes.lostIn(world.id, found);
    sum.snapshots += shown.length;
    sum.wrongSnapshots += differing(world.id, journal, shown).length;
  }
  return sum;
}

function sameChanges(a: readonly Change[], b: readonly Change[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** From now on counts what is acknowledged, after what the journals have. */
export async function beginChanges(
  node: Server,
  worlds: readonly MadeWorld[],
  changes: CarChanges,
): Promise<void> {
  for (const { id } of worlds) changes.begin(id, changesIn(await journalFrom(node, id)));
}
