import { TwinError } from '../errors.ts';
import type { Time } from '../time.ts';
import type { Members } from './members.ts';
import type { Ranges } from './ranges.ts';

const LOOK_AGAIN_MS = 20;
/** What is left of the partitions of a node that stops by then is released. */
const DRAIN_MS_MAX = 8000;

export interface DrainDependencies {
  members: Pick<Members, 'all' | 'process' | 'soon'>;
  ranges: Pick<Ranges, 'held'>;
  /** Gives what is due. Never rejects. */
  look: () => Promise<void>;
  time: Time;
}

/** Whether this node takes partitions, or gives all of them to the others. */
export class Drain {
  readonly #dependencies: DrainDependencies;
  #isAsked = false;
  #isStopping = false;

  constructor(dependencies: DrainDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether it takes nothing more, and gives what it has. */
  get isOn(): boolean {
    return this.#isAsked || this.#isStopping;
  }

  /** Whether that is because it stops. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Begins or ends a drain that an operator asks for; the balancer does the rest. Throws TwinError
   * `conflict` if the node stops, or nobody would take what it has.
   */
  ask(isOn: boolean): void {
    if (this.#isStopping) throw new TwinError('conflict', 'This node stops, and drains anyway.');
    if (isOn && !this.#mayOthersTake()) {
      throw new TwinError('conflict', 'No other node takes partitions now; nothing was changed.');
    }
    this.#isAsked = isOn;
    this.#dependencies.members.soon();
  }

  /** From now on until it ends, without waiting for anything. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Gives what it has to the others, within DRAIN_MS_MAX, and then lets `relayMs` pass. Resolves at once
   * where there is nobody to give to.
   */
  async run(relayMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { members, ranges, look, time } = this.#dependencies;
    members.soon();
    const endMs = time.now() + DRAIN_MS_MAX;
    while (ranges.held().length > 0 && this.#mayOthersTake() && time.now() < endMs) {
      await look();
      await time.sleep(LOOK_AGAIN_MS);
    }
    if (this.#mayOthersTake()) await time.sleep(relayMs);
  }

  #mayOthersTake(): boolean {
    const { members } = this.#dependencies;
    return members
      .all()
      .some(({ process, record }) => process !== members.process && !record.isDraining);
  }
}
