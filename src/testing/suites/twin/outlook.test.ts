import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../rigs/until.ts';
import { useTwin } from './api.ts';
import type { Events, FeatureName, World } from './wire.ts';

/** Within a minute something has come of it. */
const SOON_S = 30;

const api = useTwin();
let world: World;
beforeAll(async () => {
  world = await api.makeWorld({ seed: 4711, city: 'old-town' });
});

describe('what is at stake next', () => {
  test('[W38] is told for each car, and for all cars soonest first', async () => {
    const { world: id, tick, outlook } = await api.world('WorldOutlook', world, '/outlook');
    expect(id).toBe(world.id);
    const vins = world.fleet.map(({ vin }) => vin);
    expect(new Set(outlook.map(({ vin }) => vin))).toEqual(new Set(vins));
    const times = outlook.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const hazards = new Map(world.hazards.map((spot) => [spot.id, spot.kind]));
    for (const { hazard, kind } of outlook) {
      if (hazard !== null) expect(hazards.get(hazard)).toBe(kind);
    }
    const [vin = ''] = vins;
    const own = await api.vehicle('VehicleOutlook', vin, '/outlook');
    expect(own.vin).toBe(vin);
    expect(own.tick).toBeGreaterThanOrEqual(tick);
    const features = own.outlook.map(({ feature }) => feature);
    expect(new Set(features).size).toBe(features.length);
    expect(features.length).toBeGreaterThan(0);
  });

  test('[W38] happens to a car whose feature is switched off', async () => {
    const { outlook } = await api.world('WorldOutlook', world, '/outlook');
    const next = outlook.find(
      ({ feature, time }) => feature === 'steering' && time > 3 && time < SOON_S,
    );
    if (next === undefined) throw new Error('nobody needs steering soon');
    const { vin } = next;
    await api.patch(vin, { steering: false });
    let shown: Events[number] | undefined;
    await until(
      'a consequence',
      async () => {
        const events = await api.world('Events', world, '/events');
        shown = events.find(
          (event) =>
            event.vin === vin &&
            (event.consequence === 'lane_departure' || event.kind === 'collision'),
        );
        return shown !== undefined;
      },
      60_000,
    );
    // A car that meets another one before it leaves its lane has the event of the collision.
    if (shown?.kind === 'collision') return;
    const steering: FeatureName = 'steering';
    expect(shown).toMatchObject({ kind: 'hazard', feature: steering });
    expect(shown?.count).toBeGreaterThanOrEqual(1);
  });

  test('[W38] is refused like other reads', async () => {
    expect(await api.refusal('/api/v1/worlds/0000000000/outlook')).toEqual([404, 'unknown_world']);
    expect(await api.refusal('/api/v1/vehicle/outlook')).toEqual([401, 'missing_vin']);
  });
});
