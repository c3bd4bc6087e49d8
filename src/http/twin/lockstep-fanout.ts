import { TICK_MS } from '../../../assembly/layout.ts';
import { SLICE_MS } from '../../limits.ts';
import type { StopTimer, Time } from '../../time.ts';
import {
  type EncodedHello,
  type LockstepMessage,
  type LockstepNews,
  readingOf,
  ticksOf,
  type WorldPulse,
} from '../../twin/lockstep.ts';
import { encode } from '../server/reply.ts';
import type { StreamSocket } from '../server/server-options.ts';
import { type LockstepSend, type LockstepTopic, LockstepWatcher } from './lockstep-watcher.ts';
import { CLOSE_REASONS, endInGroups } from './stream-closing.ts';

/** When a new watcher gets pulses: the least delayed of them tells it the clock of the server, ms. */
const JOIN_PULSES_MS = [0, 100, 250, 500, 1000, 2000, 4000, 8000];
/** Sends for one world before the next one; then the clock is read. */
const TURN_SENDS = 25;
/** Messages that may wait for the watchers of a world; with more these begin anew. */
const QUEUED_MAX = 1000;
/** A stream whose reader makes no progress for this long is closed. */
const SILENT_MS = 15_000;

/** A message as it is sent to all that live its world. */
export function newsOf(message: LockstepMessage): LockstepNews {
  const { type } = message;
  const seq = type === 'change' ? message.seq : undefined;
  return { pulse: pulseOf(message), bytes: encoded(message), seq };
}

function pulseOf(message: LockstepMessage): Partial<WorldPulse> {
  if (message.type === 'change') return { seq: message.seq, journal: message.journal };
  if (message.type !== 'pulse') return {};
  const { tick, fraction, seq, journal, watchers } = message;
  return { tick, fraction, seq, journal, watchers };
}

function encoded(message: LockstepMessage): Uint8Array {
  return encode(message, 'msgpack') as Uint8Array;
}

/**
 * Sends those who live a world themselves what changes. Unlike a frame no change may be missed: a reader
 * that cannot keep up is closed, and begins anew. Deliveries run in short slices, a few sends per world
 * in turn, so that a world with many watchers delays no other one.
 */
export class LockstepFanout {
  watcherCount = 0;
  messagesSent = 0;
  bytesSent = 0;
  readonly #time: Time;
  readonly #topics = new Map<number, LockstepTopic>();
  readonly #joining = new Map<LockstepWatcher, StopTimer>();
  readonly #blocked = new Set<LockstepWatcher>();
  /** Topics with deliveries, in the order of their turns. */
  #turns: LockstepTopic[] = [];
  #isActive = false;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Adds a watcher, which keeps what comes until it opens. Whoever adds one has it leave. */
  expect(worldNumber: number): LockstepWatcher {
    let topic = this.#topics.get(worldNumber);
    if (topic === undefined) {
      const atMs = this.#time.now();
      const pulse = { tick: 0, fraction: 0, seq: 0, journal: '', watchers: 0, atMs };
      topic = { worldNumber, watchers: new Set(), queue: [], pulse };
      this.#topics.set(worldNumber, topic);
    }
    const watcher = new LockstepWatcher(topic);
    topic.watchers.add(watcher);
    this.watcherCount++;
    return watcher;
  }

  /**
   * A hello tells this of the world now. What is known already may be later: a change may have come while the
   * hello was made, and to tell less than that would look like a loss.
   */
  heard({ topic }: LockstepWatcher, hello: WorldPulse): void {
    const known = this.#pulseNow(topic);
    const later = hello.seq < known.seq ? known : hello;
    const clock = readingOf(Math.max(ticksOf(known), ticksOf(hello)));
    const { seq, journal } = later;
    topic.pulse = { ...hello, ...clock, seq, journal, atMs: this.#time.now() };
  }

  /** Sends a watcher its hello, what came meanwhile, and pulses from then on. */
  open(watcher: LockstepWatcher, socket: StreamSocket, hello: EncodedHello): void {
    this.#sent(watcher, watcher.open(socket, hello, this.#time.now()));
    this.#join(watcher, 0);
  }

  #join(watcher: LockstepWatcher, index: number): void {
    const beginMs = JOIN_PULSES_MS[index];
    if (beginMs === undefined || !watcher.isOpen) {
      this.#joining.delete(watcher);
      return;
    }
    const pulse = { type: 'pulse', ...this.#pulseNow(watcher.topic) } as const;
    this.#send(watcher, { bytes: encoded(pulse), seq: undefined });
    const next = JOIN_PULSES_MS[index + 1] ?? beginMs;
    const stop = this.#time.after(next - beginMs, () => this.#join(watcher, index + 1));
    this.#joining.set(watcher, stop);
  }

  #pulseNow({ pulse }: LockstepTopic): WorldPulse {
    const { atMs, seq, journal, watchers } = pulse;
    const ticks = ticksOf(pulse) + (this.#time.now() - atMs) / TICK_MS;
    return { ...readingOf(ticks), seq, journal, watchers };
  }

  /** Must be called when the stream has closed or will not open, for any reason. */
  leave(watcher: LockstepWatcher): void {
    const { topic } = watcher;
    if (!topic.watchers.delete(watcher)) return;
    this.watcherCount--;
    this.#joining.get(watcher)?.();
    this.#joining.delete(watcher);
    this.#blocked.delete(watcher);
    if (topic.watchers.size === 0 && this.#topics.get(topic.worldNumber) === topic) {
      this.#topics.delete(topic.worldNumber);
    }
  }

  #learn(worldNumber: number, pulse: Partial<WorldPulse>): void {
    const topic = this.#topics.get(worldNumber);
    if (topic === undefined) return;
    topic.pulse = { ...this.#pulseNow(topic), ...pulse, atMs: this.#time.now() };
  }

  /** A world is served again: its watchers hear what it has reached. */
  pulse(worldNumber: number, pulse: WorldPulse): void {
    this.tell(worldNumber, newsOf({ type: 'pulse', ...pulse }));
  }

  /** Sends a message to all watchers of a world. */
  tell(worldNumber: number, { pulse, bytes, seq }: LockstepNews): void {
    const topic = this.#topics.get(worldNumber);
    if (topic === undefined) return;
    this.#learn(worldNumber, pulse);
    if (topic.queue.length >= QUEUED_MAX) {
      this.endWorld(worldNumber, 1013);
      return;
    }
    if (topic.queue.length === 0) this.#turns.push(topic);
    topic.queue.push({ message: { bytes, seq }, watchers: topic.watchers.values() });
    if (!this.#isActive) this.#slice();
  }

  #slice(): void {
    this.#isActive = true;
    const endMs = this.#time.now() + SLICE_MS;
    for (let topic = this.#turns.shift(); topic !== undefined; topic = this.#turns.shift()) {
      this.#turn(topic);
      if (topic.queue.length > 0) this.#turns.push(topic);
      if (this.#time.now() >= endMs) break;
    }
    this.#isActive = this.#turns.length > 0;
    if (this.#isActive) this.#time.immediate(() => this.#slice());
  }

  #turn({ queue }: LockstepTopic): void {
    for (let sends = 0; sends < TURN_SENDS; sends++) {
      const [delivery] = queue;
      if (delivery === undefined) return;
      const { done, value } = delivery.watchers.next();
      if (done) queue.shift();
      else this.#send(value, delivery.message);
    }
  }

  #send(watcher: LockstepWatcher, message: LockstepSend): void {
    this.#sent(watcher, watcher.send(message, this.#time.now()));
  }

  #sent(watcher: LockstepWatcher, bytes: number): void {
    this.#count(bytes);
    // A stream that does not read may have been closed by this, and has left then.
    if (watcher.isOpen && watcher.blockedMs !== undefined) this.#blocked.add(watcher);
  }

  #count(bytes: number): void {
    if (bytes === 0) return;
    this.messagesSent++;
    this.bytesSent += bytes;
  }

  /** The operating system accepted some of the bytes that waited. */
  drained(watcher: LockstepWatcher): void {
    this.#count(watcher.drained(this.#time.now()));
    if (watcher.blockedMs === undefined) this.#blocked.delete(watcher);
  }

  /** Closes streams without progress. Call it about every second. */
  sweep(): void {
    const limitMs = this.#time.now() - SILENT_MS;
    for (const watcher of this.#blocked) {
      if ((watcher.blockedMs ?? limitMs) > limitMs || !watcher.isOpen) continue;
      watcher.socket.end(1013, 'the client read nothing for 15 s');
    }
  }

  /**
   * Ends the streams of a world, also those that are being opened. Code 1013: it cannot be served now; 1012:
   * reconnect at once.
   */
  endWorld(worldNumber: number, code: 1012 | 1013): void {
    // Closing a socket makes its watcher leave the topic; a Set allows that while iterating.
    for (const watcher of this.#topics.get(worldNumber)?.watchers ?? []) {
      watcher.end(code, CLOSE_REASONS[code]);
    }
  }

  /** Ends all streams with 1012, not all at once. A server that stops opens no further one. */
  endAll(): Promise<void> {
    const watchers = [...this.#topics.values()].flatMap((topic) => [...topic.watchers]);
    return endInGroups(
      watchers.filter(({ isOpen }) => isOpen),
      this.#time,
    );
  }
}
