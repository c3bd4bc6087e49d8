import { STATUS_CODES } from 'node:http';
import { TwinError } from '../../errors.ts';
import type { Schema } from '../../schema.ts';
import type { Route, RouteBody } from '../server/router.ts';
import { exampleOf } from './examples.ts';

/** The description of a service in addition to its routes. */
export interface Service {
  title: string;
  version: string;
  description: string;
  /** By name in the document. */
  /** Texts of examples that the document must not show. */
  withheld?: ReadonlySet<unknown>;
  schemas: Readonly<Record<string, Schema>>;
  /** By the names that `security` uses. */
  securitySchemes: Readonly<Record<string, Schema>>;
  /** Accepted schemes for each kind of credential. */
  security: Readonly<Record<Route['auth'], readonly string[]>>;
  /** Descriptions of tags. */
  tags: Readonly<Record<string, string>>;
  /** Schema of an error body. */
  errorSchema: (status: number) => Schema;
  /** Body for an error of the front end. */
  errorOf: (error: TwinError) => unknown;
  /** Example body for an error of the service itself. */
  errorExample: (status: number) => unknown;
}

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of a service, from the routes that it serves. */
export function openApiOf(service: Service, routes: readonly Route[]): Json {
  const names = namesOf(service.schemas);
  const paths: Record<string, Json> = {};
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const operations = ofPath.map((route) => [
      route.method.toLowerCase(),
      operationOf(service, route),
    ]);
    paths[path] = Object.fromEntries(operations);
  }
  const { title, version, description, securitySchemes } = service;
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: Object.entries(service.tags).map(([name, about]) => ({ name, description: about })),
    paths: withReferences(paths, names),
    components: { securitySchemes, schemas: namedSchemas(service.schemas) },
  };
}

/** Schemas by name, with references to each other. */
export function namedSchemas(schemas: Service['schemas']): Json {
  const names = namesOf(schemas);
  return mapValues(schemas, (schema) => mapValues(schema, (part) => withReferences(part, names)));
}

function namesOf(schemas: Service['schemas']): ReadonlyMap<unknown, string> {
  return new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
}

/** Replaces named schemas by references. */
function withReferences(part: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(part);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(part)) return part.map((each) => withReferences(each, names));
  if (typeof part !== 'object' || part === null) return part;
  return mapValues(part as Json, (each) => withReferences(each, names));
}

function mapValues<T>(object: Readonly<Record<string, T>>, map: (value: T) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

function operationOf(service: Service, route: Route): Json {
  const { operationId, summary, tag, auth, params = {}, query = {}, body } = route;
  const parameters = [
    ...Object.entries(params).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema,
      example: exampleOf(schema),
    })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
  ];
  return {
    operationId,
    summary,
    tags: [tag],
    security: service.security[auth].map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body?.schema ? { requestBody: requestBodyOf(body) } : {}),
    responses: { ...answersOf(route), ...errorsOf(service, route) },
  };
}

function requestBodyOf({ schema, required = false, type = 'application/json' }: RouteBody): Json {
  return { required, content: { [type]: contentOf(schema as Schema) } };
}

function contentOf(schema: Schema): Json {
  return { schema, example: exampleOf(schema) };
}

function answersOf({ answers }: Route): Json {
  return mapValues(answers, ({ description, schema }) => ({
    description,
    ...(schema ? { content: { 'application/json': contentOf(schema) } } : {}),
  }));
}

/** Errors of every request, and of requests with a body. */
const ERRORS_OF_ALL = ['unsupported_encoding'] as const;
const ERRORS_OF_BODIES = ['body_too_large', ...ERRORS_OF_ALL] as const;

function errorsOf(service: Service, { errors, refusals = {}, body }: Route): Json {
  const codes = [...errors, ...(body?.schema ? ERRORS_OF_BODIES : ERRORS_OF_ALL)];
  const known = codes.map((code) => new TwinError(code));
  const ofStatus = Map.groupBy(known, ({ status }) => String(status));
  const described = [...new Set([...Object.keys(refusals), ...ofStatus.keys()])].map((status) => {
    const errorsOfStatus = ofStatus.get(status) ?? [];
    const hints = errorsOfStatus.map(({ code, hint }) => `\`${code}\`: ${hint}`);
    const about = [...(refusals[+status] ? [refusals[+status]] : []), ...hints].join('\n');
    return [status, refusalOf(service, +status, about || STATUS_CODES[status], errorsOfStatus)];
  });
  return {
    ...Object.fromEntries(described),
    default: refusalOf(service, 500, 'Any other refusal', []),
  };
}

function refusalOf(
  service: Service,
  status: number,
  description: string | undefined,
  known: readonly TwinError[],
): Json {
  const schema = service.errorSchema(status);
  const byCode = known.map((error) => [error.code, { value: service.errorOf(error) }]);
  const example = { example: service.errorExample(status) };
  const shown = byCode.length > 0 ? { examples: Object.fromEntries(byCode) } : example;
  return { description, content: { 'application/json': { schema, ...shown } } };
}
