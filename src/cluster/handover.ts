import { TwinError } from '../errors.ts';
import { Histogram } from '../histogram.ts';
import type { Link, LinkAnswer } from '../link/contract.ts';
import type { Log } from '../log.ts';
import type { Reservation } from '../store/contract.ts';
import type { StopTimer, Time } from '../time.ts';
import type { CopiedWorld, HandedWorld } from '../worlds/handed-world.ts';
import type { Copies } from '../worlds/world-handover.ts';
import type { Ranges } from './ranges.ts';
import type { Relay } from './relay-server.ts';

export const RESERVE = 'reserve';
export const COPY = 'copy';
export const HAND = 'hand';
export const GO = 'go';
export const ABORT = 'abort';

/** Nothing is shown of a partition from when its worlds are frozen: it must not take longer. */
const PREPARE_MS_MAX = 1000;
/** Worlds that are not copied by then are sent as they stand still: the first copies would become too old. */
const COPYING_MS_MAX = 250;
const COPIES_AT_ONCE = 4;
/** A message gets worlds until it is so long: to pack more would hold up the main thread. */
const MESSAGE_BYTES = 200_000;
/** What a world takes without its state. */
const RECORD_BYTES = 1500;
/** Messages on their way at a time. */
const MESSAGES_AT_ONCE = 8;
/** A receiver that has everything looks so soon, and then so often, whether the partition is its own. */
const LOOK_MS = 100;
/** A reservation of which nothing is heard for so long is given up. */
const RESERVED_MS = 2000;

/** Why a partition was kept whose receiver is taking another one, or takes none. */
export const TAKES_NONE = 'the node takes no partition now';

/** The worlds of this node, as they go to others and come from them. See `WorldHandover`. */
export interface MovingWorlds {
  copies(partition: number): AsyncIterable<readonly CopiedWorld[]>;
  freeze(partition: number): Promise<void>;
  handOut(
    partition: number,
    isGivenUp: () => boolean,
    copies: Copies,
  ): Promise<readonly HandedWorld[]>;
  thaw(partition: number): Promise<void>;
  prepare(token: string, copies: readonly CopiedWorld[]): Promise<readonly number[]>;
  discard(token: string): void;
  takeIn(token: string, worlds: readonly HandedWorld[], taken: (world: number) => void): void;
}

export interface HandoverDependencies {
  link: Pick<Link, 'call' | 'note'>;
  ranges: Pick<
    Ranges,
    'setHidden' | 'give' | 'leaveGiven' | 'grantOf' | 'reserve' | 'accept' | 'cancel'
  >;
  worlds: () => MovingWorlds;
  relays: {
    /** The other nodes that show worlds of a partition. */
    of(partition: number): readonly Relay[];
    /** Sends a node the frames of a world that this one has taken in. Throws TwinError. */
    expect(relay: Relay): void;
    /** Worlds of a partition are about to leave: their next node sends their frames by itself. */
    handed(partition: number): void;
  };
  /** This one. */
  process: string;
  /** Whether this node takes partitions. */
  mayReceive: () => boolean;
  /** This node holds other partitions than before. */
  changed: () => void;
  time: Time;
  log: Log;
}

/** A message of a giver whose worlds still go on. */
export interface Copied {
  token: string;
  worlds: readonly CopiedWorld[];
}

/** A message of a giver, one of `messageCount`, in any order. */
export interface Handed {
  token: string;
  worlds: readonly HandedWorld[];
  relays: readonly Relay[];
  messageCount: number;
}

/** A partition that comes to this node. */
interface Expected {
  readonly reservation: Reservation;
  readonly worlds: HandedWorld[];
  readonly relays: Relay[];
  stopTimer: StopTimer;
  messageCount: number;
  /** All messages have come. */
  isWhole: boolean;
  /** The store is being asked whether it was given. */
  isLooking: boolean;
  isAborted: boolean;
}

/**
 * Moves partitions from node to node without a moment in which nobody serves them. The giver sends copies of
 * its worlds, has them stand still and sends what is new, then the store gives the partition in one step. Until then every
 * failure lets the worlds go on where they are.
 */
export class Handover {
  /** Partitions that were given, that were kept after all, and that came to this node. */
  readonly counts = { given: 0, kept: 0, received: 0 };
  /** How long worlds stood still to be given, until another node had them or they went on here. */
  readonly pauses = new Histogram();
  readonly #dependencies: HandoverDependencies;
  /** By token; one at a time. */
  readonly #expected = new Map<string, Expected>();
  /** Since when the worlds that are given stand still. */
  #frozenMs: number | undefined;

  constructor(dependencies: HandoverDependencies) {
    this.#dependencies = dependencies;
  }

  // ── giving ──────────────────────────────────────────────────────────────────────────────────

  /** Gives a partition to a node. Resolves to whether this node no longer has it. Never rejects. */
  async give(partition: number, to: string): Promise<boolean> {
    return (await this.tryToGive(partition, to)) === undefined;
  }

  /** The same. Resolves to why this node still has it; undefined: it no longer has. Never rejects. */
  async tryToGive(partition: number, to: string): Promise<string | undefined> {
    const { link, ranges, changed, time, log } = this.#dependencies;
    const startMs = time.now();
    let token: string | undefined;
    let outcome: 'given' | 'kept' = 'kept';
    let reason = 'the store has not given it';
    try {
      token = await this.#reserve(partition, to);
      const copies = await this.#copy(partition, to, token);
      await this.#send(partition, to, token, copies);
      this.#dependencies.relays.handed(partition);
      outcome = await ranges.give(partition, token);
    } catch (err) {
      log.warn({ partition, to, err }, 'a partition could not be handed over');
      reason = err instanceof Error ? err.message : String(err);
    }
    this.counts[outcome]++;
    if (outcome === 'given') {
      link.note(to, GO, token);
      this.#endPause();
      // The note goes first: to unload the worlds here takes time, and the next node waits for it.
      await this.#nextTurn();
      ranges.leaveGiven(partition);
      log.info({ partition, to, ms: Math.round(time.now() - startMs) }, 'gave a partition');
      changed();
      return undefined;
    }
    if (token !== undefined) link.note(to, ABORT, token);
    ranges.setHidden(partition, false);
    await this.#dependencies.worlds().thaw(partition);
    this.#endPause();
    return reason;
  }

  #endPause(): void {
    if (this.#frozenMs === undefined) return;
    this.pauses.observe((this.#dependencies.time.now() - this.#frozenMs) / 1000);
    this.#frozenMs = undefined;
  }

  async #reserve(partition: number, to: string): Promise<string> {
    const { link } = this.#dependencies;
    const { value } = await link.call(to, RESERVE, partition, PREPARE_MS_MAX);
    if (typeof value !== 'string') throw new Error(TAKES_NONE);
    return value;
  }

  /**
   * Sends worlds while they go on: what is sent while they stand still takes time. Resolves with what
   * the receiver has ready. Never rejects: without a copy a world is sent as it stands still.
   */
  async #copy(partition: number, to: string, token: string): Promise<Copies> {
    const { link, time, log } = this.#dependencies;
    const copies = new Map<number, Pick<CopiedWorld, 'tick' | 'seq' | 'residency'>>();
    const endMs = time.now() + COPYING_MS_MAX;
    const parts = this.#dependencies.worlds().copies(partition)[Symbol.asyncIterator]();
    const copySome = async () => {
      while (time.now() < endMs) {
        const { value: worlds, done } = await parts.next();
        if (done || time.now() >= endMs) return;
        const message: Copied = { token, worlds };
        const { value } = await link.call(to, COPY, message, Math.max(1, endMs - time.now()));
        const ready = new Set(Array.isArray(value) ? value : []);
        for (const { number, tick, seq, residency } of worlds) {
          if (ready.has(number)) copies.set(number, { tick, seq, residency });
        }
      }
    };
    try {
      const all = Promise.all(Array.from({ length: COPIES_AT_ONCE }, copySome));
      await this.#within(endMs, all, COPYING_MS_MAX);
    } catch (err) {
      log.info({ partition, to, err }, 'some worlds move without copies');
    }
    // A late answer changes nothing any more.
    return new Map(copies);
  }

  /** Sends the worlds as they stand still. Rejects if that takes too long. */
  async #send(partition: number, to: string, token: string, copies: Copies): Promise<void> {
    const { link, ranges, time } = this.#dependencies;
    const worlds = this.#dependencies.worlds();
    this.#frozenMs = time.now();
    const endMs = this.#frozenMs + PREPARE_MS_MAX;
    await this.#within(endMs, worlds.freeze(partition));
    ranges.setHidden(partition, true);
    // Not by the time: its timer may be a little early.
    let isOver = false;
    const handOut = this.#within(
      endMs,
      worlds.handOut(partition, () => isOver, copies),
    );
    const handed = await handOut.finally(() => {
      isOver = true;
    });
    const others = Map.groupBy(this.#dependencies.relays.of(partition), ({ world }) => world);
    const parts = inMessages(handed);
    const messageCount = parts.length;
    let next = 0;
    const sendInTurn = async () => {
      while (next < messageCount) {
        const part = parts[next++] ?? [];
        const relays = part.flatMap((world) => [
          ...this.#ownRelays(world),
          ...(others.get(world.number) ?? []),
        ]);
        const message: Handed = { token, worlds: part, relays, messageCount };
        await link.call(to, HAND, message, Math.max(1, endMs - time.now()));
      }
    };
    const length = Math.min(messageCount, MESSAGES_AT_ONCE);
    const senders = Array.from({ length }, async (_, i) => {
      for (let turn = 0; turn < i; turn++) await this.#nextTurn();
      await sendInTurn();
    });
    await Promise.all(senders);
  }

  #nextTurn(): Promise<void> {
    const { time } = this.#dependencies;
    return new Promise((resolve) => void time.immediate(resolve));
  }

  /** This node shows the world from now on as others do, in the encodings in which it did. */
  #ownRelays({ number, encodings }: HandedWorld): readonly Relay[] {
    const { process } = this.#dependencies;
    return encodings.map((encoding) => ({ world: number, process, encoding }));
  }

  async #within<Result>(
    endMs: number,
    work: Promise<Result>,
    limitMs = PREPARE_MS_MAX,
  ): Promise<Result> {
    const { time } = this.#dependencies;
    const tooLate = Promise.withResolvers<never>();
    const late = () => tooLate.reject(new Error(`it took more than ${limitMs} ms`));
    const stopTimer = time.after(Math.max(0, endMs - time.now()), late);
    return Promise.race([work, tooLate.promise]).finally(stopTimer);
  }

  // ── receiving ───────────────────────────────────────────────────────────────────────────────

  /** Answers RESERVE: a token, or null where this node takes nothing now. */
  reserve(partition: number): LinkAnswer {
    const { ranges, mayReceive } = this.#dependencies;
    // It may have lost the partition without having noticed.
    const isHeld = ranges.grantOf(partition) !== undefined;
    if (isHeld || this.#expected.size > 0 || !mayReceive()) return { value: null };
    const reservation = ranges.reserve(partition);
    const { token } = reservation;
    const states = { messageCount: 0, isWhole: false, isLooking: false, isAborted: false };
    const expected = { reservation, worlds: [], relays: [], stopTimer: () => {}, ...states };
    this.#expected.set(token, expected);
    this.#giveUpIn(RESERVED_MS, expected);
    return { value: token };
  }

  /** Answers COPY: the numbers of those that are ready. Rejects if nothing is reserved under the token. */
  async copy({ token, worlds }: Copied): Promise<LinkAnswer> {
    const expected = this.#expectedAt(token);
    this.#giveUpIn(RESERVED_MS, expected);
    return { value: await this.#dependencies.worlds().prepare(token, worlds) };
  }

  #expectedAt(token: string): Expected {
    const expected = this.#expected.get(token);
    if (expected === undefined) throw new Error('the reservation was given up');
    return expected;
  }

  /** Answers HAND. Throws if nothing is reserved under the token. */
  hand({ token, worlds, relays, messageCount }: Handed): LinkAnswer {
    const expected = this.#expectedAt(token);
    expected.worlds.push(...worlds);
    expected.relays.push(...relays);
    expected.messageCount++;
    expected.isWhole = expected.messageCount === messageCount;
    this.#giveUpIn(RESERVED_MS, expected);
    // The word that it was given may be lost.
    if (expected.isWhole) this.#dependencies.time.after(LOOK_MS, () => void this.go(token));
    return { value: null };
  }

  #giveUpIn(ms: number, expected: Expected): void {
    expected.stopTimer();
    expected.stopTimer = this.#dependencies.time.after(ms, () =>
      this.abort(expected.reservation.token),
    );
  }

  /** The giver has given up, or nothing is heard of it. */
  abort(token: string): void {
    const expected = this.#expected.get(token);
    if (expected === undefined) return;
    expected.isAborted = true;
    if (expected.isLooking) return;
    this.#forget(expected);
    this.#dependencies.worlds().discard(token);
    void this.#dependencies.ranges.cancel(expected.reservation);
  }

  /** Each world has its watchers at once, so that its shard makes its frames while others are taken in. */
  #takeIn({ reservation, worlds, relays }: Expected): void {
    const byWorld = Map.groupBy(relays, ({ world }) => world);
    this.#dependencies.worlds().takeIn(reservation.token, worlds, (world) => {
      for (const relay of byWorld.get(world) ?? []) this.#expect(relay);
    });
  }

  #expect(relay: Relay): void {
    try {
      this.#dependencies.relays.expect(relay);
    } catch (error) {
      // It is refused again when the other node asks.
      if (!(error instanceof TwinError)) throw error;
    }
  }

  #forget({ reservation, stopTimer }: Expected): void {
    stopTimer();
    this.#expected.delete(reservation.token);
  }

  /** Serves the partition if it was given, and else looks again. Never rejects. */
  async go(token: string): Promise<void> {
    const { ranges, changed, time } = this.#dependencies;
    const expected = this.#expected.get(token);
    if (expected === undefined || !expected.isWhole || expected.isLooking) return;
    expected.isLooking = true;
    const isGiven = await ranges.accept(expected.reservation, () => this.#takeIn(expected));
    expected.isLooking = false;
    if (isGiven) {
      this.#forget(expected);
      this.counts.received++;
      changed();
    } else if (expected.isAborted) this.abort(token);
    else time.after(LOOK_MS, () => void this.go(token));
  }
}

/** At least one message, with as many worlds as may be packed in one piece. */
function inMessages(worlds: readonly HandedWorld[]): readonly (readonly HandedWorld[])[] {
  let last: HandedWorld[] = [];
  const messages = [last];
  let bytes = 0;
  for (const world of worlds) {
    if (bytes >= MESSAGE_BYTES) {
      last = [];
      messages.push(last);
      bytes = 0;
    }
    last.push(world);
    const { bytes: state, changes } = world.frozen ?? {};
    bytes += RECORD_BYTES + (state?.length ?? 0) + (changes?.length ?? 0);
  }
  return messages;
}
