import type { Encoding } from '../../codec/encoding.ts';
import type { TwinErrorCode } from '../../errors.ts';
import type { Schema } from '../../schema.ts';
import type { Head } from './head.ts';
import type { Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request as its handler sees it. It stays valid after the client has gone. */
export interface Call {
  readonly head: Head;
  /** What stands in the places of the path's {names}, decoded, in order. */
  readonly params: readonly string[];
  /** As it came, without the question mark. */
  readonly query: string;
  /** Of the answer. */
  readonly encoding: Encoding;
  /** Empty where there was none, or where the route has none. */
  readonly body: Uint8Array;
  /** In the answer, and in what is logged. */
  readonly requestId: string;
  /** What limits know the client by. Ask before the first await: a client may be gone after it. */
  addressKey(): string;
}

/** What a body may have unless its route says otherwise. */
export const BODY_BYTES_MAX = 65_536;

export interface RouteBody {
  /** 413 beyond. */
  maxBytes: number;
  /** Undefined where what is sent is ignored. */
  schema?: Schema;
  required?: boolean;
  /** By default JSON. */
  type?: 'application/json' | 'application/x-www-form-urlencoded';
}

export interface RouteAnswer {
  description: string;
  /** Undefined where there is no JSON body. */
  schema?: Schema;
}

/** One operation: enough to serve it and to describe it. */
export interface Route {
  method: Method;
  /** With parameters as `{name}`, each a whole segment. */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  /** What must be sent to be let in. */
  auth: 'none' | 'vin' | 'bearer';
  /** Present: the handler runs once the request has come to its end. All that write have it. */
  body?: RouteBody;
  /** By parameter name. */
  params?: Readonly<Record<string, Schema>>;
  query?: Readonly<Record<string, Schema>>;
  /** By status; errors apart. */
  answers: Readonly<Record<number, RouteAnswer>>;
  errors: readonly TwinErrorCode[];
  /** Statuses of refusals that have no code, with what they mean. */
  refusals?: Readonly<Record<number, string>>;
  handle: (call: Call) => Reply | Promise<Reply>;
}

/** The operations of one path. */
export interface Resource {
  path: string;
  routes: ReadonlyMap<string, Route>;
  /** For the header of a 405. */
  allow: string;
}

export interface Match {
  resource: Resource;
  params: readonly string[];
}

const NO_PARAMS: readonly string[] = [];
const PARAMETER = '{}';

/** A path segment; children by their text, a parameter under `{}`. */
interface Segment {
  children: Map<string, Segment>;
  resource: Resource | undefined;
}

/** Finds the resource at a path. A path of literals only is one look-up. */
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

  /** @param path as it came, still percent-encoded; undefined where nothing is at it */
  match(path: string): Match | undefined {
    return this.#literal.get(path) ?? this.#matchSegments(path);
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
  const byMethod = new Map<string, Route>(routes.map((route) => [route.method, route]));
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
