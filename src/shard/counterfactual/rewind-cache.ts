import { LRUCache } from 'lru-cache';
import { BEHIND_TICKS, LEAD_TICKS_MAX, REWIND_CACHE_MAX } from '../../limits.ts';
import { COMPARED_END_TICKS, type ContactRecord } from '../../twin/contact-records.ts';
import type { ContactFacts, IncidentContacts } from '../../twin/incidents.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import type { LoadedWorld } from '../loaded-world.ts';
import { unpackNumbered, upTo } from '../protocol.ts';
import type { RewindStart } from './rewind.ts';

interface CachedState {
  tick: number;
  image: Uint8Array;
  /** The changes during a re-run; until they are complete, the residency whose world has them. */
  changes: readonly NumberedChange[] | { residency: number };
  /** No change up to this tick can follow. */
  completeTick: number;
}

const COMPLETE = Number.POSITIVE_INFINITY;

/** The states before collisions, for explanations and replays; at most REWIND_CACHE_MAX. */
export class RewindCache {
  readonly #states = new LRUCache<string, CachedState>({ max: REWIND_CACHE_MAX });

  /**
   * Keeps the state before a new collision, if the world has one. `dueTick`: the current tick by
   * the clock. Collisions far before it are skipped: a world that catches up has very many, and
   * they would displace those that watchers have just seen.
   */
  keep(
    world: LoadedWorld,
    { tick, order, chainTick, chainOrder }: ContactRecord,
    dueTick: number,
  ): void {
    if (tick !== chainTick || order !== chainOrder || dueTick - tick > BEHIND_TICKS) return;
    const image =
      world.images.findLast((each) => each.tick <= tick - LEAD_TICKS_MAX) ??
      world.images.find((each) => each.tick === 0);
    if (image === undefined) return;
    const { number, residency } = world;
    // The world overwrites its images in place.
    const state = { tick: image.tick, image: image.bytes.slice(), changes: { residency } };
    this.#states.set(keyOf(number, { tick, order }), { ...state, completeTick: COMPLETE });
  }

  /**
   * Keeps a state that a rewind has computed. `tick`: of the state or earlier; `journal`: see
   * `packNumbered`, with the changes after it at least. `completeTick`: see `CachedState`.
   */
  add(
    world: number,
    [first]: IncidentContacts,
    state: { tick: number; image: Uint8Array; journal: Int32Array; completeTick: number },
  ): void {
    const { tick, image, journal } = state;
    const completeTick = Math.min(state.completeTick, endOf(first));
    const key = keyOf(world, first);
    const known = this.#states.peek(key);
    // Two rewinds for one collision may be under way, and each is followed by what needs its state. One that
    // is as complete replaces the other: it may come from an earlier state, as a re-run from that one failed.
    if (known !== undefined && !('residency' in known.changes) && known.completeTick > completeTick)
      return;
    const changes = unpackNumbered(upTo(journal, endOf(first), tick));
    this.#states.set(key, { tick, image, changes, completeTick });
  }

  /**
   * The state before a collision of world `number`, for a re-run to a tick. `world`: the world, if it is in
   * memory.
   */
  get(
    number: number,
    [first]: IncidentContacts,
    { world, untilTick }: { world: LoadedWorld | undefined; untilTick: number },
  ): RewindStart | undefined {
    const key = keyOf(number, first);
    const state = this.#states.get(key);
    if (state === undefined) return undefined;
    const { tick, image, changes, completeTick } = state;
    // The world was changed later, perhaps.
    if (completeTick < Math.min(untilTick, endOf(first))) return undefined;
    if (!('residency' in changes)) return { image, changes };
    const known = world?.residency === changes.residency ? world.changesAfter(tick) : undefined;
    if (known === undefined) {
      this.#states.delete(key);
      return undefined;
    }
    const start = { image, changes: known.filter((change) => change.tick <= endOf(first)) };
    // The changes are complete once the world has passed the latest end of a re-run.
    if ((world?.tick ?? 0) >= endOf(first)) this.#states.set(key, { tick, ...start, completeTick });
    return start;
  }
}

/** The last tick of a re-run of a collision. */
function endOf({ tick }: ContactFacts): number {
  return tick + COMPARED_END_TICKS;
}

function keyOf(world: number, { tick, order }: { tick: number; order: number }): string {
  return `${world} ${tick}-${order}`;
}
