import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import * as product from '../../../http/twin/schemas.ts';
import type { Schema } from '../../../schema.ts';
import { useTwin, vinOf } from './api.ts';
import type { ShapeName } from './schemas.ts';
import type { World } from './wire.ts';

const api = useTwin();
let world: World;
beforeAll(async () => {
  const changes = Array.from({ length: 20 }, (_, car) => ({
    tick: 0,
    car,
    features: { brakes: false, steering: false },
  }));
  world = await api.makeWorld({ journal: { seed: 7, city: 'grid', changes }, start_tick: 2000 });
});

type Json = Record<string, unknown>;

/** What describes an answer; the others describe what clients send, or a part of a path. */
const ANSWERS: Record<string, Schema> = {
  ErrorBody: product.ErrorBody,
  World: product.World,
  Cities: product.Cities,
  CityMap: product.CityMap,
  Snapshot: product.Snapshot,
  Hello: product.Hello,
  Catalogue: product.Catalogue,
  FeatureState: product.FeatureState,
  FeatureSetting: product.FeatureSetting,
  Telemetry: product.Telemetry,
  Vehicle: product.Vehicle,
  Route: product.Route,
  Incident: product.Incident,
  Incidents: product.Incidents,
  Events: product.Events,
  Replay: product.Replay,
  Journal: product.Journal,
};

/** Every schema of an object within a schema, with the way to it. */
function objectsIn(schema: unknown, at: string): [string, Json][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${at}.${key}`));
  return (schema as Json).type === 'object' ? [[at, schema as Json], ...inner] : inner;
}

describe('the schemas that the service publishes', () => {
  test('close every object and require all of it', () => {
    const objects = Object.entries(ANSWERS).flatMap(([name, schema]) => objectsIn(schema, name));
    expect(objects.length).toBeGreaterThan(30);
    for (const [at, { properties, required, additionalProperties, propertyNames }] of objects) {
      if (properties === undefined) {
        // A map by feature: its names are closed instead.
        expect([at, Array.isArray((propertyNames as Json | undefined)?.enum)]).toEqual([at, true]);
        continue;
      }
      expect([at, additionalProperties]).toEqual([at, false]);
      const optional = at === 'World' ? ['exact'] : [];
      const names = Object.keys(properties as Json).filter((name) => !optional.includes(name));
      expect([at, (required as string[]).toSorted()]).toEqual([at, names.toSorted()]);
    }
  });

  test('[H16] accept what the service really answers, which the client checks', async () => {
    const vin = vinOf(world, 0);
    const incidents = await api.world('incidents', world, '/incidents');
    expect(incidents.length).toBeGreaterThan(0);
    const answers: [ShapeName, string][] = [
      ['world', `/api/v1/worlds/${world.id}`],
      ['map', `/api/v1/worlds/${world.id}/map`],
      ['snapshot', `/api/v1/worlds/${world.id}/state`],
      ['incident', `/api/v1/worlds/${world.id}/incidents/${incidents[0]?.id}`],
      ['replay', `/api/v1/worlds/${world.id}/incidents/${incidents[0]?.id}/replay`],
      ['events', `/api/v1/worlds/${world.id}/events`],
      ['journal', `/api/v1/worlds/${world.id}/journal`],
      ['cities', '/api/v1/cities'],
      ['catalogue', '/api/v1/features'],
      ['vehicle', '/api/v1/vehicle'],
      ['featureState', '/api/v1/vehicle/features'],
      ['telemetry', '/api/v1/vehicle/telemetry'],
      ['route', '/api/v1/vehicle/route'],
      ['incidents', '/api/v1/vehicle/incidents'],
    ];
    for (const [shape, path] of answers) await api.get(shape, path, { vin });
    const put = { method: 'PUT', json: { enabled: true } };
    await api.vehicle('featureSetting', vin, '/features/esc', put);
    await api.refused('/api/v1/nowhere');
  });

  test('refuse an answer with anything more in it', async () => {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    const validate = ajv.compile(product.FeatureState);
    const state = await api.vehicle('featureState', vinOf(world, 0), '/features');
    expect(validate(state)).toBe(true);
    expect(validate({ ...state, more: 1 })).toBe(false);
    expect(validate({ ...state, declared: { ...state.declared, radio: true } })).toBe(false);
  });
});
