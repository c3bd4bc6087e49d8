import type { WorldCommand } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';

/**
 * Whether a world is in its shard's memory. Each loading starts a residency with a new number, so
 * that messages of an earlier residency are recognised and ignored.
 */
export class Residency {
  readonly #world: number;
  readonly #shard: Shard;
  #number = 0;
  /** The last residency that the shard has ended. */
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

  /** The world was deleted, or this object was replaced: it must not be loaded again. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  retire(): void {
    this.#isRetired = true;
  }

  /** Sends a command to the shard, if the world is in memory. */
  command(command: WorldCommand): void {
    if (this.#number === 0) return;
    this.#shard.command({ ...command, world: this.#world, residency: this.#number });
  }

  /** The shard has loaded the world. Returns false if it has ended this residency already. */
  begin(number: number): boolean {
    if (this.#ended === number) return false;
    this.#number = number;
    return true;
  }

  /** The shard has unloaded the world. Returns false if that was an earlier residency. */
  end(number = this.#number): boolean {
    this.#ended = Math.max(this.#ended, number);
    if (number !== this.#number) return false;
    this.#number = 0;
    return true;
  }

  /** Has the shard unload the world. Never rejects. */
  async close(number = this.#number): Promise<void> {
    if (number === this.#number) this.#number = 0;
    if (number === 0) return;
    await this.#shard.close({ world: this.#world, residency: number }).catch(() => {});
  }
}
