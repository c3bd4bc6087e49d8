import type { ClusterOperator } from '../../cluster-operator.ts';
import { prefersHtml } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import { parseObject } from '../../json.ts';
import { PARTITION_COUNT } from '../../limits.ts';
import { parseWorldId } from '../../twin/ids.ts';
import { type Asset, fresh } from '../pages/assets.ts';
import type { MaybePromise } from '../server/maybe-promise.ts';
import { ok, type Reply } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';
import { refuseForeignPages } from './own-pages.ts';

/** A number and a name. */
const BODY_BYTES_MAX = 1024;
/** What it shows is soon over. */
const NOT_STORED = [['Cache-Control', 'no-store']] as const;

export interface ClusterRouteDependencies {
  operator: ClusterOperator;
  /** What a browser gets. */
  page: () => Asset;
  /** Host of the private port, as it is set. */
  opsHost: string;
}

/** What operators see of the cluster, and can do there; for a private port. */
export function clusterRoutes({ operator, page, opsHost }: ClusterRouteDependencies): Route[] {
  const post = (
    path: string,
    summary: string,
    names: readonly string[],
    act: (fields: ReadonlyMap<string, unknown>) => Promise<Reply>,
  ): Route => ({
    ...about(path, summary),
    method: 'POST',
    body: { maxBytes: BODY_BYTES_MAX },
    errors: ['foreign_origin', 'unsupported_type', 'invalid_body', 'unknown_node', 'conflict'],
    handle: ({ head, body }) => {
      refuseForeignPages(head, opsHost);
      return act(fieldsOf(body, names));
    },
  });
  return [
    get('/cluster', 'The nodes, the partitions and their last moves', (call) => {
      if (prefersHtml(call.head.accept)) return fresh(page(), call);
      return operator.status().then((status) => json(200, status));
    }),
    get('/cluster/world/{id}', 'Which node serves a world', ({ params }) => {
      const worldNumber = parseWorldId(params[0] ?? '');
      if (worldNumber === undefined) throw new TwinError('unknown_world', 'This is no world id.');
      return json(200, operator.placeOf(worldNumber));
    }),
    post('/cluster/drain', 'Have a node give its partitions to the others', ['node'], async (by) =>
      // It begins only.
      json(202, await operator.drain(optionalName(by, 'node'))),
    ),
    post('/cluster/undrain', 'Have a node take partitions again', ['node'], async (by) =>
      json(200, await operator.undrain(optionalName(by, 'node'))),
    ),
    post('/cluster/move', 'Give a partition to a node', ['partition', 'to'], async (by) =>
      json(200, await operator.move(partitionIn(by), nameIn(by, 'to'))),
    ),
  ];
}

function about(path: string, summary: string) {
  return {
    path,
    operationId: path.replaceAll(/\W+(\w)?/g, (_, letter = '') => letter.toUpperCase()),
    summary,
    tag: 'operations',
    auth: 'none' as const,
    answers: { 200: { description: summary } },
  };
}

function get(path: string, summary: string, handle: (call: Call) => MaybePromise<Reply>): Route {
  return { ...about(path, summary), method: 'GET', errors: [], handle };
}

function json(status: number, value: unknown): Reply {
  return { ...ok(value, 'json'), status, headers: NOT_STORED };
}

/** The fields of a body, which may be empty. Throws TwinError `invalid_json` or `invalid_body`. */
function fieldsOf(body: Uint8Array, names: readonly string[]): ReadonlyMap<string, unknown> {
  if (body.length === 0) return new Map();
  const fields = parseObject(body);
  if ([...fields.keys()].every((name) => names.includes(name))) return fields;
  throw new TwinError('invalid_body', `Send an object with no other fields than ${names.join()}.`);
}

function nameIn(fields: ReadonlyMap<string, unknown>, field: string): string {
  const name = fields.get(field);
  if (typeof name === 'string' && name !== '') return name;
  throw new TwinError('invalid_value', `"${field}" must be the name or the process of a node.`);
}

function optionalName(fields: ReadonlyMap<string, unknown>, field: string): string | undefined {
  return fields.has(field) ? nameIn(fields, field) : undefined;
}

function partitionIn(fields: ReadonlyMap<string, unknown>): number {
  const partition = fields.get('partition');
  const isPartition = Number.isInteger(partition) && Number(partition) >= 0;
  if (isPartition && Number(partition) < PARTITION_COUNT) return Number(partition);
  const range = `from 0 to ${PARTITION_COUNT - 1}`;
  throw new TwinError('invalid_value', `"partition" must be a whole number ${range}.`);
}
