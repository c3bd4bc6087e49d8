/** A world of a node, as `POST /api/v1/worlds` answers it. */
export interface WatchedWorld {
  id: string;
  stream_url: string;
}

export type StreamParameters = Readonly<Record<string, string>>;

/** The addresses of a twin and of one of its worlds, from the address of the world's stream. */
export class TwinAddress {
  /** Id of the world. */
  readonly world: string;
  readonly #stream: URL;

  /** Throws RangeError if the stream is none of the world. */
  constructor({ id, stream_url: streamUrl }: WatchedWorld) {
    this.#stream = new URL(streamUrl);
    this.world = id;
    if (!this.#stream.pathname.endsWith(`/ws/worlds/${id}`)) {
      throw new RangeError(`${streamUrl} is no stream of ${id}`);
    }
  }

  stream(parameters: StreamParameters): string {
    const url = new URL(this.#stream);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Of a path of the twin, which begins with a slash. */
  rest(path: string): string {
    const { protocol, pathname } = this.#stream;
    const url = new URL(this.#stream);
    url.protocol = protocol === 'wss:' ? 'https:' : 'http:';
    url.pathname = pathname.slice(0, pathname.lastIndexOf('/ws/worlds/')) + path;
    url.search = '';
    return url.href;
  }

  /** Of a path below the world. */
  ofWorld(path = ''): string {
    return this.rest(`/api/v1/worlds/${this.world}${path}`);
  }
}
