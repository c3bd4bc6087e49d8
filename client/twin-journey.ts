import createClient from 'openapi-fetch';
import type { components, paths } from './twin.ts';

type World = components['schemas']['World'];
type Features = components['schemas']['FeatureState'];

/** What somebody meets who makes a world and switches the brakes of its first car off. */
interface Journey {
  world: World;
  vin: string;
  telemetry: components['schemas']['Telemetry'];
  features: Features;
}

async function journey(baseUrl: string): Promise<Journey> {
  const api = createClient<paths>({ baseUrl });
  const made = dataOf(await api.POST('/api/v1/worlds', { body: { city: 'old-town', seed: 7 } }));
  const path = { id: made.id };
  const world = dataOf(await api.GET('/api/v1/worlds/{id}', { params: { path } }));
  const vin = world.fleet[0]?.vin ?? '';

  const car = createClient<paths>({ baseUrl, headers: { 'X-VIN': vin } });
  const telemetry = dataOf(await car.GET('/api/v1/vehicle/telemetry'));
  dataOf(await car.PATCH('/api/v1/vehicle/features', { body: { brakes: false } }));
  return { world, vin, telemetry, features: dataOf(await car.GET('/api/v1/vehicle/features')) };
}

/** What an answer holds. Throws what it holds where it is a refusal. */
function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

console.log(JSON.stringify(await journey(process.argv[2] ?? '')));
