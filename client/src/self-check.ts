import type { StateImage } from '../../src/shard/protocol.ts';
import type { ImageLadder } from './image-ladder.ts';
import type { ScratchPlayer } from './scratch-player.ts';

/** After each minute ten seconds are lived again. */
const EVERY_TICKS = 3000;
const CHECK_TICKS = 500;

/** Lives some of what was lived again, and compares where that leads. */
export class SelfCheck {
  readonly #ladder: ImageLadder;
  readonly #scratch: ScratchPlayer;
  /** The hash to which ten seconds after an image have led. */
  #next: { from: StateImage; tick: number; hash: string } | undefined;

  constructor(ladder: ImageLadder, scratch: ScratchPlayer) {
    this.#ladder = ladder;
    this.#scratch = scratch;
  }

  /** The world has come to a tick. */
  passed(tick: number, hash: () => string): void {
    if (tick % EVERY_TICKS !== CHECK_TICKS) return;
    const from = this.#ladder.newest(tick - CHECK_TICKS);
    if (from?.tick === tick - CHECK_TICKS) this.#next = { from, tick, hash: hash() };
  }

  /** The world is lived anew after a tick. */
  dropAfter(tick: number): void {
    if (this.#next && this.#next.tick > tick) this.#next = undefined;
  }

  /** False: it leads elsewhere. Undefined if there is nothing that was not compared yet. */
  run(): boolean | undefined {
    const check = this.#next;
    if (check === undefined) return undefined;
    this.#next = undefined;
    const scratch = this.#scratch.any();
    scratch.restore(check.from);
    scratch.stepTo(check.tick);
    return scratch.hash() === check.hash;
  }
}
