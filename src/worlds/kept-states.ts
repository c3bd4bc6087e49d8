import { LRUCache } from 'lru-cache';
import { KEPT_STATES_MAX, KEPT_STATES_OF_WORLD_MAX } from '../limits.ts';
import type { StateImage } from '../shard/protocol.ts';

/** So many of a world were used last: whoever goes on from one of them would have to begin again without it. */
const RECENT = KEPT_STATES_OF_WORLD_MAX / 2;

/**
 * States of worlds in memory, from which others are lived: of each world those that were used last and some
 * that are spread over its life, and of all together KEPT_STATES_MAX. The worlds that were not asked for
 * longest go first.
 */
export class KeptStates {
  /** In order of use. By the object of a world: another one of the same world may have other changes. */
  readonly #states = new LRUCache<object, readonly StateImage[]>({
    maxSize: KEPT_STATES_MAX,
    sizeCalculation: ({ length }) => length,
  });

  /** The last one up to a tick, and not before another one. */
  nearest(owner: object, tick: number, fromTick: number): StateImage | undefined {
    const states = this.#states.get(owner) ?? [];
    const found = states
      .filter((state) => state.tick >= fromTick && state.tick <= tick)
      .reduce<StateImage | undefined>((a, b) => (a && a.tick > b.tick ? a : b), undefined);
    if (found) this.#states.set(owner, [...states.filter((state) => state !== found), found]);
    return found;
  }

  keep(owner: object, state: StateImage): void {
    const others = (this.#states.get(owner) ?? []).filter(({ tick }) => tick !== state.tick);
    const states = [...others, state];
    if (states.length > KEPT_STATES_OF_WORLD_MAX) states.splice(leastMissed(states), 1);
    this.#states.set(owner, states);
  }

  forget(owner: object): void {
    this.#states.delete(owner);
  }
}

/** The index of the state with the nearest neighbours. Never a recent one, nor the latest of the life. */
function leastMissed(states: readonly StateImage[]): number {
  const ticks = states.map(({ tick }) => tick).sort((a, b) => a - b);
  const gaps = states.slice(0, -RECENT).map(({ tick }) => {
    const place = ticks.indexOf(tick);
    return (ticks[place + 1] ?? Number.POSITIVE_INFINITY) - (ticks[place - 1] ?? 0);
  });
  return gaps.indexOf(Math.min(...gaps));
}
