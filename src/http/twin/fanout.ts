import type { Encoding } from '../../codec/encoding.ts';
import { SLICE_MS } from '../../limits.ts';
import type { Time } from '../../time.ts';
import type { WorldFrame } from '../../twin-service.ts';
import type { StreamSocket } from '../server/server-options.ts';
import { CLOSE_REASONS, endInGroups } from './stream-closing.ts';
import { type Topic, Watcher } from './watcher.ts';

/** Maximum number of sends in one slice, before other work runs. */
const SLICE_SENDS = 250;
/** Maximum number of sends for one world before the next one, and of all between two readings of the clock. */
const TURN_SENDS = 25;
/** A stream that makes no progress for this long is closed. */
const SILENT_MS = 15_000;

/** A frame and the watchers of its topic that have not got it yet. */
interface Delivery {
  watchers: Iterator<Watcher>;
  bytes: Uint8Array;
  isBinary: boolean;
  tick: number;
  batch: DeliveryBatch;
}

interface DeliveryBatch {
  deliveriesLeft: number;
  done: () => void;
  /** When it arrived. */
  nowMs: number;
}

/**
 * Sends frames to sockets. A reader that cannot keep up misses whole frames and then gets the
 * newest; other readers are not affected. Deliveries run in short slices, a few sends per world in
 * turn, so neither a large world nor a large batch delays anything else.
 */
export class Fanout {
  framesSent = 0;
  framesSkipped = 0;
  bytesSent = 0;
  watcherCount = 0;
  readonly #time: Time;
  readonly #topics: Record<Encoding, Map<number, Topic>> = { json: new Map(), msgpack: new Map() };
  /** Watchers that miss frames now. */
  readonly #behind = new Set<Watcher>();
  #deliveries: Delivery[] = [];
  #next = 0;
  #unfinished: Delivery[] = [];
  /** A slice is running or scheduled. */
  #isActive = false;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Adds a watcher for frames of ticks above `tick`. */
  join(worldNumber: number, encoding: Encoding, socket: StreamSocket, tick: number): Watcher {
    const topics = this.#topics[encoding];
    let topic = topics.get(worldNumber);
    if (topic === undefined) {
      topic = { worldNumber, encoding, watchers: new Set(), frameMs: this.#time.now() };
      topics.set(worldNumber, topic);
    }
    const watcher = new Watcher(topic, socket, tick);
    topic.watchers.add(watcher);
    this.watcherCount++;
    return watcher;
  }

  /** Must be called when the socket has closed, for any reason. */
  leave(watcher: Watcher): void {
    const { topic } = watcher;
    if (!topic.watchers.delete(watcher)) return;
    this.watcherCount--;
    this.#behind.delete(watcher);
    const topics = this.#topics[topic.encoding];
    if (topic.watchers.size === 0 && topics.get(topic.worldNumber) === topic) {
      topics.delete(topic.worldNumber);
    }
  }

  /** Records that the reader answered the ping that was sent after this many frames. */
  ponged(watcher: Watcher, frames: number): void {
    const { framesRead, framesSent } = watcher;
    if (!Number.isInteger(frames) || frames <= framesRead || frames > framesSent) return;
    watcher.framesRead = frames;
    this.#progressed(watcher);
  }

  /** Records that the operating system accepted some of the buffered bytes. */
  drained(watcher: Watcher): void {
    watcher.isBlocked = watcher.socket.getBufferedAmount() > 0;
    this.#progressed(watcher);
  }

  #progressed(watcher: Watcher): void {
    watcher.progressMs = this.#time.now();
    if (!watcher.isBehind()) this.#behind.delete(watcher);
  }

  /** Delivers frames; calls `done` once every watcher was sent its frame or skipped. */
  publish(frames: readonly WorldFrame[], done: () => void): void {
    const batch: DeliveryBatch = { deliveriesLeft: 0, done, nowMs: this.#time.now() };
    for (const { world, tick, json, msgpack } of frames) {
      if (json) this.#deliver('json', world.number, json, tick, batch);
      if (msgpack) this.#deliver('msgpack', world.number, msgpack, tick, batch);
    }
    if (batch.deliveriesLeft === 0) done();
    else if (!this.#isActive) this.#slice();
  }

  #deliver(
    encoding: Encoding,
    worldNumber: number,
    bytes: Uint8Array,
    tick: number,
    batch: DeliveryBatch,
  ): void {
    const topic = this.#topics[encoding].get(worldNumber);
    if (topic === undefined) return;
    topic.frameMs = batch.nowMs;
    const watchers = topic.watchers.values();
    this.#deliveries.push({ watchers, bytes, isBinary: encoding === 'msgpack', tick, batch });
    batch.deliveriesLeft++;
  }

  #slice(): void {
    this.#isActive = true;
    const endMs = this.#time.now() + SLICE_MS;
    let sends = 0;
    let sendsAtReading = 0;
    while (this.#startRound()) {
      sends += this.#turn(this.#deliveries[this.#next++] as Delivery);
      if (sends > SLICE_SENDS - TURN_SENDS) break;
      if (sends - sendsAtReading < TURN_SENDS) continue;
      if (this.#time.now() >= endMs) break;
      sendsAtReading = sends;
    }
    this.#isActive = this.#startRound();
    if (this.#isActive) this.#time.immediate(() => this.#slice());
  }

  /** Deliveries left unfinished in one round continue in the next. Returns false if none is left. */
  #startRound(): boolean {
    if (this.#next < this.#deliveries.length) return true;
    this.#deliveries = this.#unfinished;
    this.#unfinished = [];
    this.#next = 0;
    return this.#deliveries.length > 0;
  }

  #turn(delivery: Delivery): number {
    for (let sends = 0; sends < TURN_SENDS; sends++) {
      const { done, value } = delivery.watchers.next();
      if (done) {
        delivery.batch.deliveriesLeft--;
        if (delivery.batch.deliveriesLeft === 0) delivery.batch.done();
        return sends;
      }
      this.#offer(value, delivery);
    }
    this.#unfinished.push(delivery);
    return TURN_SENDS;
  }

  #offer(watcher: Watcher, { bytes, isBinary, tick }: Delivery): void {
    if (tick <= watcher.lastTick) return;
    if (watcher.isBehind()) {
      this.framesSkipped++;
      this.#fallBehind(watcher);
      return;
    }
    watcher.lastTick = tick;
    this.framesSent++;
    this.bytesSent += bytes.byteLength;
    if (!watcher.send(bytes, isBinary)) {
      watcher.isBlocked = true;
      this.#fallBehind(watcher);
    }
  }

  #fallBehind(watcher: Watcher): void {
    if (this.#behind.has(watcher)) return;
    this.#behind.add(watcher);
    watcher.progressMs = this.#time.now();
  }

  /** Closes streams without progress. Call it about every second. */
  sweep(): void {
    const limitMs = this.#time.now() - SILENT_MS;
    for (const watcher of this.#behind) {
      if (watcher.progressMs <= limitMs)
        watcher.socket.end(1013, 'the client read nothing for 15 s');
    }
    for (const topic of this.#allTopics()) {
      if (topic.frameMs <= limitMs) endTopic(topic, 1013, 'the world sent no frame for 15 s');
    }
  }

  /** Ends the streams of a world. Code 1013: it cannot be served now; 1012: reconnect at once. */
  endWorld(worldNumber: number, code: 1012 | 1013): void {
    for (const topics of Object.values(this.#topics)) {
      const topic = topics.get(worldNumber);
      if (topic) endTopic(topic, code, CLOSE_REASONS[code]);
    }
  }

  /** Ends all streams with 1012, not all at once. */
  endAll(): Promise<void> {
    const watchers = [...this.#allTopics()].flatMap((topic) => [...topic.watchers]);
    return endInGroups(watchers, this.#time);
  }

  #allTopics(): Topic[] {
    return Object.values(this.#topics).flatMap((topics) => [...topics.values()]);
  }
}

/** Closing a socket makes its watcher leave the topic; a Set allows that while iterating. */
function endTopic({ watchers }: Topic, code: 1012 | 1013, reason: string): void {
  for (const { socket } of watchers) socket.end(code, reason);
}
