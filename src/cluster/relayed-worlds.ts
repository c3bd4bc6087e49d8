import type { NewsReceiver, Peer, RelayedWorld } from '../cluster-service.ts';
import type { StreamEncoding } from '../codec/encoding.ts';
import { TwinError } from '../errors.ts';
import { WAIT_MS_MAX } from '../limits.ts';
import { type Link, LinkBroken } from '../link/contract.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { StopTimer, Time } from '../time.ts';
import { partitionOf, worldIdOf } from '../twin/ids.ts';
import type { KnownJournal } from '../twin/lockstep.ts';
import type { TwinService, Watchable, World, WorldFrame } from '../twin-service.ts';
import { unavailable } from './forwarder.ts';
import type { Places } from './places.ts';
import {
  type FrontEndParts,
  type RelayedEnd,
  type RelayedFrame,
  type RelayedNews,
  UNWATCH,
  WATCH,
  type Watched,
  type Watching,
} from './relay-server.ts';
import { type Begun, Relayed, type Source } from './relayed.ts';
import { errorOf } from './twin-fault.ts';

const ATTEMPTS_MAX = 3;
/** Pause before a lost world is watched again: doubles each time, and is drawn at random from half. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 400;
/** Frames of the next node of a world wait so long for the end of those of the last. */
const OVERTAKEN_MS = 200;
/**
 * Worlds that were handed over are asked for again within this time, each at its own: all at once would hold
 * their first frames up, which come without being asked for. See `EXPECTED_MS`.
 */
const HANDED_MS_MIN = 300;
const HANDED_MS_MAX = 1200;
/** A world that nobody serves for so long ends its streams. */
const LOST_MS = 15_000;

export interface RelayDependencies extends FrontEndParts {
  link: Pick<Link, 'call' | 'note' | 'isUp'>;
  places: Pick<Places, 'moved' | 'settled' | 'waitEndMs'>;
  /** Worlds may come to this node while their streams are open. */
  service: Pick<TwinService, 'load'>;
  time: Time;
  random: Random;
  log: Log;
}

interface Frames extends NewsReceiver {
  /** Takes frames for the sockets. */
  publish(frames: readonly WorldFrame[]): void;
  end(world: number, code: 1012 | 1013): void;
}

interface Early {
  process: string;
  frames: WorldFrame[];
  stopTimer: StopTimer;
}

/**
 * The streams of this node that show worlds of others. When a world changes its node they are watched
 * there again; the sockets stay open, and their ticks go on.
 */
export class RelayedWorlds {
  readonly #dependencies: RelayDependencies;
  readonly #byWorld = new Map<number, Set<Relayed>>();
  readonly #restoring = new Set<number>();
  /** By partition: until when its worlds' next node sends their frames without being asked. */
  readonly #handedMs = new Map<number, number>();
  /** By world: frames of a node that serves it next, while the last one has not ended its own. */
  readonly #early = new Map<number, Early>();
  #frames: Frames = { publish() {}, end() {}, tell() {}, pulse() {} };
  /** How often nodes were asked for a stream. */
  #askedCount = 0;
  #isStopped = false;

  constructor(dependencies: RelayDependencies) {
    this.#dependencies = dependencies;
  }

  use(frames: Partial<Frames>): void {
    this.#frames = { ...this.#frames, ...frames };
  }

  /** How many worlds of other nodes are shown here. */
  get worldCount(): number {
    return this.#byWorld.size;
  }

  async watch(
    world: number,
    encoding: StreamEncoding,
    client: string,
    known?: KnownJournal,
  ): Promise<RelayedWorld> {
    const watching = { world, encoding, client, known };
    const relayed = new Relayed(watching, (each) => this.#closed(each));
    // Its first frames may come before the answer.
    this.#add(relayed);
    try {
      await this.#connect(relayed);
      return relayed;
    } catch (error) {
      relayed.unwatch();
      throw error;
    }
  }

  /** Watches for a client a world that leaves this node. */
  follow({ number, fleet }: Watchable, encoding: StreamEncoding, client: string): RelayedWorld {
    const relayed = new Relayed({ world: number, encoding, client }, (each) => this.#closed(each));
    relayed.fleet = fleet;
    this.#add(relayed);
    this.#follow(number);
    return relayed;
  }

  /** A partition is about to be given, with its worlds, to a node that goes on with them. */
  handed(partition: number): void {
    this.#handedMs.set(partition, this.#dependencies.time.now() + HANDED_MS_MIN);
  }

  #follow(world: number): void {
    const { time, random } = this.#dependencies;
    if (time.now() >= (this.#handedMs.get(partitionOf(world)) ?? 0)) {
      void this.#restore(world);
      return;
    }
    const [byte = 0] = random.bytes(1);
    const ms = HANDED_MS_MIN + (byte / 256) * (HANDED_MS_MAX - HANDED_MS_MIN);
    time.after(ms, () => void this.#restore(world));
  }

  #add(relayed: Relayed): void {
    const known = this.#byWorld.get(relayed.number) ?? new Set();
    this.#byWorld.set(relayed.number, known.add(relayed));
  }

  #closed(relayed: Relayed): void {
    const all = this.#byWorld.get(relayed.number);
    all?.delete(relayed);
    if (all?.size === 0) {
      this.#byWorld.delete(relayed.number);
      this.#publishEarly(relayed.number);
    }
    this.#leave(relayed);
  }

  #leave(relayed: Relayed): void {
    const { source, encoding, client } = relayed;
    relayed.source = undefined;
    if (source === undefined) return;
    if ('local' in source) source.local.unwatch(encoding, client);
    else this.#dependencies.link.note(source.peer.process, UNWATCH, source.watching);
  }

  /** Watches the world where it is served. Throws TwinError. */
  async #connect(relayed: Relayed): Promise<void> {
    relayed.isConnecting = true;
    try {
      await this.#connectNow(relayed);
    } finally {
      relayed.isConnecting = false;
    }
  }

  async #connectNow(relayed: Relayed): Promise<void> {
    const { places, service } = this.#dependencies;
    const { number } = relayed;
    const endMs = places.waitEndMs();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const place = await places.settled(number, endMs);
      if (place.at === 'nowhere') throw unavailable(place.retryMs);
      if (place.at === 'here') {
        const local = await service.load(number);
        if (local === undefined) throw new TwinError('unknown_world');
        if (!(await this.#watchHere(relayed, local))) continue;
      } else if (!(await this.#ask(relayed, place.peer))) {
        places.moved(number, place.peer);
        continue;
      }
      // The socket may have closed meanwhile.
      if (!relayed.isOpen) this.#leave(relayed);
      return;
    }
    throw unavailable();
  }

  /** The world has come to this node meanwhile. Returns false if it has left again. */
  async #watchHere(relayed: Relayed, local: World): Promise<boolean> {
    const { encoding, client, endCount, isKnown } = relayed;
    const { helloOf, askerOf } = this.#dependencies;
    local.touch();
    local.watch(encoding, client, isKnown ? undefined : askerOf(client));
    try {
      if (encoding === 'lockstep' && !isKnown) {
        relayed.hello = await helloOf(local, relayed.known);
      }
    } catch (error) {
      local.unwatch(encoding, client);
      throw error;
    }
    if (relayed.endCount !== endCount) {
      local.unwatch(encoding, client);
      return false;
    }
    const fleet = isKnown ? [] : local.fleet;
    const pulse = encoding === 'lockstep' ? local.pulse() : undefined;
    this.#begin(relayed, { local }, { fleet, tick: local.tick(), pulse });
    return true;
  }

  #begin(relayed: Relayed, source: Source, watched: Begun): void {
    const { isKnown, number } = relayed;
    relayed.from(source, watched);
    if (isKnown && watched.pulse !== undefined) this.#frames.pulse(number, watched.pulse);
  }

  /** Returns false if another node has to be asked. */
  async #ask(relayed: Relayed, peer: Peer): Promise<boolean> {
    const { link } = this.#dependencies;
    const { endCount, isKnown, known } = relayed;
    const watching: Watching = { ...relayed.watching, stream: ++this.#askedCount };
    try {
      const asked: Watching = { ...watching, isKnown, known };
      const answer = await link.call(peer.process, WATCH, asked, WAIT_MS_MAX);
      const watched = answer.value as Watched;
      if (watched.kind === 'fault') throw errorOf(watched);
      if (watched.kind === 'moved') return false;
      if (relayed.endCount !== endCount) {
        // The world has left that node meanwhile, or an earlier stream of it ended only now.
        link.note(peer.process, UNWATCH, watching);
        return false;
      }
      relayed.hello = watched.hello;
      this.#begin(relayed, { peer, watching }, watched);
      return true;
    } catch (error) {
      if (!(error instanceof LinkBroken)) throw error;
      // That node may show it to nobody from now on: the answer was only late.
      if (error.isSent) link.note(peer.process, UNWATCH, watching);
      return false;
    }
  }

  /** A message of a node that serves worlds for this one. */
  framed(process: string, [world, tick, encoding]: RelayedFrame, bytes: Uint8Array): void {
    const all = this.#byWorld.get(world);
    if (all === undefined) return;
    const json = encoding === 'json' ? bytes : undefined;
    const msgpack = encoding === 'msgpack' ? bytes : undefined;
    const frame = { world: { number: world }, tick, json, msgpack };
    const isEarly = this.#early.get(world)?.process === process;
    if (!isEarly && this.#isServedBy(all, process)) this.#publish(all, frame);
    else this.#keepEarly(process, frame, all);
  }

  /** A message of a node that serves worlds for this one, for those who live them. */
  told([world, pulse, seq]: RelayedNews, bytes: Uint8Array): void {
    this.#frames.tell(world, { pulse, bytes, seq: seq ?? undefined });
  }

  #publish(all: ReadonlySet<Relayed>, frame: WorldFrame): void {
    for (const relayed of all) relayed.newestTick = Math.max(relayed.newestTick, frame.tick);
    this.#frames.publish([frame]);
  }

  /** It may come from the next node of the world, before the last has ended its part. */
  #keepEarly(process: string, frame: WorldFrame, all: ReadonlySet<Relayed>): void {
    const { number } = frame.world;
    const isLate = [...all].some(({ newestTick }) => frame.tick <= newestTick);
    const known = this.#early.get(number);
    if (isLate || (known !== undefined && known.process !== process)) return;
    if (known !== undefined) {
      known.frames.push(frame);
      return;
    }
    const stopTimer = this.#dependencies.time.after(OVERTAKEN_MS, () => {
      if (this.#lose(number, () => true)) void this.#restore(number);
      this.#publishEarly(number);
    });
    this.#early.set(number, { process, frames: [frame], stopTimer });
  }

  /** The last node of a world has ended its part. */
  #publishEarly(world: number): void {
    const early = this.#early.get(world);
    if (early === undefined) return;
    early.stopTimer();
    this.#early.delete(world);
    const all = this.#byWorld.get(world);
    if (all !== undefined) for (const frame of early.frames) this.#publish(all, frame);
  }

  /** Late frames of a node that no longer serves the world are left out. */
  #isServedBy(all: ReadonlySet<Relayed>, process: string): boolean {
    for (const { source } of all) {
      if (source === undefined || isPeer(source, process)) return true;
    }
    return false;
  }

  /** A node has ended the streams of a world: it may be served elsewhere. */
  ended(process: string, { world, code }: RelayedEnd): void {
    this.#countEnd(world);
    if (!this.#lose(world, (source) => isPeer(source, process))) return;
    this.#publishEarly(world);
    if (code === 1013) this.#frames.end(world, code);
    else void this.#restore(world);
  }

  /** What is being asked for has ended already, wherever that is. */
  #countEnd(world: number): void {
    for (const relayed of this.#byWorld.get(world) ?? []) {
      if (relayed.source === undefined) relayed.endCount++;
    }
  }

  /** A world that had come to this node has left it. */
  left(world: number): void {
    this.#countEnd(world);
    if (this.#lose(world, (source) => 'local' in source)) this.#follow(world);
  }

  /** The link to a node is down. */
  down(process: string): void {
    for (const world of this.#byWorld.keys()) {
      if (this.#lose(world, (source) => isPeer(source, process))) void this.#restore(world);
    }
  }

  /** Returns whether streams of a world have lost what serves them. */
  #lose(world: number, isLost: (source: Source) => boolean): boolean {
    let hasLost = false;
    for (const relayed of this.#byWorld.get(world) ?? []) {
      const { source, encoding, client } = relayed;
      if (source === undefined || !isLost(source)) continue;
      if ('local' in source) source.local.unwatch(encoding, client);
      relayed.source = undefined;
      hasLost = true;
    }
    return hasLost;
  }

  /** Watches a world again where it is served now. Never rejects. */
  async #restore(world: number): Promise<void> {
    if (this.#restoring.has(world)) return;
    this.#restoring.add(world);
    const { time, random, log } = this.#dependencies;
    const endMs = time.now() + LOST_MS;
    try {
      for (let pauseMs = RETRY_MS_MIN; !this.#isStopped; ) {
        const lost = [...(this.#byWorld.get(world) ?? [])].filter(
          ({ source, isConnecting }) => source === undefined && !isConnecting,
        );
        if (lost.length === 0) return;
        const outcomes = await Promise.allSettled(lost.map((each) => this.#connect(each)));
        const failed = outcomes.find((outcome) => outcome.status === 'rejected');
        if (failed === undefined) continue;
        if (isGone(failed.reason) || time.now() >= endMs) {
          log.warn(
            { world: worldIdOf(world), err: failed.reason },
            'a relayed world is not served',
          );
          this.#frames.end(world, isGone(failed.reason) ? 1012 : 1013);
          return;
        }
        const [byte = 0] = random.bytes(1);
        await time.sleep(pauseMs * (0.5 + byte / 512));
        pauseMs = Math.min(RETRY_MS_MAX, 2 * pauseMs);
      }
    } finally {
      this.#restoring.delete(world);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

function isPeer(source: Source, process: string): boolean {
  return 'peer' in source && source.peer.process === process;
}

function isGone(error: unknown): boolean {
  return error instanceof TwinError && error.code === 'unknown_world';
}
