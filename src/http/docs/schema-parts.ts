/** A JSON Schema (2020-12), and pieces that such are put together from. */
export type Schema = Readonly<Record<string, unknown>>;

export type Properties = Readonly<Record<string, Schema>>;

/** All of `properties` are there; those of `optional` may be. */
export function object(
  description: string,
  properties: Properties,
  optional: Properties = {},
): Schema {
  return {
    type: 'object',
    description,
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export function list(items: Schema, bounds: Schema = {}): Schema {
  return { type: 'array', items, ...bounds };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/** The same, with what stands for it in examples. */
export function like(example: unknown, schema: Schema): Schema {
  return { ...schema, examples: [example] };
}

export const string: Schema = { type: 'string' };
export const number: Schema = { type: 'number' };
export const boolean: Schema = { type: 'boolean' };
export const stringOrNull: Schema = { type: ['string', 'null'] };
export const nonNegative: Schema = { type: 'number', minimum: 0 };
export const integer: Schema = { type: 'integer' };
