import { Latencies } from '../../bench/common/latencies.ts';
import { UpgradeRefused } from '../../bench/common/watch-socket.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import type { LockstepChange } from '../../src/twin/lockstep.ts';
import { LockstepStream } from './lockstep-stream.ts';

const PACE_MS = 1;
/** Clients that are refused or cut off come again, spread over this time, which doubles up to the maximum. */
const RETRY_MS = 1000;
const RETRY_MS_MAX = 8000;

/** Many clients that read lockstep streams. They do not live their worlds: that is their own time. */
export class LockstepCrowd {
  readonly streams: readonly LockstepStream[];
  /** From the moment at which a client was to join until it had its hello. */
  readonly hellos = new Latencies();
  helloBytes = 0;
  messages = 0;
  messageBytes = 0;
  changes = 0;
  /** Attempts that failed, by reason, and streams by the code that they ended with. */
  readonly failed: Record<string, number> = {};
  readonly ended: Record<string, number> = {};
  openCount = 0;
  readonly #dice = new Dice(1);
  readonly #dueMs = new Map<LockstepStream, number>();
  readonly #onChange: (world: string, change: LockstepChange) => void;
  #isClosed = false;

  /** @param worlds id of the world of each client */
  constructor(
    url: URL,
    worlds: readonly string[],
    onChange: (world: string, change: LockstepChange) => void = () => {},
  ) {
    this.#onChange = onChange;
    this.streams = worlds.map((world) => new LockstepStream(url, world, this));
  }

  /** All join at a rate, whatever the node does. Resolves when all have had their hellos. */
  async join(ratePerS: number): Promise<void> {
    const startMs = systemTime.now();
    const joining = [...this.streams.entries()];
    for (let next = 0; next < joining.length; ) {
      const due = Math.floor(((systemTime.now() - startMs) / 1000) * ratePerS) + 1;
      for (const [i, stream] of joining.slice(next, due)) {
        this.#dueMs.set(stream, startMs + (i / ratePerS) * 1000);
        void this.#open(stream);
      }
      next = Math.max(next, due);
      await systemTime.sleep(PACE_MS);
    }
    while (this.openCount < this.streams.length) await systemTime.sleep(PACE_MS);
  }

  async #open(stream: LockstepStream): Promise<void> {
    for (let waitMs = RETRY_MS; !this.#isClosed; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        return await stream.open();
      } catch (error) {
        const reason = error instanceof UpgradeRefused ? error.statusLine : 'no connection';
        this.failed[reason] = (this.failed[reason] ?? 0) + 1;
      }
      await systemTime.sleep(this.#dice.below(waitMs));
    }
  }

  hello(stream: LockstepStream, bytes: number): void {
    this.openCount++;
    this.helloBytes += bytes;
    const dueMs = this.#dueMs.get(stream);
    if (dueMs !== undefined) this.hellos.record(systemTime.now() - dueMs);
    this.#dueMs.delete(stream);
  }

  message(bytes: number): void {
    this.messages++;
    this.messageBytes += bytes;
  }

  change({ world }: LockstepStream, change: LockstepChange): void {
    this.changes++;
    this.#onChange(world, change);
  }

  /** It comes again soon, but not with all others at once. */
  closed(stream: LockstepStream, code: number, wasOpen: boolean): void {
    this.ended[code] = (this.ended[code] ?? 0) + 1;
    if (wasOpen) this.openCount--;
    if (this.#isClosed) return;
    void systemTime.sleep(this.#dice.below(RETRY_MS)).then(() => this.#open(stream));
  }

  bytesRead(): number {
    return this.streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of this.streams) stream.close();
  }
}
