import type { StopTimer } from '../../src/time.ts';
import {
  type LockstepHello,
  type LockstepMessage,
  type LockstepPulse,
  ticksOf,
} from '../../src/twin/lockstep.ts';
import { CityModel } from './city-model.ts';
import type { FetchAssets } from './fetch-assets.ts';
import { Difference, FollowedWorld } from './followed-world.ts';
import { lockstepMessage } from './messages.ts';
import { inSlices, type Platform } from './platform.ts';
import { ReconnectingStream } from './reconnecting-stream.ts';
import { ServerClock } from './server-clock.ts';
import type { OpenSocket } from './socket.ts';
import type { StreamParameters, TwinAddress } from './twin-address.ts';

/**
 * The world is shown so many ticks behind the server's clock, and up to two more between two turns: most
 * changes are here before their ticks then.
 */
const BEHIND_TICKS = 2;
/** A pulse comes every 15 s. After so long without a message the stream is dead, and the world stands. */
const SILENCE_MS = 40_000;
/** A pulse may overtake the change that it tells of, by less than this. */
const OVERTAKEN_MS = 2000;
/** Hellos that cannot be used before that is told, such as without their assets. */
const ATTEMPTS_MAX = 3;
/** A world that is farther behind than ten minutes goes on from a later image, if the node has one. */
const FAR_TICKS = 30_000;
/** Between two looks at the clock: some 5 ms of work. */
export const CHUNK_TICKS = 1000;

export interface FollowerDependencies {
  readonly address: TwinAddress;
  readonly platform: Platform;
  readonly openSocket: OpenSocket;
  readonly fetchAssets: FetchAssets;
  /** Ends when assets may be loaded for a world that is at a tick. */
  mayLoad(tick: number): Promise<void>;
  isGone(): Promise<boolean>;
  /** A hello has come, and the world is at the present. `isNew`: it was read anew. */
  followed(followed: FollowedWorld, isNew: boolean): void;
  rolledBack(tick: number, ticks: number): void;
  /** What a message says of the journal agrees with what is lived here; or not. */
  agreed(): void;
  differed(difference: Difference): void;
  stored(incident: string, isExplained: boolean): void;
  watched(watchers: number): void;
  lost(): void;
  gone(): void;
  /** What a hello names cannot be used, or not be had. */
  unusable(error: unknown): void;
}

/** Takes the messages of a lockstep stream, one after the other, into a world that lives here. */
export class LockstepFollower {
  followed: FollowedWorld | undefined;
  readonly #dependencies: FollowerDependencies;
  readonly #clock = new ServerClock();
  readonly #stream: ReconnectingStream;
  /** Messages of earlier connections are passed over. */
  #connection = 0;
  #work: Promise<void> = Promise.resolve();
  /** The next hello must be a whole one. */
  #isFresh = true;
  /** It should be one, since it may have a later image. */
  #wantsImage = false;
  /** Of the world that is lived here. */
  #origin = '';
  #attempts = 0;
  #heardMs = 0;
  /** What the node's clock showed in the last hello, in ticks. */
  #helloTicks = 0;
  #stopWaiting: StopTimer | undefined;
  /** A computer that does not compute as it should gets everything anew. */
  #mustRebuild = false;

  constructor(dependencies: FollowerDependencies) {
    this.#dependencies = dependencies;
    const { platform, openSocket, address } = dependencies;
    this.#stream = new ReconnectingStream({
      platform,
      openSocket,
      silenceMs: SILENCE_MS,
      url: () => address.stream(this.#parameters()),
      received: (content) => this.#received(content),
      lost: () => this.#lost(),
      isGone: () => dependencies.isGone(),
      gone: () => dependencies.gone(),
    });
  }

  #parameters(): StreamParameters {
    const isWhole = this.#isFresh || this.#wantsImage;
    const known = isWhole ? undefined : this.followed?.known;
    const since = known && { since: String(known.seq), journal: known.journal };
    return { encoding: 'lockstep', ...since };
  }

  /** The tick of the server's clock, with its fraction; undefined before the first hello. */
  get serverTick(): number | undefined {
    return this.#clock.tickAt(this.#dependencies.platform.now());
  }

  /** The tick to which the world may be lived now. */
  get dueTick(): number {
    const { now } = this.#dependencies.platform;
    const tick = this.#clock.tickAt(Math.min(now(), this.#heardMs + SILENCE_MS));
    return tick === undefined ? 0 : Math.floor(tick - BEHIND_TICKS);
  }

  /**
   * Asks for a whole hello by a new connection, at once or after a pause.
   * @param mustRebuild also the kernel is made anew
   */
  restart(when: 'now' | 'later', mustRebuild = false): void {
    this.#isFresh = true;
    this.#mustRebuild ||= mustRebuild;
    this.#forgetConnection();
    if (when === 'now') this.#stream.restart();
    else this.#stream.fail();
  }

  /**
   * Opens the connection anew, where the last one had come to. The next hello begins the estimate of the
   * server's clock anew, since the clock of a computer may have stood still.
   */
  reconnect(): void {
    this.#forgetConnection();
    this.#stream.restart();
  }

  close(): void {
    this.#forgetConnection();
    this.#stream.close();
  }

  #lost(): void {
    this.#forgetConnection();
    this.#dependencies.lost();
  }

  #forgetConnection(): void {
    this.#connection++;
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
  }

  // ── messages ────────────────────────────────────────────────────────────────────────────────

  #received(content: string | Uint8Array): void {
    const message = lockstepMessage(content);
    if (message === undefined) return;
    this.#heardMs = this.#dependencies.platform.now();
    if (message.type === 'hello') this.#clock.reset();
    if ('fraction' in message) this.#clock.read(ticksOf(message), this.#heardMs);
    const connection = this.#connection;
    const isCurrent = () => connection === this.#connection;
    this.#work = this.#work
      .then(() => (isCurrent() ? this.#take(message, isCurrent) : undefined))
      .catch((error) => (isCurrent() ? this.#failed(error) : undefined));
  }

  #failed(error: unknown): void {
    const { differed, unusable } = this.#dependencies;
    if (error instanceof Difference) differed(error);
    else if (++this.#attempts < ATTEMPTS_MAX) this.#stream.fail();
    else unusable(error);
  }

  async #take(message: LockstepMessage, isCurrent: () => boolean): Promise<void> {
    const { stored, watched } = this.#dependencies;
    if (message.type === 'hello') {
      await this.#hello(message, isCurrent);
      if (isCurrent()) watched(message.watchers);
    } else if (message.type === 'change') {
      this.#rolledBack(this.followed?.change(message) ?? 0);
    } else if (message.type === 'pulse') {
      this.#pulse(message);
      watched(message.watchers);
    } else stored(message.id, message.explained);
  }

  #rolledBack(ticks: number): void {
    if (ticks === 0 || this.followed === undefined) return;
    this.#dependencies.rolledBack(this.followed.world.tick - ticks, ticks);
  }

  async #hello(hello: LockstepHello, isCurrent: () => boolean): Promise<void> {
    this.#helloTicks = ticksOf(hello);
    const { followed } = this;
    if (followed !== undefined && this.#goesOn(followed, hello)) {
      if (hello.resumed && hello.tick - followed.world.tick > FAR_TICKS) return this.#askForImage();
      this.#wantsImage = false;
      this.#rolledBack(followed.resume(hello));
      this.#dependencies.followed(followed, false);
      this.#compare(hello);
      return;
    }
    const next = await this.#read(hello, isCurrent);
    if (!isCurrent()) return next.world.close();
    const before = this.followed;
    this.followed = next;
    this.#origin = originOf(hello);
    this.#isFresh = false;
    this.#wantsImage = false;
    this.#attempts = 0;
    this.#dependencies.followed(next, true);
    before?.world.close();
    // A hello with an image has no more than the hash itself to compare.
    if (hello.image === null) this.#compare(hello);
  }

  /** Whether a hello leads on from what is lived here: the world has not started over, and nothing in it is later. */
  #goesOn({ world }: FollowedWorld, hello: LockstepHello): boolean {
    const { resumed, image, start } = hello;
    if (originOf(hello) !== this.#origin) return false;
    return resumed || (!this.#isFresh && (image ?? start).tick <= world.tick);
  }

  #askForImage(): void {
    this.#wantsImage = true;
    this.#forgetConnection();
    this.#stream.restart();
  }

  /** The world of a whole hello, at the present. */
  async #read(hello: LockstepHello, isCurrent: () => boolean): Promise<FollowedWorld> {
    const { platform, fetchAssets, mayLoad, address } = this.#dependencies;
    await mayLoad(hello.tick);
    const assets = await fetchAssets(address, hello);
    const model = await CityModel.of(this.#mustRebuild ? { ...assets } : assets);
    this.#mustRebuild = false;
    const next = await FollowedWorld.of(hello, model, platform);
    try {
      await inSlices(this.#catchUp(next, isCurrent), platform);
      return next;
    } catch (error) {
      next.world.close();
      throw error;
    }
  }

  /** Ends early if its hello is no longer of use: the next one waits for it. */
  *#catchUp({ world }: FollowedWorld, isCurrent: () => boolean): Generator<void, void, void> {
    while (isCurrent() && world.tick < this.dueTick) {
      world.step(Math.min(this.dueTick - world.tick, CHUNK_TICKS));
      yield;
    }
  }

  #pulse(pulse: LockstepPulse): void {
    // What was sent before the hello was made says nothing of it.
    if (ticksOf(pulse) >= this.#helloTicks) this.#compare(pulse);
  }

  #compare(told: Pick<LockstepPulse, 'seq' | 'journal' | 'hash'>): void {
    const agrees = this.followed?.agrees(told);
    // Where changes are still missing there is a next time.
    if (agrees && told.hash !== undefined) this.followed?.expect(told.hash);
    if (agrees) this.#dependencies.agreed();
    else if (agrees === false) {
      this.#dependencies.differed(new Difference('the journals differ', false));
    } else if (this.followed && told.seq > this.followed.world.seq) this.#awaitChange(told.seq);
  }

  #awaitChange(seq: number): void {
    this.#stopWaiting ??= this.#dependencies.platform.after(OVERTAKEN_MS, () => {
      this.#stopWaiting = undefined;
      if ((this.followed?.world.seq ?? 0) >= seq) return;
      this.#dependencies.differed(new Difference(`change ${seq} did not come`, true));
    });
  }
}

/** What the world of a hello began with: another kernel or another start make another world. */
function originOf({ kernel, start }: LockstepHello): string {
  return `${kernel} ${start.tick} ${start.seq}`;
}
