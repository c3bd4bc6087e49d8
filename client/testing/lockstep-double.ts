import { deflateRawSync } from 'node:zlib';
import { encode } from '@msgpack/msgpack';
import { CAR_COUNT, F_ALL, FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import type { TestTime } from '../../src/testing/doubles/test-time.ts';
import { fleetOf } from '../../src/twin/fleet.ts';
import { worldIdOf } from '../../src/twin/ids.ts';
import { type NumberedChange, withChanges } from '../../src/twin/journal.ts';
import { JournalHash } from '../../src/twin/journal-hash.ts';
import {
  type LockstepHello,
  type LockstepMessage,
  type LockstepPulse,
  readingOf,
  type WorldStart,
} from '../../src/twin/lockstep.ts';
import { CityModel } from '../src/city-model.ts';
import { LivedJournal } from '../src/lived-journal.ts';
import { LocalWorld } from '../src/local-world.ts';
import { systemPlatform } from '../src/platform.ts';
import type { OpenSocket, SocketEvents } from '../src/socket.ts';
import { builtAssets } from './built-assets.ts';

const JOIN_PULSES_MS = [0, 100, 250, 500, 1000, 2000, 4000, 8000];
const PULSE_MS = 15_000;
const FRAME_MS = FRAME_TICKS * TICK_MS;
const BEGINNING: WorldStart = { tick: 0, seq: 0, masks: new Array<number>(CAR_COUNT).fill(F_ALL) };
const NUMBER = 123_456_789;

/** A connection as the server has it. */
interface Connection {
  isLockstep: boolean;
  send(message: object): void;
  end(code: number): void;
}

/** A node with one world, on the time of a test, that can do wrong in many ways. */
export class LockstepDouble {
  readonly id = worldIdOf(NUMBER);
  readonly stream_url = `ws://node.test/ws/worlds/${this.id}`;
  readonly city: string;
  readonly seed: number;
  /** Delay of the next message; the order of messages stays. */
  delayMs: () => number = () => 0;
  /** Whether the next message is lost. */
  isLost: (message: { type?: string }) => boolean = () => false;
  /** Its hashes of the journal are wrong. */
  isSpoiled = false;
  /** It has taken the world over and does not know the hash of its journal. */
  knowsNoHash = false;
  refuses: (encoding: string) => boolean = () => false;
  isGone = false;
  /** Hellos have an image of that many ticks ago. */
  imageAgeTicks: number | undefined;
  /** Of all connections, the queries by which they were opened. */
  readonly queries: URLSearchParams[] = [];
  readonly changes: NumberedChange[] = [];
  /** Of its kernel, and of the world under that. */
  kernel = 'k';
  start = BEGINNING;
  readonly #time: TestTime;
  readonly #createdMs: number;
  readonly #connections = new Set<Connection>();
  #frames: LocalWorld | undefined;

  constructor(time: TestTime, { city = 'grid', seed = 7, ageTicks = 500 } = {}) {
    this.#time = time;
    this.city = city;
    this.seed = seed;
    this.#createdMs = time.now() - ageTicks * TICK_MS;
    time.every(PULSE_MS, () => this.pulse());
    time.every(FRAME_MS, () => void this.#sendFrames());
  }

  /** Of its clock, with its fraction. */
  get tick(): number {
    return (this.#time.now() - this.#createdMs) / TICK_MS;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  get #hash(): JournalHash {
    return this.#hashOf(this.changes);
  }

  #hashOf(changes: readonly NumberedChange[]): JournalHash {
    const { seed, start } = this;
    const hash = JournalHash.ofStart(seed, start);
    for (const change of changes) if (change.seq > start.seq) hash.add(change);
    return hash;
  }

  get #journal(): string {
    if (this.knowsNoHash) return '';
    return this.isSpoiled ? 'feedfeedfeedfeed' : String(this.#hash);
  }

  #pulse(): Omit<LockstepPulse, 'type'> {
    const { tick, changes, connectionCount: watchers } = this;
    return { ...readingOf(tick), seq: changes.length, journal: this.#journal, watchers };
  }

  #since(seq: number): NumberedChange[] {
    return this.changes.filter((change) => change.seq > seq);
  }

  /** The world as it is at a tick by what the node has. */
  async truth(tick: number): Promise<LocalWorld> {
    const { seed, id, start: from } = this;
    const model = await CityModel.of(await builtAssets(this.city));
    const journal = new LivedJournal(from.seq, this.#since(from.seq));
    const world = LocalWorld.ofParts({
      ...{ model, id, seed, fleet: fleetOf(seed, NUMBER), from, image: undefined, journal },
      ...{ isFollower: false, platform: systemPlatform },
    });
    world.step(tick - from.tick);
    return world;
  }

  // ── what happens to it ──────────────────────────────────────────────────────────────────────

  /** A change is durable; clients hear of it now or later. */
  change(car: number, touched: number, values: number, laterMs = 0): void {
    const tick = Math.max(Math.floor(this.tick) + 2, this.changes.at(-1)?.tick ?? 0);
    const change = { seq: this.changes.length + 1, tick, car, touched, values };
    this.changes.push(change);
    const message = { type: 'change', ...change, journal: this.#journal } as const;
    if (laterMs === 0) this.#broadcast(message);
    else this.#time.after(laterMs, () => this.#broadcast(message));
  }

  pulse(): void {
    this.#broadcast({ type: 'pulse', ...this.#pulse() });
  }

  /** Tells the hash of the state at a tick; a wrong one if it lives otherwise. Returns it. */
  async audit(tick = Math.floor(this.tick), livesOtherwise = false): Promise<string> {
    const world = await this.truth(tick);
    const right = world.hash();
    world.close();
    const hash = livesOtherwise ? 'feedfeedfeedfeed' : right;
    this.#broadcast({ type: 'pulse', ...this.#pulse(), hash: { tick, hash } });
    return right;
  }

  /** Its store forgets the last changes, and it does not notice. */
  loseTail(count: number): void {
    this.changes.length -= count;
  }

  /** It has another kernel now, with which the world starts over. */
  startOver(kernel: string): void {
    const { changes } = this;
    const masks = withChanges(BEGINNING.masks, changes);
    this.kernel = kernel;
    this.start = { tick: Math.floor(this.tick), seq: changes.length, masks };
  }

  stored(id: string): void {
    this.#broadcast({ type: 'incident', id, explained: true });
  }

  endAll(code: number): void {
    for (const connection of this.#connections) connection.end(code);
  }

  #broadcast(message: LockstepMessage): void {
    for (const connection of this.#connections) if (connection.isLockstep) connection.send(message);
  }

  // ── connections ─────────────────────────────────────────────────────────────────────────────

  /** Hand it to a client as its way to the node. */
  readonly openSocket: OpenSocket = (url, events) => {
    const { searchParams, pathname } = new URL(url);
    if (pathname !== `/ws/worlds/${this.id}`) throw new Error(`no such stream: ${url}`);
    this.queries.push(searchParams);
    const encoding = searchParams.get('encoding') ?? 'json';
    if (this.isGone || this.refuses(encoding)) {
      const stop = this.#time.after(1, () => events.closed(1006));
      return { close: stop };
    }
    const connection = this.#connect(encoding === 'lockstep', events);
    if (connection.isLockstep) void this.#welcome(connection, searchParams);
    else connection.send({ type: 'hello', world: this.id, fleet: [], tick: this.tick });
    return { close: () => void this.#connections.delete(connection) };
  };

  #connect(isLockstep: boolean, { received, closed }: SocketEvents): Connection {
    let lastMs = 0;
    const later = (task: () => void) => {
      lastMs = Math.max(lastMs, this.#time.now() + this.delayMs());
      this.#time.after(lastMs - this.#time.now(), () => {
        if (this.#connections.has(connection)) task();
      });
    };
    const connection: Connection = {
      isLockstep,
      send: (message) => {
        if (this.isLost(message)) return;
        const bytes = message instanceof Uint8Array ? message : encode(message);
        later(() => received(bytes));
      },
      end: (code) =>
        later(() => {
          this.#connections.delete(connection);
          closed(code);
        }),
    };
    this.#connections.add(connection);
    return connection;
  }

  async #welcome(connection: Connection, query: URLSearchParams): Promise<void> {
    connection.send(await this.#hello(query));
    for (const ms of JOIN_PULSES_MS) {
      this.#time.after(ms, () => {
        if (this.#connections.has(connection)) connection.send({ type: 'pulse', ...this.#pulse() });
      });
    }
  }

  async #hello(query: URLSearchParams): Promise<LockstepHello> {
    const { id: world, seed, city, kernel, start } = this;
    const since = Number(query.get('since') ?? Number.NaN);
    const resumed = query.get('journal') === this.#hashUpTo(since);
    const image = resumed ? null : await this.#image();
    const after = resumed ? since : (image ?? start).seq;
    const changes = this.#since(after);
    return {
      ...{ type: 'hello', world, rate_hz: 12.5, fleet: fleetOf(seed, NUMBER), kernel },
      assets: {
        kernel: '/k.wasm',
        frames: '/f.wasm',
        table: `/${city}.table`,
        car_types: '/c.json',
      },
      ...{ seed, city, start, resumed, image, changes },
      ...this.#pulse(),
    };
  }

  /** Undefined if it has no such journal. */
  #hashUpTo(seq: number): string | undefined {
    if (!(seq >= this.start.seq && seq <= this.changes.length)) return undefined;
    return String(this.#hashOf(this.changes.slice(0, seq)));
  }

  async #image(): Promise<LockstepHello['image']> {
    if (this.imageAgeTicks === undefined) return null;
    const world = await this.truth(Math.floor(this.tick) - this.imageAgeTicks);
    const { tick, seq, bytes } = world.image();
    return { tick, seq, bytes: new Uint8Array(deflateRawSync(bytes)) };
  }

  /** As `truth`, but it is one world that goes on while nothing is changed. */
  async #shown(tick: number): Promise<LocalWorld> {
    const { changes } = this;
    if (this.#frames?.seq !== changes.length || this.#frames.tick > tick) {
      this.#frames?.close();
      this.#frames = await this.truth(tick);
    }
    this.#frames.step(tick - this.#frames.tick);
    return this.#frames;
  }

  async #sendFrames(): Promise<void> {
    const watchers = [...this.#connections].filter(({ isLockstep }) => !isLockstep);
    if (watchers.length === 0) return;
    const world = await this.#shown(Math.floor(this.tick / FRAME_TICKS) * FRAME_TICKS);
    const frame = world.frame('msgpack');
    for (const watcher of watchers) watcher.send(frame);
  }
}
