import { GO, HAND, type Handed, type MovingWorlds } from '../cluster/handover.ts';
import type { Ranges } from '../cluster/ranges.ts';
import { keys } from '../dealer/records.ts';
import { Fanout } from '../http/twin/fanout.ts';
import type { LinkHandlers } from '../link/contract.ts';
import type { MakeThread } from '../shard/shard-thread.ts';
import {
  type Claims,
  type Entry,
  type Grant,
  type Heartbeats,
  type Key,
  RELIED_ON,
  type Reservation,
  type Store,
  StoreUnavailable,
} from '../store/contract.ts';
import type { MakeClient } from '../store/redis/redis-client.ts';
import type { Time } from '../time.ts';
import { partitionOf } from '../twin/ids.ts';
import type { HeldPartitions, PartitionedWorlds } from '../worlds/held-partitions.ts';
import { OwnedWorld } from '../worlds/owned-world.ts';
import { Records } from '../worlds/records.ts';
import { Worlds, type WorldsDependencies } from '../worlds/worlds.ts';
import { withAnsweredVersions, withShortJournals } from './broken-stores.ts';
import { claimsWith, handoversWith, movingWith, storeWith } from './changed-parts.ts';
import type { Invariant } from './violation.ts';

/**
 * A build that is broken on purpose, to show that its invariant is checked. Parts of the product are wrapped
 * where a simulated node is put together, so that nothing of it is in the product.
 */
export interface Mutant {
  name: string;
  /** What must fail. */
  invariant: Invariant;
  /** Commits of whoever does not hold a partition: `made` under its own name, or `disguised` as the holder. */
  unfenced?: 'made' | 'disguised';
  /** Of Redis. */
  client?(makeClient: MakeClient): MakeClient;
  claims?(claims: Claims, time: Time): Claims;
  /** `silentMs`: of a process, by the clock of Redis. */
  store?(store: Store, parts: MutantParts): Store;
  /** That of the dealer platform. */
  dealerStore?(store: Store): Store;
  /** Changes them in place. */
  ranges?(ranges: Ranges): void;
  held?(ranges: HeldPartitions): HeldPartitions;
  leaving?(worlds: Worlds): PartitionedWorlds;
  /** How far the clock of a node is ahead when it begins to serve. */
  clockAheadMs?(node: string): number;
  Worlds?: new (dependencies: WorldsDependencies) => Worlds;
  thread?(makeThread: MakeThread): MakeThread;
  /** What a node does for others. */
  handlers?(handlers: LinkHandlers): LinkHandlers;
  /** As they come from other nodes and go there. */
  moving?(worlds: MovingWorlds, time: Time): MovingWorlds;
  Fanout?: typeof Fanout;
  /** Nodes tell each other no other build than the first one. */
  hidesBuilds?: boolean;
  /** Nodes tell each other no other kernel than the first one. */
  hidesKernels?: boolean;
}

/** What a mutant may use. */
export interface MutantParts {
  time: Time;
  leaseMs: number;
  /** Since the last heartbeat of a process, by the clock of Redis. */
  silentMs: (process: string) => number;
}

const RETRY_MS = 20;
/** A give that takes longer is looked into. */
const READ_MS = 0.5;
/** So old are copies at least, so that more changes come after them. */
const STALE_MS = 100;

/** Claims whose grants are changed in place: the store knows them by identity. */
function withGrants(inner: Claims, change: (grant: Grant) => Partial<Grant>): Claims {
  const changed = (grant: Grant) => Object.assign(grant, change(grant));
  return claimsWith(inner, {
    async take(partition, what) {
      const answer = await inner.take(partition, what);
      return 'epoch' in answer ? changed(answer) : answer;
    },
    ...handoversWith(inner, (handovers) => ({
      async accept(reservation) {
        const grant = await handovers.accept(reservation);
        return grant && changed(grant);
      },
    })),
  });
}

/** A give whose outcome is not known soon counts as kept, if the lease is still there. */
function thawedAfterRead(inner: Claims, time: Time): Claims {
  return claimsWith(
    inner,
    handoversWith(inner, (handovers) => ({
      async give(grant, token) {
        const given = handovers.give(grant, token);
        const isLate = await Promise.race([
          given.then(() => false),
          time.sleep(READ_MS).then(() => true),
        ]);
        if (!isLate || (await inner.renew([grant])).length > 0) return given;
        return 'kept';
      },
    })),
  );
}

/** A receiver that has all worlds shows them, whether the store has given it the partition or not. */
function startedBeforeGo(inner: Claims, time: Time): Claims {
  const lifeMs = RELIED_ON * (inner.leaseMs ?? 0);
  return claimsWith(
    inner,
    handoversWith(inner, (handovers) => ({
      async accept(reservation) {
        const { grant } = reservation as Reservation & { grant: Grant };
        const askedMs = time.now();
        const untilMs = askedMs + lifeMs;
        Object.assign(grant, {
          askedMs: () => askedMs,
          untilMs: () => (isLost(grant) ? Number.NEGATIVE_INFINITY : untilMs),
          latestReadingMs: () => Number.POSITIVE_INFINITY,
        });
        // From then on it is as it should be, if it was given.
        const restore = () => {
          for (const name of ['askedMs', 'untilMs', 'latestReadingMs']) {
            Reflect.deleteProperty(grant, name);
          }
        };
        handovers.accept(reservation).then(restore, restore);
        return grant;
      },
    })),
  );
}

/** A receiver goes on as soon as it has all worlds. */
function goingAtHand(inner: LinkHandlers): LinkHandlers {
  return {
    ...inner,
    async called(from, kind, value) {
      const answer = await inner.called(from, kind, value);
      if (kind === HAND) inner.noted(from, GO, (value as Handed).token);
      return answer;
    },
  };
}

/** So late the receiver hears of it, in shares of what a lease is relied on. */
const HEARD_LATE = 0.2;

/** What was given is relied on from when the receiver hears of it, not from when it asked. */
function countedFromGo(inner: Claims, time: Time): Claims {
  const lifeMs = RELIED_ON * (inner.leaseMs ?? 0);
  return claimsWith(
    inner,
    handoversWith(inner, (handovers) => ({
      async accept(reservation) {
        const grant = await handovers.accept(reservation);
        const ownMs = grant?.untilMs.bind(grant);
        if (grant === undefined || ownMs === undefined) return undefined;
        await time.sleep(HEARD_LATE * lifeMs);
        const untilMs = time.now() + lifeMs;
        return Object.assign(grant, {
          untilMs: () => (isLost(grant) ? Number.NEGATIVE_INFINITY : Math.max(ownMs(), untilMs)),
        });
      },
    })),
  );
}

/** What is accepted of the worlds and not stored yet does not go along. */
function undrained(inner: MovingWorlds): MovingWorlds {
  const { settled } = OwnedWorld.prototype;
  return movingWith(inner, {
    handOut(...asked) {
      OwnedWorld.prototype.settled = async () => {};
      try {
        // Asks all worlds before it waits for the first time.
        return inner.handOut(...asked);
      } finally {
        OwnedWorld.prototype.settled = settled;
      }
    },
  });
}

/** Worlds go on from their copies, whatever has changed since then. */
function withStaleCopies(inner: MovingWorlds, time: Time): MovingWorlds {
  return movingWith(inner, {
    async freeze(partition) {
      await time.sleep(STALE_MS);
      await inner.freeze(partition);
    },
    async handOut(partition, isGivenUp, copies) {
      const worlds = await inner.handOut(partition, isGivenUp, copies);
      return worlds.map((world) => {
        const { number, frozen } = world;
        if (frozen === null || !copies.has(number)) return world;
        return { ...world, frozen: { ...frozen, bytes: new Uint8Array(0) } };
      });
    },
  });
}

/** Sends frames again that were sent. */
class RepeatingFanout extends Fanout {
  override join(...args: Parameters<Fanout['join']>): ReturnType<Fanout['join']> {
    const watcher = super.join(...args);
    return Object.defineProperty(watcher, 'lastTick', { get: () => -1, set() {} });
  }
}

function withoutMarks(inner: Claims): Claims {
  return withGrants(inner, () => ({
    floorMs: 0,
    latestReadingMs: () => Number.POSITIVE_INFINITY,
  }));
}

/** By this factor renewals are rarer: before the end of a lease, but whoever has lost one hears late of it. */
const LATE_RENEWALS = 2.5;

/** The clocks of nodes are this far apart: a mark allows for any distance. */
const APART_MS = 4000;

function isLost(grant: Grant): boolean {
  return (grant as Grant & { isLost?: boolean }).isLost === true;
}

function deadlineFromAnswer(inner: Claims, time: Time): Claims {
  const lifeMs = RELIED_ON * (inner.leaseMs ?? 0);
  const answered = new Map<Grant, number>();
  const untilMs = (grant: Grant) =>
    isLost(grant) ? Number.NEGATIVE_INFINITY : (answered.get(grant) ?? 0) + lifeMs;
  return claimsWith(inner, {
    async take(partition, what) {
      const answer = await inner.take(partition, what);
      if (!('epoch' in answer)) return answer;
      answered.set(answer, time.now());
      return Object.assign(answer, { untilMs: () => untilMs(answer) });
    },
    async renew(grants) {
      const lost = await inner.renew(grants);
      for (const grant of grants) answered.set(grant, time.now());
      return lost;
    },
  });
}

/** Who is silent by the clock of Redis counts as gone. */
function withoutSilent(inner: Heartbeats, { silentMs, leaseMs }: MutantParts): Heartbeats {
  return {
    process: inner.process,
    get lossCount() {
      return inner.lossCount;
    },
    async send(value, readingMs) {
      const view = await inner.send(value, readingMs);
      const living = [...view.nodes].filter(([process]) => silentMs(process) <= leaseMs);
      return { ...view, nodes: new Map(living) };
    },
    leave: () => inner.leave(),
  };
}

function retried(inner: Store, { time }: MutantParts): Store {
  return storeWith(inner, {
    async commit(...commit) {
      try {
        return await inner.commit(...commit);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || error.reason !== 'unknown') throw error;
        await time.sleep(RETRY_MS);
        return inner.commit(...commit);
      }
    },
  });
}

/** Grants that are always the current ones. */
function grantsForEver(ranges: HeldPartitions): HeldPartitions {
  const grants = new Map<number, Grant>();
  const current = (partition: number) => {
    const found = grants.get(partition);
    if (found !== undefined) return found;
    const first = ranges.grantOf(partition);
    if (first === undefined) return undefined;
    const grant = new Proxy(first, {
      get: (last, name) => Reflect.get(ranges.grantOf(partition) ?? last, name),
    });
    grants.set(partition, grant);
    return grant;
  };
  return {
    grantOf: (partition) => (ranges.grantOf(partition) ? current(partition) : undefined),
    isShown: (partition, nowMs) => ranges.isShown(partition, nowMs),
    shown: () => ranges.shown(),
  };
}

/** What was read of worlds stays, whoever writes to them meanwhile. */
function keepingWorlds(worlds: Worlds): PartitionedWorlds {
  return { suspend: (partitions) => worlds.suspend(partitions), leave: async () => {} };
}

/** In slots: how much shorter the idle time of the node is. */
const SHORTER_SLOTS = 10;

/** Deletes what is due in all partitions, by an idle time that is shorter than that of others. */
class SweepingWorlds extends Worlds {
  readonly #store: Store;
  readonly #ranges: HeldPartitions;

  constructor(dependencies: WorldsDependencies) {
    super(dependencies);
    this.#store = dependencies.store;
    this.#ranges = dependencies.ranges;
  }

  override listDue(...[partition, range]: Parameters<Worlds['listDue']>) {
    if (this.#ranges.grantOf(partition) !== undefined) return super.listDue(partition, range);
    return super.listDue(partition, { ...range, before: range.before + SHORTER_SLOTS });
  }

  override recordsOf(partition: number): Records | undefined {
    const own = super.recordsOf(partition);
    const [held] = this.#ranges.shown();
    const grant = held === undefined ? undefined : this.#ranges.grantOf(held);
    if (own !== undefined || grant === undefined) return own;
    return new Records(this.#store, Object.create(grant, { partition: { value: partition } }));
  }

  override async drop(number: number): Promise<void> {
    const partition = partitionOf(number);
    if (this.#ranges.grantOf(partition) !== undefined) await super.drop(number);
    else await this.recordsOf(partition)?.remove(number);
  }
}

function withoutHolds(makeThread: MakeThread): MakeThread {
  return (start, listener) => {
    const thread = makeThread(start, listener);
    const command = thread.command.bind(thread);
    return Object.assign(thread, {
      command: (each: Parameters<typeof command>[0]) => {
        if (each.kind !== 'hold') command(each);
      },
    });
  };
}

/** What was known once is known for ever. */
function withFirstRevision(inner: Store): Store {
  const revision = JSON.stringify(keys.revision);
  let first: Entry<unknown> | undefined;
  return storeWith(inner, {
    async get<T>(key: Key): Promise<Entry<T> | undefined> {
      if (JSON.stringify(key) !== revision) return inner.get<T>(key);
      first ??= await inner.get<T>(key);
      return first as Entry<T> | undefined;
    },
  });
}

export const MUTANTS: readonly Mutant[] = [
  { name: 'no fence', invariant: 'I1', unfenced: 'made' },
  {
    name: 'no deadline',
    invariant: 'I4',
    claims: (inner) =>
      withGrants(inner, (grant) => ({
        untilMs: () => (isLost(grant) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
      })),
  },
  { name: 'deadline from the answer', invariant: 'I4', claims: deadlineFromAnswer },
  {
    name: 'no mark',
    invariant: 'I3',
    claims: withoutMarks,
    clockAheadMs: (node) => APART_MS * Number(node.slice(1)),
  },
  {
    name: 'loads that outlive their grant',
    invariant: 'I5',
    held: grantsForEver,
    leaving: keepingWorlds,
  },
  {
    name: "expiry trusted to Redis' clock",
    invariant: 'I9',
    // A mark, what the next holder tells, or a look at the leases once the right to write is gone would
    // keep the two apart all the same.
    ranges: (ranges) => {
      ranges.outdated = () => {};
    },
    claims: (inner) =>
      claimsWith(withoutMarks(inner), {
        renewalMs: inner.renewalMs && LATE_RENEWALS * inner.renewalMs,
        take: (partition) => withoutMarks(inner).take(partition, 'expired'),
        onTrouble() {},
      }),
    store: (inner, parts) =>
      storeWith(inner, { heartbeats: inner.heartbeats && withoutSilent(inner.heartbeats, parts) }),
  },
  { name: 'blind retry of writes', invariant: 'I5', store: retried },
  {
    name: 'idle sweep of foreign partitions',
    invariant: 'I11',
    unfenced: 'disguised',
    Worlds: SweepingWorlds,
  },
  { name: 'no hold', invariant: 'I5', thread: withoutHolds },
  {
    name: 'sessions without a look at the store',
    invariant: 'I12',
    dealerStore: withFirstRevision,
  },
  { name: 'thaw after a mere read of the lease', invariant: 'I8', claims: thawedAfterRead },
  { name: 'start before go', invariant: 'I4', claims: startedBeforeGo, handlers: goingAtHand },
  { name: 'deadline counted from go', invariant: 'I4', claims: countedFromGo },
  { name: 'no drain of appends', invariant: 'I5', moving: undrained },
  { name: 'copies in spite of changes', invariant: 'I5', moving: withStaleCopies },
  { name: 'no dropping of duplicates', invariant: 'I3', Fanout: RepeatingFanout },
  { name: 'newer to older build', invariant: 'I14', hidesBuilds: true },
  { name: 'handover to another kernel', invariant: 'I5', hidesKernels: true },
  {
    name: 'answer before the store',
    invariant: 'I4',
    store: (inner) =>
      storeWith(inner, {
        commit(...commit) {
          inner.commit(...commit).catch(() => {});
          return Promise.resolve(true);
        },
      }),
  },
  { name: 'journals cut at an image', invariant: 'I2', store: withShortJournals },
  {
    name: "an older connection's writes unseen",
    invariant: 'I2',
    client: withAnsweredVersions,
  },
];
