import { COPY_TICKS_MAX } from '../limits.ts';
import type { Time } from '../time.ts';
import type { FrameBatcher } from './frame-batcher.ts';
import type { LoadedWorld } from './loaded-world.ts';
import {
  type Address,
  type CopiedState,
  FREEZE_HOLD,
  type FrozenTask,
  type FrozenWorld,
  packNumbered,
} from './protocol.ts';
import type { Scheduler } from './scheduler.ts';

/** Pause before the next check whether all frames were sent. */
const FRAMES_RETRY_MS = 2;
const NO_BYTES = new Uint8Array(0);

export interface StandingWorldsParts {
  /** By number. */
  worlds: ReadonlyMap<number, LoadedWorld>;
  frames: Pick<FrameBatcher, 'has'>;
  scheduler: Pick<Scheduler, 'resume'>;
  time: Time;
  /** Executes waiting commands. */
  drainCommands(): void;
  wake(): void;
}

/** The worlds of a shard that move to another node: copies of them, and how they stand still. */
export class StandingWorlds {
  readonly #parts: StandingWorldsParts;

  constructor(parts: StandingWorldsParts) {
    this.#parts = parts;
  }

  #loaded(addresses: readonly Address[]): LoadedWorld[] {
    return loadedOf(this.#parts.worlds, addresses);
  }

  /** The states of worlds that go on. */
  copies(addresses: readonly Address[]): CopiedState[] {
    return this.#loaded(addresses).map((world) => ({ ...world.imageNow(), world: world.number }));
  }

  /** Has worlds stand still. Resolves once all frames that they have made are sent. */
  async freeze(addresses: readonly Address[]): Promise<void> {
    const { frames, time } = this.#parts;
    // One that was just taken in would be let go on.
    this.#parts.drainCommands();
    const worlds = this.#loaded(addresses);
    for (const world of worlds) world.hold(FREEZE_HOLD, 0);
    while (worlds.some((world) => frames.has(world))) await time.sleep(FRAMES_RETRY_MS);
  }

  /** Worlds as they stand still, with all changes that were sent before. */
  frozen(tasks: readonly FrozenTask[]): FrozenWorld[] {
    this.#parts.drainCommands();
    const copies = new Map(tasks.map(({ world, copy }) => [world, copy]));
    return this.#loaded(tasks).map((world) => {
      world.hold(FREEZE_HOLD, 0);
      const { number, tick, seq } = world;
      const copy = copies.get(number);
      const isCopied = copy?.seq === seq && tick - copy.tick <= COPY_TICKS_MAX;
      const image = isCopied ? { tick, seq, bytes: NO_BYTES } : world.imageNow();
      const changes = new Uint8Array(packNumbered(world.changesAhead).buffer);
      return { ...image, world: number, contacts: world.contactsReported, changes };
    });
  }

  /** Lets frozen worlds go on. */
  thaw(addresses: readonly Address[]): void {
    const { scheduler, wake } = this.#parts;
    for (const world of this.#loaded(addresses)) {
      world.resolve(FREEZE_HOLD, []);
      scheduler.resume(world);
    }
    wake();
  }
}

/** Those that are still in these residencies. */
export function loadedOf(
  worlds: ReadonlyMap<number, LoadedWorld>,
  addresses: readonly Address[],
): LoadedWorld[] {
  return addresses.flatMap(({ world: number, residency }) => {
    const world = worlds.get(number);
    return world?.residency === residency ? [world] : [];
  });
}
