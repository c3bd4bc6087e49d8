import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from '../../src/schema.ts';

export type Service = 'twin' | 'dealer';
export const SERVICES = ['twin', 'dealer'] as const;

interface Described {
  operationId: string;
  security: Readonly<Record<string, unknown>>[];
  parameters?: { name: string; in: 'path' | 'query'; schema: Schema }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: Schema; example: unknown }>;
  };
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** What a request of one operation can have, from the OpenAPI document of its service. */
export interface Operation {
  service: Service;
  id: string;
  method: string;
  /** With `{parameters}`. */
  path: string;
  query: Readonly<Record<string, Schema>>;
  needsToken: boolean;
  needsVin: boolean;
  body: { type: string; schema: Schema; example: unknown } | undefined;
}

const documents = Object.fromEntries(
  SERVICES.map((service) => {
    const file = new URL(`../../docs/api/${service}.openapi.json`, import.meta.url);
    return [service, JSON.parse(readFileSync(fileURLToPath(file), 'utf8'))];
  }),
) as Record<Service, Document>;

/** All operations of a service. */
export function operationsOf(service: Service): Operation[] {
  return Object.entries(documents[service].paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([verb, described]) => {
      const { operationId: id, security, parameters = [], requestBody } = described;
      const queries = parameters.filter((each) => each.in === 'query');
      const schemes = security.flatMap((each) => Object.keys(each));
      const [content] = Object.entries(requestBody?.content ?? {});
      return {
        service,
        id,
        method: verb.toUpperCase(),
        path,
        query: Object.fromEntries(queries.map(({ name, schema }) => [name, schema])),
        needsToken: service === 'dealer' && schemes.length > 0,
        needsVin: service === 'twin' && schemes.length > 0,
        body: content && { type: content[0], ...content[1] },
      };
    }),
  );
}

/** Says whether a value is as a schema of a service's document has it. */
export function validatorOf(service: Service, schema: Schema): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...documents[service] });
  const { $ref, ...rest } = schema;
  const absolute = $ref === undefined ? rest : { $ref: `document${$ref}` };
  return ajv.compile(absolute);
}

/** The schema itself, or that to which it refers. */
export function resolved(service: Service, schema: Schema): Schema {
  const [, name] = /^#\/components\/schemas\/(.*)$/.exec(String(schema.$ref)) ?? [];
  return name === undefined ? schema : (documents[service].components.schemas[name] as Schema);
}
