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
  switchings: readonly Switching[] = [];
  readonly #number: number;
  readonly #ask: Ask;

  constructor(number: number, fromTick: number, ask: Ask) {
    this.#number = number;
    this.fromTick = fromTick;
    this.tick = fromTick;
    this.#ask = ask;
  }

  async set(vin: string, features: Readonly<Record<string, boolean>>): Promise<void> {
    const tick = await this.#ask('switchInBranch', this.#number, vin, features);
    this.switchings = [...this.switchings, { tick, vin, features }];
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
    void this.#ask('closeBranch', this.#number);
  }
}
