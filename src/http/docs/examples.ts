import type { Schema } from '../../schema.ts';

const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-03-02T08:00:00.000Z',
  email: 'anna@example.com',
  password: 'customer-demo',
  uri: 'http://127.0.0.1:8080/',
};

/**
 * A value that matches a schema: the schema's example, or one composed of the examples of its
 * required parts.
 */
export function exampleOf(schema: Schema): unknown {
  const { examples, anyOf, enum: values, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return exampleOfObject(schema);
    case 'array': {
      const { items, minItems = 1 } = schema;
      return Array.from({ length: minItems as number }, () => exampleOf(items as Schema));
    }
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return OF_FORMATS[schema.format as string] ?? 'text';
  }
}

function exampleOfObject({ properties = {}, required = [] }: Schema): unknown {
  const parts = properties as Readonly<Record<string, Schema>>;
  const names = required as readonly string[];
  return Object.fromEntries(names.map((name) => [name, exampleOf(parts[name] ?? {})]));
}
