import { expect, test } from 'vitest';
import { until } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';

const api = useTwin();

test('[W40] what a car perceives names cars and spots of its world, at their places', async () => {
  const world = await api.makeWorld({ seed: 31, city: 'mixed-town', start_tick: 3000 });
  const spots = new Map(world.hazards.map(({ id, kind }) => [id, kind]));
  const vins = new Set(world.fleet.map(({ vin }) => vin));
  const sensors = new Set<string>();
  await until('something that each sensor knows', async () => {
    for (const [car] of world.fleet.entries()) {
      const vin = vinOf(world, car);
      const { intent, detections, ...rest } = await api.vehicle('Perception', vin, '/perception');
      expect(rest).toEqual({ vin, tick: expect.any(Number) });
      for (const each of detections) {
        expect(each.vin).not.toBe(vin);
        if (each.vin === null) expect(spots.get(each.hazard ?? '')).toBe(each.kind);
        else expect([vins.has(each.vin), each.kind]).toEqual([true, 'vehicle']);
        for (const name of each.sensors) sensors.add(name);
      }
      const known = detections.map((each) => each.vin ?? each.hazard);
      const about = intent.vin ?? intent.hazard;
      if (about !== null) expect(known).toContain(about);
    }
    return sensors.size === 3;
  });
});

test('[W40] a car whose sensors are off perceives nothing', async () => {
  const world = await api.makeWorld({ seed: 31, city: 'mixed-town', start_tick: 3000 });
  const vin = vinOf(world, 0);
  await api.patch(vin, { front_camera: false, front_radar: false, corner_radars: false });
  await until('that it has forgotten everything', async () => {
    const { detections } = await api.vehicle('Perception', vin, '/perception');
    return detections.length === 0;
  });
});
