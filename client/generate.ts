import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';

type Schemas = Record<string, SchemaObject>;

/** The types of a service as TypeScript, from the text of its OpenAPI document. */
export async function typesOf(document: string): Promise<string> {
  return astToString(await openapiTS(document));
}

/**
 * One exported, read-only type for each schema.
 * @param schemas by name; JSON Schemas that refer to each other by `#/components/schemas/…`
 */
export async function schemaTypesOf(schemas: Schemas): Promise<string> {
  const info = { title: 'schemas', version: '1' };
  const types = await openapiTS(
    { openapi: '3.1.0', info, paths: {}, components: { schemas } },
    {
      immutable: true,
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      // Without this a point is a list of any length, and each of its numbers may be undefined.
      transform: (schema) => (isPairOfNumbers(schema) ? PAIR : undefined),
    },
  );
  return astToString(types);
}

const PAIR = ts.factory.createTypeReferenceNode('Readonly<[number, number]>');

function isPairOfNumbers(schema: object): boolean {
  const { type, minItems, maxItems } = schema as Record<string, unknown>;
  return type === 'array' && minItems === 2 && maxItems === 2;
}
