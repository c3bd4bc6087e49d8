import { RedisDouble } from '../testing/doubles/redis-double.ts';
import {
  type RedisArgument,
  RedisData,
  type RedisReply,
} from '../testing/doubles/redis-scripts.ts';
import type { Time } from '../time.ts';
import type { Ledger } from './ledger.ts';

/** The Redis server of a run: what it accepts stands in the ledger. */
export class WatchedRedis extends RedisDouble {
  readonly #ledger: Ledger;
  readonly #failed: (error: unknown) => void;
  #saved: { data: RedisData; restoreLedger: () => void } | undefined;

  /** `failed` gets what the ledger throws: a server would answer it. */
  constructor(time: Time, ledger: Ledger, failed: (error: unknown) => void) {
    super({ time });
    this.#ledger = ledger;
    this.#failed = failed;
  }

  override execute(command: string, args: readonly RedisArgument[]): RedisReply {
    const reply = super.execute(command, args);
    try {
      this.#ledger.executed(command, args, reply);
    } catch (error) {
      this.#failed(error);
    }
    return reply;
  }

  /** What is accepted from now on may be lost. */
  save(): void {
    const data = new RedisData(this.data.nowMs);
    this.data.copyTo(data);
    this.#saved = { data, restoreLedger: this.#ledger.save() };
  }

  /** Dies and, when it starts again, has only what it had saved. */
  killWithoutTail(): void {
    this.kill();
    const saved = this.#saved;
    this.#saved = undefined;
    if (saved === undefined) return;
    saved.data.copyTo(this.data);
    saved.restoreLedger();
  }
}
