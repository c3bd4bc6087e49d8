import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import { FEATURES } from '../../src/twin/catalogue.ts';

const ANSWER_MS_MAX = 10_000;
/**
 * A change that took longer was held: its clients could not know of it. One that took less, behind a proxy
 * that delays it by 400 ms, is known when it has to be.
 */
const HELD_MS = 50;

/** A change whose write was held, by the clock of this machine. */
export interface Held {
  fromMs: number;
  untilMs: number;
}

/** Switches features of random cars in some worlds, at random times. */
export class RandomSwitching {
  answered = 0;
  /** Not answered, or refused: the node is gone, or its successor does not serve the world yet. */
  failed = 0;
  readonly #held = new Map<string, Held[]>();
  readonly #nodes: () => readonly Server[];
  readonly #loops: Promise<void>[];
  #isOver = false;

  /** @param pauseMs mean pause between two changes of a world */
  constructor(worlds: readonly MadeWorld[], pauseMs: number, nodes: () => readonly Server[]) {
    this.#nodes = nodes;
    this.#loops = worlds.map((world, i) => this.#loop(world, new Dice(i), pauseMs));
  }

  async #loop(world: MadeWorld, dice: Dice, pauseMs: number): Promise<void> {
    for (;;) {
      await systemTime.sleep(dice.below(2 * pauseMs));
      if (this.#isOver) return;
      await this.#change(world, dice);
    }
  }

  async #change({ id, vins }: MadeWorld, dice: Dice): Promise<void> {
    const { url } = dice.pick(this.#nodes());
    const features = { [dice.pick(FEATURES).name]: dice.below(2) === 1 };
    const fromMs = systemTime.wallMs();
    try {
      const { status } = await fetch(new URL('/api/v1/vehicle/features', url), {
        method: 'PATCH',
        headers: { 'X-VIN': dice.pick(vins), 'Content-Type': 'application/json' },
        body: JSON.stringify(features),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      if (status === 200) this.answered++;
      else this.failed++;
    } catch {
      this.failed++;
    }
    const untilMs = systemTime.wallMs();
    if (untilMs - fromMs < HELD_MS) return;
    this.#held.set(id, [...this.heldOf(id), { fromMs, untilMs }]);
  }

  heldOf(world: string): readonly Held[] {
    return this.#held.get(world) ?? [];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}
