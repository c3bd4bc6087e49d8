import { RELIED_ON } from '../store/contract.ts';
import type { Argument, MakeClient, RedisClient } from '../store/redis/redis-client.ts';
import { SCRIPTS } from '../store/redis/redis-scripts.ts';
import { nameOf } from '../store/redis/slot-lease.ts';
import { PARTITION_SLOTS } from '../store/redis/slots.ts';
import type { ClientPlace, RedisDouble } from '../testing/doubles/redis-double.ts';
import type { Chance } from './chance.ts';
import type { Thread } from './machine.ts';

const NEVER = Number.NEGATIVE_INFINITY;
/** Where the keys of a script begin, of which the first one is that of the lease. */
const KEYS_AT = 2;

/** How the processes of a machine reach Redis. Cuts are of one direction, until a virtual time. */
export class RedisRoute {
  toServerCutUntilMs = NEVER;
  fromServerCutUntilMs = NEVER;
  slowUntilMs = NEVER;
  slowMs = 0;
  readonly #chance: Chance;
  readonly #delayMsMax: number;

  constructor(chance: Chance, delayMsMax: number) {
    this.#chance = chance;
    this.#delayMsMax = delayMsMax;
  }

  /** What is sent into a cut is sent again until it arrives. */
  delayMs(nowMs: number, cutUntilMs: number): number {
    const slowMs = nowMs < this.slowUntilMs ? this.#chance.between(0, this.slowMs) : 0;
    const wayMs = this.#chance.between(0.05, this.#delayMsMax) + slowMs;
    return Math.max(0, cutUntilMs - nowMs) + wayMs;
  }

  heal(): void {
    this.toServerCutUntilMs = NEVER;
    this.fromServerCutUntilMs = NEVER;
    this.slowUntilMs = NEVER;
  }

  placeOf(thread: Thread): ClientPlace {
    return {
      time: thread.time,
      run: (task) => void thread.add(0, task),
      toServerMs: () => this.delayMs(thread.virtualMs, this.toServerCutUntilMs),
      fromServerMs: () => this.delayMs(thread.virtualMs, this.fromServerCutUntilMs),
      canConnect: () =>
        thread.virtualMs >= Math.max(this.toServerCutUntilMs, this.fromServerCutUntilMs),
    };
  }
}

/** What the store has answered to a renewal. */
interface Renewed {
  /** Of the grant. */
  name: string;
  /** Until when the process may rely on it, by its clock. */
  untilMs: number;
  /** When the lease ends, by virtual time. */
  endMs: number;
}

/** Until when a process may rely on its leases, by what passes over its connections. */
export class LeaseWatch {
  readonly #thread: Thread;
  readonly #leaseMs: number;
  /** By the key of the lease. */
  readonly #renewed = new Map<string, Renewed>();
  /** Names of grants that it has had, and of those that it has given up or lost. */
  readonly #had = new Set<string>();
  readonly #over = new Set<string>();

  constructor(thread: Thread, leaseMs: number) {
    this.#thread = thread;
    this.#leaseMs = leaseMs;
  }

  /**
   * How long ago the process had to stop relying on a lease; ≤ 0: not yet. A machine that sleeps stops the
   * clock of the process, but not the lease.
   */
  overdueMs(partition: number): number {
    const renewed = this.#renewed.get(PARTITION_SLOTS[partition]?.lease ?? '');
    if (renewed === undefined) return Number.POSITIVE_INFINITY;
    const { time, virtualMs } = this.#thread;
    return Math.max(time.now() - renewed.untilMs, virtualMs - renewed.endMs);
  }

  /** Makes clients of Redis that are watched. */
  watched(redis: RedisDouble, route: RedisRoute): MakeClient {
    const makeClient = redis.clientsAt(route.placeOf(this.#thread));
    return (url, options) => new WatchedClient(makeClient(url, options), this);
  }

  /** A command is sent; the result, if there is one, gets the answer. */
  sent(args: readonly Argument[]): ((reply: unknown) => void) | undefined {
    const [script, , lease] = args;
    const key = String(lease);
    // What a process gives up it must not show from then on.
    if (script === SCRIPTS.release.sha1) this.#end(key, nameIn(args));
    if (script === SCRIPTS.give.sha1) {
      return (reply) => {
        if (Number(reply) > 0) this.#end(key, nameOf(nameIn(args)));
      };
    }
    if (script !== SCRIPTS.lease.sha1) return undefined;
    const name = nameIn(args);
    const renewed = {
      name,
      untilMs: this.#thread.time.now() + RELIED_ON * this.#leaseMs,
      endMs: this.#thread.virtualMs + this.#leaseMs,
    };
    return (reply) => {
      const isMine = (reply as unknown[])[0] === 1;
      // A grant that is expected from another process may still come.
      if (!isMine && !this.#had.has(name)) return;
      this.#had.add(name);
      if (!isMine) this.#end(key, name);
      else if (!this.#over.has(name)) this.#renew(key, renewed);
    };
  }

  #renew(key: string, { name, untilMs, endMs }: Renewed): void {
    const last = this.#renewed.get(key);
    this.#renewed.set(key, {
      name,
      untilMs: Math.max(untilMs, last?.untilMs ?? NEVER),
      endMs: Math.max(endMs, last?.endMs ?? NEVER),
    });
  }

  #end(key: string, name: string): void {
    if (this.#over.has(name)) return;
    this.#over.add(name);
    // What was reserved may be given up while another grant of the partition is held.
    if (this.#renewed.get(key)?.name === name) this.#renewed.delete(key);
  }
}

/** The name of the grant: the first argument behind the keys. */
function nameIn(args: readonly Argument[]): string {
  return String(args[KEYS_AT + Number(args[1])]);
}

class WatchedClient implements RedisClient {
  readonly #inner: RedisClient;
  readonly #watch: LeaseWatch;

  constructor(inner: RedisClient, watch: LeaseWatch) {
    this.#inner = inner;
    this.#watch = watch;
  }

  open(): void {
    this.#inner.open();
  }

  loadScripts(texts: readonly string[]): Promise<void> {
    return this.#inner.loadScripts(texts);
  }

  send(command: string, args: readonly Argument[]): Promise<unknown> {
    const answered = command === 'EVALSHA' ? this.#watch.sent(args) : undefined;
    const asked = this.#inner.send(command, args);
    if (answered === undefined) return asked;
    return asked.then((reply) => {
      answered(reply);
      return reply;
    });
  }

  limitCommands(ms: number): void {
    this.#inner.limitCommands(ms);
  }

  disconnect(how: 'for good' | 'connect again'): void {
    this.#inner.disconnect(how);
  }
}
