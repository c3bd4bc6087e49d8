import type { Incident, Snapshot } from '../api/types.ts';
import type { Branch, Extent, Switching } from './life.ts';
import type { Answer, Given, Question } from './messages.ts';

/** Asks the worker. */
export type Ask = <Name extends Question>(
  question: Name,
  ...given: Given<Name>
) => Promise<Answer<Name>>;

/** A private copy of the world in the worker. */
export class LocalBranch implements Branch {
  readonly fromTick: number;
  tick: number;
  readonly switchings: readonly Switching[];
  readonly #number: number;
  readonly #ask: Ask;

  constructor(number: number, fromTick: number, switchings: readonly Switching[], ask: Ask) {
    this.#number = number;
    this.fromTick = fromTick;
    this.switchings = switchings;
    this.tick = fromTick;
    this.#ask = ask;
  }

  async frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]> {
    const { frames, tick } = await this.#ask('branchFrames', this.#number, extent, everyTicks);
    this.tick = Math.max(this.tick, tick);
    return frames;
  }

  incidents(): Promise<readonly Incident[]> {
    return this.#ask('branchIncidents', this.#number);
  }

  close(): void {
    // With the worker the branch has ended, too.
    this.#ask('closeBranch', this.#number).catch(() => {});
  }
}
