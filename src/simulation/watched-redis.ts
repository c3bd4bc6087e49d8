import { SCRIPTS } from '../store/redis/redis-scripts.ts';
import { RedisDouble } from '../testing/doubles/redis-double.ts';
import {
  type RedisArgument,
  RedisData,
  type RedisReply,
} from '../testing/doubles/redis-scripts.ts';
import type { Time } from '../time.ts';
import type { Ledger } from './ledger.ts';
import type { Mutant } from './mutants.ts';

/** Where the keys of a script begin. */
const KEYS_AT = 2;
/** Where a heartbeat has what its sender reads on the clock of the cluster, after the keys. */
const READING_AT = 4;

export type Refusal = 'LOADING' | NonNullable<RedisData['refusal']>;

export interface WatchedRedisParts {
  /** Gets what the ledger throws: a server would answer it. */
  failed: (error: unknown) => void;
  unfenced: Mutant['unfenced'];
}

/** The Redis server of a run: what it accepts stands in the ledger. */
export class WatchedRedis extends RedisDouble {
  readonly #ledger: Ledger;
  readonly #time: Time;
  readonly #heardMs = new Map<string, number>();
  #driftFrom = { ms: 0, aheadMs: 0, rate: 0 };
  readonly #failed: (error: unknown) => void;
  readonly #unfenced: Mutant['unfenced'];
  #saved: { data: RedisData; restoreLedger: () => void; toldAheadMs: number } | undefined;
  /** How far its clock was ahead when a node told last what the clock of the cluster is. */
  #toldAheadMs = 0;

  constructor(time: Time, ledger: Ledger, { failed, unfenced }: WatchedRedisParts) {
    super({ time });
    this.#time = time;
    const exactMs = this.data.nowMs;
    this.data.nowMs = () => exactMs() + this.#driftMs;
    this.#ledger = ledger;
    this.#failed = failed;
    this.#unfenced = unfenced;
  }

  override execute(command: string, args: readonly RedisArgument[]): RedisReply {
    const asHolder = this.#unfenced === undefined ? args : this.#asHolder(args);
    const isHeartbeat = args[0] === SCRIPTS.heartbeat.sha1;
    const hasReading = isHeartbeat && args[KEYS_AT + Number(args[1]) + READING_AT] !== '';
    // Where every node that knew better has gone, a jump of its clock cannot be told from time that has passed,
    // and whoever starts would follow it: what nobody has told of is taken back before.
    if (isHeartbeat && !hasReading) this.clockAheadMs = this.#toldAheadMs;
    const reply = super.execute(command, asHolder);
    if (isHeartbeat) this.#heard(args);
    if (hasReading && isAccepted(reply)) this.#toldAheadMs = this.clockAheadMs;
    try {
      this.#ledger.executed(command, this.#unfenced === 'disguised' ? asHolder : args, reply);
    } catch (error) {
      this.#failed(error);
    }
    return reply;
  }

  /** It executes nothing from now on, or makes no writes; undefined: it does both. */
  refuse(why: Refusal | undefined): void {
    this.isLoading = why === 'LOADING';
    this.data.refusal = why === 'LOADING' ? undefined : why;
  }

  /** Its clock runs so much faster from now on. */
  drift(rate: number): void {
    this.#driftFrom = { ms: this.#time.now(), aheadMs: this.#driftMs, rate };
  }

  get #driftMs(): number {
    const { ms, aheadMs, rate } = this.#driftFrom;
    return aheadMs + (this.#time.now() - ms) * rate;
  }

  #heard(args: readonly RedisArgument[]): void {
    const process = String(args[KEYS_AT + Number(args[1]) + 1]);
    this.#heardMs.set(process, this.data.nowMs());
  }

  /** How long ago the last heartbeat of a process has come, by the clock of the server. */
  silentMs(process: string): number {
    return this.data.nowMs() - (this.#heardMs.get(process) ?? Number.NEGATIVE_INFINITY);
  }

  /** The arguments of a commit, with the token of whoever holds the lease. */
  #asHolder(args: readonly RedisArgument[]): readonly RedisArgument[] {
    const [sha1, keyCount, lease] = args;
    if (sha1 !== SCRIPTS.commit.sha1) return args;
    const holder = this.data.get(String(lease));
    return holder === undefined ? args : args.with(KEYS_AT + Number(keyCount), holder);
  }

  /** What is accepted from now on may be lost. */
  save(): void {
    const data = new RedisData(this.data.nowMs);
    this.data.copyTo(data);
    this.#saved = { data, restoreLedger: this.#ledger.save(), toldAheadMs: this.#toldAheadMs };
  }

  /** Dies and, when it starts again, has only what it had saved. */
  killWithoutTail(): void {
    this.kill();
    const saved = this.#saved;
    this.#saved = undefined;
    if (saved === undefined) return;
    saved.data.copyTo(this.data);
    saved.restoreLedger();
    this.#toldAheadMs = saved.toldAheadMs;
  }
}

/** Whether a heartbeat had an effect: see `heartbeat.lua`. */
function isAccepted(reply: RedisReply): boolean {
  return Array.isArray(reply) && reply[0] === 1;
}
