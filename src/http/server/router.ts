import type { Encoding } from '../../codec/encoding.ts';
import type { TwinErrorCode } from '../../errors.ts';
import type { Schema } from '../../schema.ts';
import type { CallHead } from './head.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Reply } from './reply.ts';
import type { Span } from './traces.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request as handlers see it. It stays valid after the client has disconnected. */
export interface Call {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly head: CallHead;
  /** Values of the path's {parameters}, decoded, in order. */
  readonly params: readonly string[];
  /** Undecoded, without the question mark. */
  readonly query: string;
  /** Encoding of the answer. */
  readonly encoding: Encoding;
  /** Empty if there was none, or if the route takes none. */
  readonly body: Uint8Array;
  /** Appears in the answer and in the log. */
  readonly requestId: string;
  /** Undefined: it is in no trace that is logged. */
  readonly span?: Span | undefined;
  /**
   * The client's key in limits, which takes 3 µs to find. Throws TwinError if it is asked for the
   * first time after the client has disconnected: nobody waits for an answer then.
   */
  addressKey(): string;
  /** Base of this service's URLs for the client, where another node has received the request. */
  readonly publicUrl?: string;
}

/** Default limit of bodies. */
export const BODY_BYTES_MAX = 65_536;

export interface RouteBody {
  maxBytes: number;
  /** Undefined: the body is ignored. */
  schema?: Schema;
  required?: boolean;
  /** Default: JSON. */
  type?: 'application/json' | 'application/x-www-form-urlencoded';
}

interface RouteAnswer {
  description: string;
  /** Undefined: no JSON body. */
  schema?: Schema;
}

/** One operation: how it is served and how the documents describe it. */
export interface Route {
  method: Method;
  /** Parameters are whole segments: `{name}`. */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  /** Kind of credential. */
  auth: 'none' | 'vin' | 'bearer';
  /** If present, the handler runs after the complete request. Every route that writes has one. */
  body?: RouteBody;
  params?: Readonly<Record<string, Schema>>;
  query?: Readonly<Record<string, Schema>>;
  /** Successful answers by status. */
  answers: Readonly<Record<number, RouteAnswer>>;
  errors: readonly TwinErrorCode[];
  /** Descriptions of refusals without an error code, by status. */
  refusals?: Readonly<Record<number, string>>;
  handle: (call: Call) => MaybePromise<Reply>;
  /**
   * What says which node answers, where there are several: the world of `{id}`, the car of the
   * credential, or who makes worlds. By default any node does.
   */
  place?: 'world' | 'car' | 'creation';
  /**
   * Of a creation: the world of which the new one is made, and whose node makes it. Undefined: any node
   * makes it. Throws what the handler would throw for a wrong body.
   */
  originOf?: (call: Call) => MaybePromise<number | undefined>;
  /**
   * Of a route whose bodies all nodes have: answers with this node's, where the world is at another
   * node. Undefined if it cannot.
   * @param there what that node answers to `If-None-Match: *`: 304 if the world exists
   */
  answerHere?: (
    call: Call,
    there: Pick<Reply, 'status' | 'headers'>,
  ) => MaybePromise<Reply | undefined>;
}

/** The operations of one path. */
export interface Resource {
  path: string;
  /** By method. A GET that changes nothing also answers HEAD. */
  routes: ReadonlyMap<string, Route>;
  /** The `Allow` header. */
  allow: string;
}

export interface Match {
  resource: Resource;
  params: readonly string[];
}

const NO_PARAMS: readonly string[] = [];
const PARAMETER = '{}';

/** A path segment. Its children are stored by text, a parameter as `{}`. */
interface Segment {
  children: Map<string, Segment>;
  resource: Resource | undefined;
}

/** Finds the resource of a path. A path without parameters takes one look-up. */
export class Router {
  readonly routes: readonly Route[];
  readonly #literal = new Map<string, Match>();
  readonly #root: Segment = { children: new Map(), resource: undefined };

  constructor(routes: readonly Route[]) {
    this.routes = routes;
    for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
      this.#add(resourceOf(path, ofPath));
    }
  }

  #add(resource: Resource): void {
    if (!resource.path.includes('{')) {
      this.#literal.set(resource.path, { resource, params: NO_PARAMS });
      return;
    }
    let segment = this.#root;
    for (const part of resource.path.split('/').slice(1)) {
      const key = part.startsWith('{') ? PARAMETER : part;
      const child = segment.children.get(key) ?? { children: new Map(), resource: undefined };
      segment.children.set(key, child);
      segment = child;
    }
    segment.resource = resource;
  }

  /** @param path percent-encoded */
  match(path: string): Match | undefined {
    return this.#literal.get(path) ?? this.#matchSegments(path);
  }

  /** The path without its trailing slash, if only that path has a resource. */
  withoutSlash(path: string): string | undefined {
    if (!path.endsWith('/') || this.match(path) !== undefined) return undefined;
    const shorter = path.slice(0, -1);
    return this.match(shorter) && shorter;
  }

  #matchSegments(path: string): Match | undefined {
    const parts = path.split('/');
    const params: string[] = [];
    let segment = this.#root;
    for (let i = 1; i < parts.length; i++) {
      const part = parts[i] as string;
      const literal = part === PARAMETER ? undefined : segment.children.get(part);
      const child = literal ?? segment.children.get(PARAMETER);
      if (child === undefined || part === '') return undefined;
      if (literal === undefined) {
        const param = decoded(part);
        if (param === undefined) return undefined;
        params.push(param);
      }
      segment = child;
    }
    return segment.resource && { resource: segment.resource, params };
  }
}

function resourceOf(path: string, routes: readonly Route[]): Resource {
  const byMethod = new Map<string, Route>();
  for (const route of routes) {
    byMethod.set(route.method, route);
    if (route.method === 'GET' && !route.body) byMethod.set('HEAD', route);
  }
  const allow = [...byMethod.keys(), 'OPTIONS'].join(', ');
  return { path, routes: byMethod, allow };
}

function decoded(part: string): string | undefined {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
