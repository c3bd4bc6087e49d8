import type { ImageLadder } from './image-ladder.ts';
import { JournalPlayer } from './journal-player.ts';
import type { WorldParts } from './world-parts.ts';

/** Lives other ticks of a world again, in a slab of its own that is leased when it is first needed. */
export class ScratchPlayer {
  readonly #parts: () => WorldParts;
  readonly #ladder: ImageLadder;
  #player: JournalPlayer | undefined;

  constructor(parts: () => WorldParts, ladder: ImageLadder) {
    this.#parts = parts;
    this.#ladder = ladder;
  }

  /** At a tick that is known, or on the way there by so many ticks: the next call goes on. */
  at(tick: number, ticksMax = Number.POSITIVE_INFINITY): JournalPlayer {
    const player = this.any();
    const image = this.#ladder.newest(tick);
    const isFarther = player.tick > tick || player.tick < (image?.tick ?? 0);
    if (isFarther && image !== undefined) player.restore(image);
    else if (isFarther) player.place(this.#parts());
    player.stepTo(Math.min(tick, player.tick + ticksMax));
    return player;
  }

  /** At any tick. */
  any(): JournalPlayer {
    if (this.#player === undefined) {
      const { model, journal } = this.#parts();
      this.#player = new JournalPlayer(model.slabs.lease(), journal);
      this.#player.place(this.#parts());
    }
    return this.#player;
  }

  /** The world is lived anew after a tick. */
  dropAfter(tick: number): void {
    if (this.#player && this.#player.tick > tick) this.release();
  }

  release(): void {
    this.#player?.leased.release();
    this.#player = undefined;
  }
}
