import { STATUS_CODES } from 'node:http';
import { TwinError } from '../errors.ts';
import type { Route, RouteBody } from './router.ts';
import type { Schema } from './schema-parts.ts';

/** What is said of a service beside its routes. */
export interface Service {
  title: string;
  version: string;
  description: string;
  /** By the name that each goes by in the document. */
  schemas: Readonly<Record<string, Schema>>;
  /** Ways to say who one is, by the name that `security` uses. */
  securitySchemes: Readonly<Record<string, Schema>>;
  /** For each kind of route; any one of them will do. */
  security: Readonly<Record<Route['auth'], readonly string[]>>;
  /** The body of an error of a status. */
  errorSchema: (status: number) => Schema;
}

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of a service, from the routes that it serves. */
export function openApiOf(service: Service, routes: readonly Route[]): Json {
  const names = new Map(Object.entries(service.schemas).map(([name, schema]) => [schema, name]));
  const paths: Record<string, Json> = {};
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const operations = ofPath.map((route) => [
      route.method.toLowerCase(),
      operationOf(service, route),
    ]);
    paths[path] = Object.fromEntries(operations);
  }
  const schemas = Object.entries(service.schemas).map(([name, schema]) => [
    name,
    Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, named(part, names)])),
  ]);
  const { title, version, description, securitySchemes } = service;
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: named(paths, names),
    components: { securitySchemes, schemas: Object.fromEntries(schemas) },
  };
}

/** The same, with references in the place of schemas that have a name. */
function named(part: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(part);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(part)) return part.map((each) => named(each, names));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, named(each, names)]));
}

function operationOf(service: Service, route: Route): Json {
  const { operationId, summary, tag, auth, params = {}, query = {}, body } = route;
  const parameters = [
    ...Object.entries(params).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema,
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
  return { required, content: { [type]: { schema } } };
}

function answersOf({ answers }: Route): Json {
  const described = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    { description, ...(schema ? { content: { 'application/json': { schema } } } : {}) },
  ]);
  return Object.fromEntries(described);
}

function errorsOf(service: Service, { errors, refusals = {} }: Route): Json {
  const meanings = new Map(Object.entries(refusals).map(([status, text]) => [+status, [text]]));
  for (const code of errors) {
    const { status, hint } = new TwinError(code);
    meanings.set(status, [...(meanings.get(status) ?? []), `\`${code}\`: ${hint}`]);
  }
  const described = [...meanings].map(([status, texts]) => [
    String(status),
    {
      description: texts.join('\n') || STATUS_CODES[status],
      content: { 'application/json': { schema: service.errorSchema(status) } },
    },
  ]);
  return Object.fromEntries(described);
}
