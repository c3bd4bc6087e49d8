import type { WorldCommand } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';

/**
 * The place of a world in its shard's memory. Each time that the world is loaded gets a number, so
 * that messages of an earlier residency can be dropped.
 */
export class Residency {
  readonly #world: number;
  readonly #shard: Shard;
  #number = 0;
  /** The last residency that the shard is known to have ended. */
  #ended = 0;
  #isRetired = false;

  constructor(world: number, shard: Shard) {
    this.#world = world;
    this.#shard = shard;
  }

  /** 0: not in memory. */
  get number(): number {
    return this.#number;
  }

  /** The world was removed or forgotten: it must not be loaded any more. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  retire(): void {
    this.#isRetired = true;
  }

  /** Does nothing while the world is not in memory. */
  command(command: WorldCommand): void {
    if (this.#number === 0) return;
    this.#shard.command({ ...command, world: this.#world, residency: this.#number });
  }

  /** Returns false if the shard has ended this residency already. */
  begin(number: number): boolean {
    if (this.#ended === number) return false;
    this.#number = number;
    return true;
  }

  /** The shard no longer has the world. Returns false if that was an earlier residency. */
  end(number = this.#number): boolean {
    this.#ended = Math.max(this.#ended, number);
    if (number !== this.#number) return false;
    this.#number = 0;
    return true;
  }

  /** Takes the world out of memory. Never rejects. */
  async close(number = this.#number): Promise<void> {
    if (number === this.#number) this.#number = 0;
    if (number === 0) return;
    await this.#shard.close({ world: this.#world, residency: number }).catch(() => {});
  }
}
