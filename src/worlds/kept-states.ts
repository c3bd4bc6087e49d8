import { LRUCache } from 'lru-cache';
import { KEPT_STATES_MAX, KEPT_STATES_OF_WORLD_MAX } from '../limits.ts';
import type { StateImage } from '../shard/protocol.ts';

/**
 * States of worlds in memory, from which others are lived: of each world some that are spread over its life,
 * and of all together KEPT_STATES_MAX. The worlds that were not asked for longest go first.
 */
export class KeptStates {
  /** In order of tick. By the object of a world: another one of the same world may have other changes. */
  readonly #states = new LRUCache<object, readonly StateImage[]>({
    maxSize: KEPT_STATES_MAX,
    sizeCalculation: ({ length }) => length,
  });

  /** The last one up to a tick, and not before another one. */
  nearest(owner: object, tick: number, fromTick: number): StateImage | undefined {
    const last = this.#states.get(owner)?.findLast((state) => state.tick <= tick);
    return last !== undefined && last.tick >= fromTick ? last : undefined;
  }

  keep(owner: object, state: StateImage): void {
    const others = (this.#states.get(owner) ?? []).filter(({ tick }) => tick !== state.tick);
    const states = [...others, state].sort((a, b) => a.tick - b.tick);
    if (states.length > KEPT_STATES_OF_WORLD_MAX) states.splice(leastMissed(states), 1);
    this.#states.set(owner, states);
  }

  forget(owner: object): void {
    this.#states.delete(owner);
  }
}

/** The index of the state with the nearest neighbours. Never the last: whoever goes on needs it. */
function leastMissed(states: readonly StateImage[]): number {
  const gaps = states.slice(0, -1).map((_, i) => gapWithout(states, i));
  return gaps.indexOf(Math.min(...gaps));
}

function gapWithout(states: readonly StateImage[], index: number): number {
  return (states[index + 1]?.tick ?? 0) - (states[index - 1]?.tick ?? 0);
}
