import { expect, test } from 'vitest';
import * as schemas from './schemas.ts';

type Json = Record<string, unknown>;

/** Requests may contain more fields than the schema describes. */
const REQUESTS = ['WorldOptions', 'FeaturePatch', 'FeaturePut'];

/** Every schema of an object within a schema, with its path. */
function objectsIn(schema: unknown, at: string): [string, Json][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${at}.${key}`));
  return (schema as Json).type === 'object' ? [[at, schema as Json], ...inner] : inner;
}

/** What an answer has only where it says something. */
const OPTIONAL: Record<string, string[]> = { World: ['exact'], State: ['hash'] };

test('the schemas of answers close every object and require all of it', () => {
  const answers = Object.entries(schemas).filter(([name]) => !REQUESTS.includes(name));
  const objects = answers.flatMap(([name, schema]) => objectsIn(schema, name));
  expect(objects.length).toBeGreaterThan(30);
  for (const [at, { properties, required, additionalProperties, propertyNames }] of objects) {
    if (properties === undefined) {
      // A map by feature: its names are closed instead.
      expect([at, Array.isArray((propertyNames as Json | undefined)?.enum)]).toEqual([at, true]);
      continue;
    }
    expect([at, additionalProperties]).toEqual([at, false]);
    const optional = OPTIONAL[at] ?? [];
    const names = Object.keys(properties as Json).filter((name) => !optional.includes(name));
    expect([at, (required as string[]).toSorted()]).toEqual([at, names.toSorted()]);
  }
});
