import type { LocalWorld } from '../../../../../client/src/local-world.ts';
import type { FeatureName } from '../../../../../src/twin/catalogue.ts';
import type { Snapshot } from '../../api/types.ts';
import type { Extent, Switching, Trial } from '../life.ts';
import type { Question, Questions } from '../messages.ts';
import { Branches } from './branches.ts';
import { nextTurn } from './next-turn.ts';
import { comesTrue } from './trial.ts';

/** States between two turns for others: some 5 ms of work. */
const AT_ONCE = 25;

/** States of every `everyTicks`th tick, from the first one on. */
export function* statesOf(
  world: LocalWorld,
  [first, last]: Extent,
  everyTicks: number,
): Generator<Snapshot, void, void> {
  for (let tick = first; tick <= last; tick += everyTicks) yield world.at(tick).snapshot();
}

/** Answers what the page asks of a world that lives in this thread. */
export class Answers implements Questions {
  readonly #world: () => LocalWorld;
  readonly #learned: () => Promise<void>;
  readonly #branches = new Branches();

  /**
   * @param world throws if no world lives here now
   * @param learned ends when its whole life is known, or could not be learned just now
   */
  constructor(world: () => LocalWorld, learned: () => Promise<void>) {
    this.#world = world;
    this.#learned = learned;
  }

  /** Rejects with what was wrong with the question. */
  answer(question: Question, given: readonly unknown[]): Promise<unknown> {
    // The page asks as it is typed.
    const method = this[question] as (...given: readonly unknown[]) => Promise<unknown>;
    return method.apply(this, [...given]);
  }

  async frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]> {
    const frames: Snapshot[] = [];
    for (const frame of statesOf(this.#world(), extent, everyTicks)) {
      frames.push(frame);
      if (frames.length % AT_ONCE === 0) await nextTurn();
    }
    return frames;
  }

  async events(tick: number) {
    return this.#world().events(undefined, tick).toReversed();
  }

  async incidentCount([first, last]: Extent) {
    return this.#world().happened(first, last).incidents.length;
  }

  openBranch(tick: number, switchings: readonly Switching[]) {
    return this.#branches.open(this.#world(), tick, switchings);
  }

  branchFrames(branch: number, extent: Extent, everyTicks: number) {
    return this.#branches.frames(branch, extent, everyTicks);
  }

  async branchIncidents(branch: number) {
    return this.#branches.incidents(branch);
  }

  async closeBranch(branch: number) {
    this.#branches.close(branch);
  }

  comesTrue(trial: Trial) {
    return comesTrue(this.#world(), trial);
  }

  async features(vin: string) {
    return this.#world().features(vin);
  }

  async perception(vin: string) {
    return this.#world().perception(vin);
  }

  outlook() {
    return this.#world().outlook();
  }

  carOutlook(vin: string) {
    return this.#world().outlook(vin);
  }

  /** Explained if that is possible already. */
  async incident(id: string) {
    if (this.#world().incident(id) === undefined) await this.#learned();
    const world = this.#world();
    const report = world.incident(id);
    if (report !== undefined) return await world.explain(id).catch(() => report);
    if (world.knowsAll) return null;
    throw new RangeError('no such incident is known');
  }

  async replay(id: string, features: readonly string[]) {
    const replay = () => this.#world().replay(id, features as readonly FeatureName[]);
    try {
      return await replay();
    } catch (error) {
      // What was before it may not be known yet.
      if (!(error instanceof RangeError) || this.#world().knowsAll) throw error;
      await this.#learned();
      return await replay();
    }
  }
}
