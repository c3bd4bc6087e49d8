import type { Encoding } from '../../codec/encoding.ts';
import { SLICE_MS } from '../../limits.ts';
import type { Time } from '../../time.ts';
import type { WorldFrame } from '../../twin/service.ts';

/** What the fan-out needs of a WebSocket. */
export interface StreamSocket {
  /** 1 went to the operating system; 0 some of it waits in memory; 2 dropped. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  ping(message: string): number;
  /** Everything sent in `send` leaves in one write. */
  cork(send: () => void): unknown;
  getBufferedAmount(): number;
  end(code: number, reason: string): void;
}

/** What one slice may send before others get their turn. */
const SLICE_SENDS = 250;
/** Sends of one world before the next world's turn, and between looks at the clock. */
const TURN_SENDS = 25;
/**
 * A reader gets no more frames while it has not read so many. Operating systems buffer megabytes
 * for a connection, so without this a slow reader would watch a world of a minute ago.
 */
const UNREAD_FRAMES_MAX = 50;
/**
 * A reader is asked every so many frames whether it has come this far. Each answer costs as much
 * as half a frame, so only one that lags is asked more often, to see that it takes anything.
 */
const PING_FRAMES = 25;
const LAGGING_FRAMES = 30;
const LAGGING_PING_FRAMES = 5;
/** A stream over which nothing moves for so long is closed. */
const SILENT_MS = 15_000;
/** When all streams are closed: how many at least at a time, in how many batches, how far apart. */
const CLOSE_BATCH_MIN = 100;
const CLOSE_BATCHES_MAX = 100;
const CLOSE_PAUSE_MS = 20;

const REASONS = { 1012: 'open it again', 1013: 'try again later' };

/** One open stream. */
export class Watcher {
  readonly topic: Topic;
  readonly socket: StreamSocket;
  /** The world's tick that this reader was told last. */
  lastTick: number;
  framesSent = 0;
  /** As far as the reader is known to have come, by the pings that it answered (RFC 6455: must). */
  framesRead = 0;
  pingedAt = 0;
  /** Part of a frame waits in memory for the operating system to take it. */
  isBlocked = false;
  /** Of one that is behind: when it took something last, as far as is known. */
  progressMs = 0;

  constructor(topic: Topic, socket: StreamSocket, tick: number) {
    this.topic = topic;
    this.socket = socket;
    this.lastTick = tick;
  }

  framesUnread(): number {
    return this.framesSent - this.framesRead;
  }

  isBehind(): boolean {
    return this.isBlocked || this.framesUnread() >= UNREAD_FRAMES_MAX;
  }

  isPingDue(): boolean {
    const interval = this.framesUnread() < LAGGING_FRAMES ? PING_FRAMES : LAGGING_PING_FRAMES;
    return this.framesSent - this.pingedAt >= interval;
  }
}

/** The streams of one world in one encoding. */
export interface Topic {
  readonly worldNumber: number;
  readonly encoding: Encoding;
  readonly watchers: Set<Watcher>;
  /** When its last frame came, or its first watcher. */
  frameMs: number;
}

/** A frame on its way to the watchers of a topic. */
interface Delivery {
  watchers: Iterator<Watcher>;
  bytes: Uint8Array;
  isBinary: boolean;
  tick: number;
  beat: Beat;
}

interface Beat {
  deliveriesLeft: number;
  done: () => void;
}

/**
 * Hands frames to sockets. A reader that cannot keep up misses whole frames and then gets the
 * newest; others do not notice. Deliveries are made in short slices, a few sends a world in turn,
 * so that neither a large world nor a large beat keeps anything else waiting.
 */
export class Fanout {
  framesSent = 0;
  framesSkipped = 0;
  bytesSent = 0;
  watcherCount = 0;
  readonly #time: Time;
  readonly #topics: Record<Encoding, Map<number, Topic>> = { json: new Map(), msgpack: new Map() };
  /** Watchers that miss frames at the moment. */
  readonly #behind = new Set<Watcher>();
  #deliveries: Delivery[] = [];
  #next = 0;
  #unfinished: Delivery[] = [];
  /** A slice runs, or is about to. */
  #isActive = false;

  constructor(time: Time) {
    this.#time = time;
  }

  /** The watcher gets frames of ticks above `tick` from now on. */
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

  /** To be called when the socket has closed, for whatever reason. */
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

  /** The reader has come to the ping that was sent after so many frames. */
  ponged(watcher: Watcher, frames: number): void {
    const { framesRead, framesSent } = watcher;
    if (!Number.isInteger(frames) || frames <= framesRead || frames > framesSent) return;
    watcher.framesRead = frames;
    this.#progressed(watcher);
  }

  /** The operating system took some of what waited in memory. */
  drained(watcher: Watcher): void {
    watcher.isBlocked = watcher.socket.getBufferedAmount() > 0;
    this.#progressed(watcher);
  }

  #progressed(watcher: Watcher): void {
    watcher.progressMs = this.#time.now();
    if (!watcher.isBehind()) this.#behind.delete(watcher);
  }

  /** Takes the frames of a beat; calls `done` once each watcher was sent its frame or skipped. */
  publish(frames: readonly WorldFrame[], done: () => void): void {
    const beat: Beat = { deliveriesLeft: 0, done };
    for (const { world, tick, json, msgpack } of frames) {
      if (json) this.#deliver('json', world.number, json, tick, beat);
      if (msgpack) this.#deliver('msgpack', world.number, msgpack, tick, beat);
    }
    if (beat.deliveriesLeft === 0) done();
    else if (!this.#isActive) this.#slice();
  }

  #deliver(
    encoding: Encoding,
    worldNumber: number,
    bytes: Uint8Array,
    tick: number,
    beat: Beat,
  ): void {
    const topic = this.#topics[encoding].get(worldNumber);
    if (topic === undefined) return;
    topic.frameMs = this.#time.now();
    const watchers = topic.watchers.values();
    this.#deliveries.push({ watchers, bytes, isBinary: encoding === 'msgpack', tick, beat });
    beat.deliveriesLeft++;
  }

  #slice(): void {
    this.#isActive = true;
    const endMs = this.#time.now() + SLICE_MS;
    let sends = 0;
    while (this.#startRound()) {
      sends += this.#turn(this.#deliveries[this.#next++] as Delivery);
      if (sends > SLICE_SENDS - TURN_SENDS || this.#time.now() >= endMs) break;
    }
    this.#isActive = this.#startRound();
    if (this.#isActive) this.#time.immediate(() => this.#slice());
  }

  /** Rounds: what is unfinished in one has its next turn in the following. False: all is done. */
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
        delivery.beat.deliveriesLeft--;
        if (delivery.beat.deliveriesLeft === 0) delivery.beat.done();
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
    watcher.framesSent++;
    this.framesSent++;
    this.bytesSent += bytes.byteLength;
    if (!sendFrame(watcher, bytes, isBinary)) {
      watcher.isBlocked = true;
      this.#fallBehind(watcher);
    }
  }

  #fallBehind(watcher: Watcher): void {
    if (this.#behind.has(watcher)) return;
    this.#behind.add(watcher);
    watcher.progressMs = this.#time.now();
  }

  /** To be called every second or so: closes streams over which nothing moves. */
  sweep(): void {
    const limitMs = this.#time.now() - SILENT_MS;
    for (const watcher of this.#behind) {
      if (watcher.progressMs <= limitMs) watcher.socket.end(1013, 'nothing was read for 15 s');
    }
    for (const topic of this.#allTopics()) {
      if (topic.frameMs <= limitMs) endTopic(topic, 1013, 'no frames can be made');
    }
  }

  /** Ends the streams of one world: 1013 it cannot be served now, 1012 reconnect at once. */
  endWorld(worldNumber: number, code: 1012 | 1013): void {
    for (const topics of Object.values(this.#topics)) {
      const topic = topics.get(worldNumber);
      if (topic) endTopic(topic, code, REASONS[code]);
    }
  }

  /** Ends all streams with 1012, a batch at a time, so that not all come back at once. */
  async endAll(): Promise<void> {
    const batch = Math.max(CLOSE_BATCH_MIN, Math.ceil(this.watcherCount / CLOSE_BATCHES_MAX));
    const watchers = [...this.#allTopics()].flatMap((topic) => [...topic.watchers]);
    for (let from = 0; from < watchers.length; from += batch) {
      for (const watcher of watchers.slice(from, from + batch)) {
        if (watcher.topic.watchers.has(watcher)) watcher.socket.end(1012, REASONS[1012]);
      }
      await this.#time.sleep(CLOSE_PAUSE_MS);
    }
  }

  #allTopics(): Topic[] {
    return Object.values(this.#topics).flatMap((topics) => [...topics.values()]);
  }
}

/** True where the operating system took all of it. */
function sendFrame(watcher: Watcher, bytes: Uint8Array, isBinary: boolean): boolean {
  const { socket, framesSent } = watcher;
  if (!watcher.isPingDue()) return socket.send(bytes, isBinary) === 1;
  watcher.pingedAt = framesSent;
  socket.cork(() => {
    socket.send(bytes, isBinary);
    socket.ping(String(framesSent));
  });
  return socket.getBufferedAmount() === 0;
}

/** Closing a socket makes it leave the topic; a Set can be walked meanwhile. */
function endTopic({ watchers }: Topic, code: 1012 | 1013, reason: string): void {
  for (const { socket } of watchers) socket.end(code, reason);
}
