declare const VALUE: unique symbol;

/** A JSON Schema (2020-12) of values of type T. */
export type Schema<T = unknown> = Readonly<Record<string, unknown>> & { readonly [VALUE]?: T };

/** The type of the values that a schema describes. */
export type TypeOf<S> = S extends { readonly [VALUE]?: infer T } ? T : never;

export type Properties = Readonly<Record<string, Schema>>;

type Flat<T> = { [Name in keyof T]: T[Name] } & {};
type ObjectOf<P extends Properties, O extends Properties> = Flat<
  { [Name in keyof P]: TypeOf<P[Name]> } & { [Name in keyof O]?: TypeOf<O[Name]> }
>;

/** A closed object. All of `properties` are required; those of `optional` may be absent. */
export function object<P extends Properties, O extends Properties = Record<never, never>>(
  description: string,
  properties: P,
  optional?: O,
): Schema<ObjectOf<P, O>> {
  return {
    type: 'object',
    description,
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** An object with some of these keys. */
export function recordOf<K extends string, V>(
  keys: Schema<K>,
  values: Schema<V>,
  more: Readonly<Record<string, unknown>> = {},
): Schema<Partial<Record<K, V>>> {
  return { type: 'object', propertyNames: keys, additionalProperties: values, ...more };
}

export function list<T>(
  items: Schema<T>,
  bounds: Readonly<Record<string, unknown>> = {},
): Schema<T[]> {
  return { type: 'array', items, ...bounds };
}

export function oneOf<const V extends readonly string[]>(...values: V): Schema<V[number]> {
  return { type: 'string', enum: values };
}

export function anyOf<S extends readonly Schema[]>(...schemas: S): Schema<TypeOf<S[number]>> {
  return { anyOf: schemas };
}

export function constant<const V>(value: V): Schema<V> {
  return { const: value };
}

export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  const { type, enum: values } = schema;
  const widened = Array.isArray(values) ? { enum: [...values, null] } : {};
  return { ...schema, type: [type, 'null'], ...widened };
}

export function described<T>(description: string, schema: Schema<T>): Schema<T> {
  return { ...schema, description };
}

/** The same schema with an example value. */
export function like<T>(example: T, schema: Schema<T>): Schema<T> {
  return { ...schema, examples: [example] };
}

export const string: Schema<string> = { type: 'string' };
export const number: Schema<number> = { type: 'number' };
export const boolean: Schema<boolean> = { type: 'boolean' };
export const integer: Schema<number> = { type: 'integer' };
export const nonNegative: Schema<number> = { type: 'number', minimum: 0 };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const stringOrNull = orNull(string);
