import type { AskerOf, HelloOf, RelayedWorld, RelayService } from '../cluster-service.ts';
import type { StreamEncoding } from '../codec/encoding.ts';
import type { LinkClient } from '../link/contract.ts';
import type { LockstepNews } from '../twin/lockstep.ts';
import type { StreamEnd, TwinService, Watchable, WorldFrame } from '../twin-service.ts';
import {
  END,
  FRAME,
  type FrontEndParts,
  NEWS,
  type Relay,
  type RelayedEnd,
  type RelayedFrame,
  type RelayedNews,
  RelayServer,
} from './relay-server.ts';
import { type RelayDependencies, RelayedWorlds } from './relayed-worlds.ts';

interface RelayedService {
  service: Pick<TwinService, 'load' | 'peek'>;
}

/** The streams that cross nodes: those of this node's worlds elsewhere, and of others' worlds here. */
export class Relays implements RelayService {
  readonly server: RelayServer;
  readonly worlds: RelayedWorlds;
  #helloOf: HelloOf = () => Promise.reject(new Error('no front end is open'));
  #askerOf: AskerOf | undefined;

  constructor(dependencies: Omit<RelayDependencies, keyof FrontEndParts> & RelayedService) {
    const parts: FrontEndParts = {
      helloOf: (world, known) => this.#helloOf(world, known),
      askerOf: (client) => this.#askerOf?.(client),
    };
    this.server = new RelayServer({ ...dependencies, ...parts });
    this.worlds = new RelayedWorlds({ ...dependencies, ...parts });
  }

  /** A message of a node that serves worlds for this one. */
  received(process: string, kind: string, value: unknown, bytes: Uint8Array): void {
    if (kind === FRAME) this.worlds.framed(process, value as RelayedFrame, bytes);
    else if (kind === NEWS) this.worlds.told(value as RelayedNews, bytes);
    else if (kind === END) this.worlds.ended(process, value as RelayedEnd);
  }

  /** A world has come to this node that another one has shown: see `RelayServer.expect`. */
  expect({ world, encoding }: Relay, to: LinkClient | 'here'): void {
    this.server.expect(world, encoding, to);
  }

  watch(...asked: Parameters<RelayService['watch']>): Promise<RelayedWorld> {
    return this.worlds.watch(...asked);
  }

  follow(world: Watchable, encoding: StreamEncoding, client: string): RelayedWorld {
    return this.worlds.follow(world, encoding, client);
  }

  onFrames(publish: (frames: readonly WorldFrame[]) => void): void {
    this.worlds.use({ publish });
  }

  onStreamEnd(end: (worldNumber: number, code: 1012 | 1013) => void): void {
    this.worlds.use({ end });
  }

  onNews(receiver: Parameters<RelayService['onNews']>[0]): void {
    this.worlds.use({
      tell: (...told) => receiver.tell(...told),
      pulse: (...told) => receiver.pulse(...told),
    });
  }

  onHello(make: HelloOf): void {
    this.#helloOf = make;
  }

  onAsker(askerOf: AskerOf): void {
    this.#askerOf = askerOf;
  }

  publish(frames: readonly WorldFrame[]): void {
    this.server.publish(frames);
  }

  tell(worldNumber: number, news: LockstepNews): void {
    this.server.tell(worldNumber, news);
  }

  end(worldNumber: number, why: StreamEnd): void {
    this.server.end(worldNumber, why);
    if (why === 'moved') this.worlds.left(worldNumber);
  }
}
