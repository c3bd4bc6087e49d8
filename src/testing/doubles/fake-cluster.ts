import type {
  AskerOf,
  ClusterService,
  ForwardedCall,
  ForwardedReply,
  HelloOf,
  NewsReceiver,
  Peer,
  Place,
  RelayedWorld,
  RelayService,
} from '../../cluster-service.ts';
import type { StreamEncoding } from '../../codec/encoding.ts';
import { TwinError } from '../../errors.ts';
import type { KnownJournal, LockstepNews, PackedHello, WorldPulse } from '../../twin/lockstep.ts';
import type { Asker, Watchable, WorldFrame } from '../../twin-service.ts';
import { FakeTwin, type FakeWorld } from './fake-twin.ts';
import { nextTurn } from './test-time.ts';

const HERE: Place = { at: 'here' };

/** Who watches which world of the other node. */
interface Watched {
  world: number;
  encoding: StreamEncoding;
  client: string;
}

/**
 * One of two nodes that reach each other without a network. What passes between them is copied, in a
 * later turn of the event loop, as a link would.
 */
export class FakeCluster implements ClusterService, RelayService {
  nodeCount = 2;
  readonly service: FakeTwin;
  readonly peer: Peer;
  /** The other node. */
  readonly #other: () => FakeCluster;
  /** Where a world is, unless it is where its twin is. */
  readonly places = new Map<number, Place>();
  /** Where a world between two nodes is in the end. */
  settles: Promise<Place> = Promise.resolve({ at: 'nowhere', retryMs: 1500 });
  /** Another node makes the worlds of this one. */
  createsElsewhere = false;
  /** What this node has forwarded. */
  readonly forwarded: ForwardedCall[] = [];
  /** Thrown where something is asked of the other node. */
  failure: Error | undefined = undefined;
  /** Pieces after which an answer breaks off. */
  piecesMax = Number.POSITIVE_INFINITY;
  /** How often it was asked for a world to watch. */
  askedCount = 0;
  /** Worlds of the other node that are watched here. */
  readonly watched: Watched[] = [];
  /** The other node answers a watcher once this resolves. */
  gate: Promise<void> = Promise.resolve();
  #answer: (call: ForwardedCall) => Promise<ForwardedReply> = () => Promise.reject(new Error());
  #sink: (frames: readonly WorldFrame[]) => void = () => {};
  #end: (worldNumber: number, code: 1012 | 1013) => void = () => {};
  #helloOf: HelloOf = () => Promise.reject(new Error());
  #askerOf: AskerOf | undefined;
  #news: NewsReceiver | undefined;

  private constructor(name: string, service: FakeTwin, other: () => FakeCluster) {
    this.service = service;
    this.peer = { process: name, twinUrl: undefined };
    this.#other = other;
  }

  static pair(): [near: FakeCluster, far: FakeCluster] {
    const near: FakeCluster = new FakeCluster('near', new FakeTwin(), () => far);
    const far: FakeCluster = new FakeCluster('far', new FakeTwin(987_654_321), () => near);
    return [near, far];
  }

  get relays(): RelayService {
    return this;
  }

  placeOf(worldNumber: number): Place {
    const isThere = this.#other().service.worlds.has(worldNumber);
    return this.places.get(worldNumber) ?? (isThere ? this.there : HERE);
  }

  /** At the other node. */
  get there(): Place {
    return { at: 'there', peer: this.#other().peer };
  }

  settledPlaceOf(): Promise<Place> {
    return this.settles;
  }

  async forward(call: ForwardedCall): Promise<ForwardedReply> {
    this.forwarded.push(structuredClone(call));
    if (this.failure) throw this.failure;
    await nextTurn();
    const reply = await this.#other().#answer(structuredClone(call));
    await nextTurn();
    if (this.failure) throw this.failure;
    const { body, ...head } = reply;
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    return { ...structuredClone(head), body: isWhole ? copied(body) : this.#passed(body) };
  }

  async *#passed(pieces: AsyncIterable<string | Uint8Array>) {
    let count = 0;
    for await (const piece of pieces) {
      if (count++ >= this.piecesMax) throw new Error('the link is broken');
      await nextTurn();
      yield copied(piece);
    }
  }

  placeOfCreation(): Peer | undefined {
    return this.createsElsewhere ? this.#other().peer : undefined;
  }

  forwardCreation(call: ForwardedCall): Promise<ForwardedReply> {
    return this.forward(call);
  }

  onCall(answer: (call: ForwardedCall) => Promise<ForwardedReply>): void {
    this.#answer = answer;
  }

  /** What this node answers to another one. */
  answer(call: ForwardedCall): Promise<ForwardedReply> {
    return this.#answer(call);
  }

  async watch(
    world: number,
    encoding: StreamEncoding,
    client: string,
    known?: KnownJournal,
  ): Promise<RelayedWorld> {
    this.askedCount++;
    await this.gate;
    if (this.failure) throw this.failure;
    const found = this.#other().service.worlds.get(world);
    if (found === undefined) throw new TwinError('unknown_world');
    found.watch(encoding, client, this.#other().askerOf(client));
    const hello = encoding === 'lockstep' ? await this.#other().hello(found, known) : undefined;
    this.watched.push({ world, encoding, client });
    return {
      hello,
      ...{ number: world, id: found.id, fleet: found.fleet, tick: () => found.tick() },
      unwatch: (ofEncoding, ofClient) => {
        found.unwatch(ofEncoding);
        const index = this.watched.findIndex(
          (each) =>
            each.world === world && each.encoding === ofEncoding && each.client === ofClient,
        );
        this.watched.splice(index, 1);
      },
    };
  }

  /** Who goes on watching worlds that have left this node. */
  follow(world: Watchable, encoding: StreamEncoding, client: string): RelayedWorld {
    const { number, id, fleet } = world;
    const watched = { world: number, encoding, client };
    this.watched.push(watched);
    return {
      ...{ number, id, fleet, tick: () => world.tick() },
      unwatch: () => void this.watched.splice(this.watched.indexOf(watched), 1),
    };
  }

  onFrames(sink: (frames: readonly WorldFrame[]) => void): void {
    this.#sink = sink;
  }

  onStreamEnd(end: (worldNumber: number, code: 1012 | 1013) => void): void {
    this.#end = end;
  }

  onHello(make: HelloOf): void {
    this.#helloOf = make;
  }

  onAsker(askerOf: AskerOf): void {
    this.#askerOf = askerOf;
  }

  /** Who pays for a client of the other node. */
  askerOf(client: string): Asker | undefined {
    return this.#askerOf?.(client);
  }

  /** The hello that this node makes of a world of its own. */
  hello(world: FakeWorld, known?: KnownJournal): Promise<PackedHello> {
    return this.#helloOf(world, known);
  }

  /** What those who live a world of the other node hear arrives here. */
  tell(world: number, news: LockstepNews): void {
    this.#other().heard(world, news);
  }

  heard(world: number, news: LockstepNews): void {
    const isWatched = this.watched.some(
      (each) => each.world === world && each.encoding === 'lockstep',
    );
    if (isWatched) this.#news?.tell(world, structuredClone(news));
  }

  /** Another node serves the world from now on. */
  serveAgain({ number }: FakeWorld, pulse: WorldPulse): void {
    this.#news?.pulse(number, pulse);
  }

  onNews(receiver: NewsReceiver): void {
    this.#news = receiver;
  }

  publish(): void {}

  end(): void {}

  /** Frames of worlds of the other node arrive here. */
  sendFrames(...worlds: FakeWorld[]): void {
    const frames = worlds.map((world) => ({
      world: { number: world.number },
      tick: world.tickNow,
      json: world.bytes('json'),
      msgpack: world.bytes('msgpack'),
    }));
    this.#sink(frames);
  }

  endStreams(world: FakeWorld, code: 1012 | 1013): void {
    this.#end(world.number, code);
  }
}

function copied(bytes: string | Uint8Array): string | Uint8Array {
  return typeof bytes === 'string' ? bytes : new Uint8Array(bytes);
}
