import { TICK_MS } from '../../assembly/layout.ts';
import { TwinError } from '../../src/errors.ts';
import type { StopTimer } from '../../src/time.ts';
import { type FetchJournal, fetchJournal, livePast } from './earlier-past.ts';
import { logFault } from './fault-log.ts';
import { type FetchAssets, fetchAssets } from './fetch-assets.ts';
import { Difference } from './followed-world.ts';
import { FrameQueue, type QueueOptions } from './frame-queue.ts';
import { isWorldGone, openFrameStream } from './frame-stream.ts';
import type { LiveEvent, LiveState } from './live-events.ts';
import type { LocalWorld } from './local-world.ts';
import { CHUNK_TICKS, LockstepFollower } from './lockstep-follower.ts';
import { nextMultiple } from './next-multiple.ts';
import { type Platform, systemPlatform } from './platform.ts';
import { type OpenSocket, openWebSocket } from './socket.ts';
import { TwinAddress, type WatchedWorld } from './twin-address.ts';
import type { Snapshot } from './types.ts';

/** Events and incidents are told when they are so old: half a second. */
const TOLD_TICKS = 25;
/** A turn that steps for longer lets others run, ms. */
const TURN_MS = 8;
/** Readers get the frames of so many ticks at most, if the world has fallen behind. */
const SHOWN_TICKS = 50;
/** A second difference within this time leads to the node's snapshots, for as long. */
const DIFFERENCE_MS = 600_000;
/** Connections without a snapshot before these count as refused. */
const ATTEMPTS_MAX = 3;

export interface LiveDependencies {
  platform: Platform;
  openSocket: OpenSocket;
  fetchAssets: FetchAssets;
  /** Ends when assets may be loaded for a world that is at a tick. */
  mayLoad(tick: number): Promise<void>;
  fetchJournal: FetchJournal;
  isGone(address: TwinAddress): Promise<boolean>;
}

const SYSTEM: LiveDependencies = {
  platform: systemPlatform,
  openSocket: openWebSocket,
  fetchAssets,
  mayLoad: async () => {},
  fetchJournal,
  isGone: isWorldGone,
};

/**
 * A world of a node that lives here too: the node tells only what changes. What is lived is compared with
 * what the node says, and there are ways on if it differs: a new beginning, the node's snapshots, or the
 * world as it is, called unverified.
 */
export class LiveWorld {
  /** Resolves when the world is shown for the first time; rejects if it has ended before. */
  readonly ready: Promise<void>;
  readonly #dependencies: LiveDependencies;
  readonly #address: TwinAddress;
  readonly #queues = new Set<FrameQueue>();
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  readonly #shown = Promise.withResolvers<void>();
  #follower: LockstepFollower | undefined;
  /** The node's frames, and the newest of them. */
  #frames: { close(): void } | undefined;
  #frame: Snapshot | undefined;
  #state: LiveState = 'connecting';
  #isUnverified = false;
  /** By the last check of what this computer computes. */
  #computesWrong = false;
  /** Times of the differences of late. */
  #differences: number[] = [];
  /** What was noticed last. */
  #fault = '';
  #toldTick = 0;
  #watchers = 0;
  #stopTurn: StopTimer | undefined;
  #stopRetry: StopTimer | undefined;

  constructor(world: WatchedWorld, dependencies: Partial<LiveDependencies> = {}) {
    this.#dependencies = { ...SYSTEM, ...dependencies };
    this.#address = new TwinAddress(world);
    this.ready = this.#shown.promise;
    // Whoever does not wait for it hears of it by the state.
    this.ready.catch(() => {});
    this.#follow();
  }

  get state(): LiveState {
    return this.#state;
  }

  /** The world that lives here; undefined before the first hello, and while the node's snapshots are shown. */
  get world(): LocalWorld | undefined {
    return this.#follower?.followed?.world;
  }

  /** Clients that watch the world, as far as is known. */
  get watchers(): number {
    return this.#watchers;
  }

  /** The tick of the server's clock, with its fraction; undefined if it is not known. */
  get serverTick(): number | undefined {
    return this.#follower?.serverTick;
  }

  /** That of what is lived here, or else of the node. */
  get #tick(): number {
    return this.world?.tick ?? Math.floor(this.serverTick ?? 0);
  }

  /** Up to this tick events and incidents are told: later ones may still turn out otherwise. */
  get toldTick(): number {
    return this.#toldTick;
  }

  /**
   * Lives what lies before the first state that the node has sent, by its journal, while others run: then all
   * of the world's life is known. False if the world was read anew meanwhile, or if that has led elsewhere.
   * Rejects if the journal cannot be read.
   */
  async knowWholeLife(): Promise<boolean> {
    const { world } = this;
    if (world === undefined) return false;
    if (world.knowsAll) return true;
    const { platform, fetchJournal } = this.#dependencies;
    const changes = await fetchJournal(this.#address);
    return await livePast(world, changes, platform, () => world === this.world);
  }

  /** The newest state; undefined before there is one. */
  snapshot(): Snapshot | undefined {
    return this.world?.snapshot() ?? this.#frame;
  }

  /**
   * The states from now on. A reader that is too slow misses those before the newest. Ends with the world,
   * with `close` or by the signal.
   */
  snapshots(options: QueueOptions = {}): AsyncGenerator<Snapshot, void, undefined> {
    const queue = new FrameQueue(options);
    if (this.#state === 'ended') queue.end();
    else this.#queues.add(queue);
    return this.#reading(queue);
  }

  async *#reading(queue: FrameQueue): AsyncGenerator<Snapshot, void, undefined> {
    try {
      yield* queue.read();
    } finally {
      this.#queues.delete(queue);
    }
  }

  /** Calls a listener with all that happens, until the returned function is called. */
  subscribe(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What a listener throws is no fault of the world or of its stream: it is thrown where nothing awaits it. */
  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Connects again at once: after the computer has slept, or when the network is back. */
  reconnect(): void {
    this.#follower?.reconnect();
    this.#lost();
  }

  close(): void {
    this.#end(undefined);
  }

  #end(error: TwinError | undefined): void {
    if (this.#state === 'ended') return;
    this.#stopTurn?.();
    this.#stopRetry?.();
    this.#frames?.close();
    this.#unfollow();
    this.#enter('ended');
    this.#shown.reject(error ?? new Error('the world was closed'));
    for (const queue of this.#queues) queue.end(error);
  }

  #enter(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state !== 'connecting' && state !== 'ended') this.#shown.resolve();
    this.#tell({ type: 'state', state });
  }

  // ── the lockstep stream ─────────────────────────────────────────────────────────────────────

  #follow(): void {
    const { platform, openSocket, fetchAssets, mayLoad, isGone } = this.#dependencies;
    const address = this.#address;
    this.#follower = new LockstepFollower({
      ...{ address, platform, openSocket, fetchAssets, mayLoad },
      isGone: () => isGone(address),
      followed: (_, isNew) => this.#followed(isNew),
      rolledBack: (tick, ticks) => this.#tell({ type: 'rollback', tick, ticks }),
      agreed: () => this.#agreed(),
      differed: (difference) => this.#differed(difference),
      stored: (incident, isExplained) => this.#tell({ type: 'stored', incident, isExplained }),
      watched: (watchers) => this.#watched(watchers),
      lost: () => this.#lost(),
      gone: () => this.#end(new TwinError('unknown_world')),
      unusable: (error) => this.#unusable(error),
    });
  }

  #unfollow(): void {
    const world = this.world;
    this.#follower?.close();
    this.#follower = undefined;
    world?.close();
  }

  #followed(isNew: boolean): void {
    if (isNew) {
      this.#frames?.close();
      this.#frames = undefined;
      this.#stopRetry?.();
      this.#computesWrong = false;
      // What happened while nothing was lived here is no news.
      const { firstTick, tick } = this.world ?? { firstTick: 0, tick: 0 };
      const wasLived = this.#state !== 'connecting' && this.#state !== 'fallback';
      this.#toldTick = wasLived ? Math.max(this.#toldTick, firstTick - TOLD_TICKS) : tick;
      if (this.#state !== 'connecting') this.#tell({ type: 'restart' });
    }
    this.#enter(this.#isUnverified ? 'unverified' : 'live');
    this.#turn();
  }

  #lost(): void {
    if (this.#state === 'live' || this.#state === 'verified') this.#enter('reconnecting');
  }

  #watched(watchers: number): void {
    if (watchers === this.#watchers) return;
    this.#watchers = watchers;
    this.#tell({ type: 'watchers', watchers });
  }

  // ── comparing ───────────────────────────────────────────────────────────────────────────────

  #agreed(): void {
    if (this.#computesWrong || this.#frames !== undefined) return;
    this.#isUnverified = false;
    this.#enter('verified');
  }

  #differed({ message: reason, needsHello, tick = this.#tick }: Difference): void {
    if (this.#frames !== undefined) return;
    // The node says it again with each pulse where the world goes on although it differs.
    if (!this.#isUnverified || reason !== this.#fault) logFault(this.#address.world, tick, reason);
    this.#fault = reason;
    this.#tell({ type: 'difference', tick, reason });
    if (this.#isUnverified) {
      if (needsHello) this.#follower?.restart('later');
      return;
    }
    const nowMs = this.#dependencies.platform.now();
    this.#differences = this.#differences.filter((atMs) => atMs > nowMs - DIFFERENCE_MS);
    this.#differences.push(nowMs);
    if (this.#differences.length > 1) this.#fallBack();
    else {
      this.#enter('live');
      this.#follower?.restart('now', this.#computesWrong);
    }
  }

  #checkItself(): void {
    const isRight = this.world?.selfCheck();
    if (isRight === undefined) return;
    this.#computesWrong = !isRight;
    if (!isRight) this.#differed(new Difference('ten seconds, lived again, led elsewhere', false));
  }

  /** By the same journal a node and a client live the same world: whatever differs is a defect of one of them. */
  #audit(): void {
    const difference = this.#follower?.followed?.audit();
    if (difference === undefined) return;
    this.#computesWrong = true;
    this.#differed(difference);
  }

  #unusable(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    logFault(this.#address.world, this.#tick, `it cannot be lived here: ${why}`);
    this.#fallBack();
  }

  /** The node's snapshots take over when the first of them comes. */
  #fallBack(): void {
    const { platform, openSocket, isGone } = this.#dependencies;
    this.#stopRetry?.();
    this.#stopRetry = platform.after(DIFFERENCE_MS, () => this.#tryAgain());
    // They are there if it was this that was tried again.
    if (this.#frames !== undefined) return;
    const address = this.#address;
    let attempts = 0;
    this.#frames = openFrameStream({
      ...{ address, encoding: 'msgpack', platform, openSocket },
      isGone: () => isGone(address),
      received: (snapshot) => this.#received(snapshot),
      lost: () => {
        const isRefused = this.#state !== 'fallback' && ++attempts >= ATTEMPTS_MAX;
        if (isRefused && this.world !== undefined) this.#goOnUnverified();
      },
      gone: (error) => this.#end(error),
    });
  }

  #received(snapshot: Snapshot): void {
    this.#frame = snapshot;
    if (this.#state !== 'fallback') {
      this.#stopTurn?.();
      this.#unfollow();
      this.#enter('fallback');
    }
    for (const queue of this.#queues) queue.push(snapshot);
  }

  #goOnUnverified(): void {
    this.#frames?.close();
    this.#frames = undefined;
    this.#stopRetry?.();
    this.#isUnverified = true;
    this.#enter('unverified');
    this.#follower?.restart('now');
  }

  #tryAgain(): void {
    this.#differences = [];
    this.#unfollow();
    this.#follow();
  }

  // ── living ──────────────────────────────────────────────────────────────────────────────────

  readonly #turn = (): void => {
    this.#stopTurn?.();
    const { world } = this;
    const follower = this.#follower;
    if (world === undefined || follower === undefined) return;
    try {
      this.#live(world, follower);
    } finally {
      const isBehind = world.tick < follower.dueTick;
      const fraction = (follower.serverTick ?? 0) % 1;
      const waitMs = isBehind ? 0 : (1 - fraction) * TICK_MS;
      // A difference may have ended all of this.
      if (world === this.world) {
        this.#stopTurn = this.#dependencies.platform.after(waitMs, this.#turn);
      }
    }
  };

  #live(world: LocalWorld, follower: LockstepFollower): void {
    const { platform } = this.#dependencies;
    const endMs = platform.now() + TURN_MS;
    while (world.tick < follower.dueTick && platform.now() < endMs) {
      this.#step(world, follower.dueTick);
    }
    // What was missed is told at once, when the world has come to the present.
    if (follower.dueTick - world.tick <= SHOWN_TICKS) this.#tellOfLate(world);
    this.#checkItself();
    this.#audit();
  }

  /** Steps towards a tick; stops where a reader gets a snapshot. */
  #step(world: LocalWorld, target: number): void {
    const everyTicks = Math.min(CHUNK_TICKS, ...[...this.#queues].map((each) => each.everyTicks));
    const isShown = target - world.tick <= SHOWN_TICKS;
    const stop = isShown
      ? nextMultiple(world.tick, everyTicks)
      : Math.min(world.tick + CHUNK_TICKS, target - SHOWN_TICKS);
    world.step(Math.min(target, stop) - world.tick);
    const due = [...this.#queues].filter((queue) => world.tick % queue.everyTicks === 0);
    if (!isShown || due.length === 0) return;
    const snapshot = world.snapshot();
    for (const queue of due) queue.push(snapshot);
  }

  #tellOfLate(world: LocalWorld): void {
    const untilTick = world.tick - TOLD_TICKS;
    if (untilTick <= this.#toldTick) return;
    const { events, incidents } = world.happened(this.#toldTick, untilTick);
    this.#toldTick = untilTick;
    for (const event of events) this.#tell({ type: 'event', event });
    for (const incident of incidents) this.#tell({ type: 'incident', incident });
  }
}
