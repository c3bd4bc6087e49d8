import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema } from '../../src/schema.ts';
import { type Caller, SERVICES, type Service, WORLD_ID } from './input.ts';

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

/** Values of the parameters of paths. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: WORLD_ID,
  incident: 'i1',
  name: 'aeb',
  file: 'viewer.js',
  vin: 'DEMCAR00000000001',
  username: 'anna',
};
/** Who calls what a dealer may not. Nobody else may call a reset: it would end all log-ins. */
const CALLERS: Readonly<Record<string, Caller>> = {
  createDealer: 'admin',
  deleteDealer: 'admin',
  getAdmin: 'admin',
  changeAdmin: 'admin',
  changeProfile: 'customer',
};

/** What a request of one operation can have, from the OpenAPI document of its service. */
export interface Operation {
  service: Service;
  id: string;
  method: string;
  /** Its path, with values for the parameters. */
  target: string;
  query: Readonly<Record<string, Schema>>;
  /** Whose token it needs; undefined: none. */
  caller: Caller | undefined;
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
        // A dealer that no other input needs.
        target: withParameters(path, id === 'deleteDealer' ? { username: 'fjallbilar' } : {}),
        query: Object.fromEntries(queries.map(({ name, schema }) => [name, schema])),
        caller: service === 'dealer' && schemes.length > 0 ? (CALLERS[id] ?? 'dealer') : undefined,
        needsVin: service === 'twin' && schemes.length > 0,
        body: content && { type: content[0], ...content[1] },
      };
    }),
  );
}

function withParameters(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? PARAMETERS[name] ?? name);
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
