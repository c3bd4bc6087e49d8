import { describe, expect, test } from 'vitest';
import { at, lengthOf } from '../../src/city/geometry.ts';
import { NOSE_M } from '../../src/testing/rigs/course.ts';
import { acts, contactOf, stageOf, stepUntil } from '../../src/testing/rigs/hazard-stage.ts';
import { cities, look, makeOneWorld } from '../../src/testing/rigs/kernel.ts';
import {
  A_CAR,
  A_SENT,
  A_STATION,
  C_ACCEL_WANTED,
  C_STOOD_TICK,
  CAR_COUNT,
  CONTACT_VEHICLE,
  F_ALL,
  F_THROTTLE,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARDS,
} from '../layout.ts';

/** Two minutes each, in turn of the cities that have such a spot. */
const WORLDS = 45;

describe('A stall', () => {
  const stalled = (wayM: number, speedMps = 0) => ({ wayM, speedMps, features: 0 });

  test('is approached by a lorry that sees it 30 m ahead and brakes 1.2 s later.', () => {
    const stage = stageOf('blind_stall');
    const [car] = stage.set(stalled(2));
    const contact = contactOf(stage, 590);
    expect(contact).toMatchObject({ kind: CONTACT_VEHICLE, hazard: stage.spot, striking: 1 });
    expect(contact?.parties[0].car).toBe(car);
    // 12.5 m/s: 15 m until it brakes, then 15 m at 4 m/s²: √(12.5² − 2·4·15) = 6.0 m/s.
    // It looks in steps of 1.5 m, which makes it 1.5 m earlier at most: 4.9 m/s.
    expect(contact?.closingMps).toBeGreaterThan(4.8);
    expect(contact?.closingMps).toBeLessThan(6.1);
  });

  test('does not include a car that drives, nor one in a queue.', () => {
    const drives = stageOf('blind_stall');
    drives.set({ wayM: 30, speedMps: 10 });
    expect(stepUntil(drives, acts(drives), 400)).toBe(false);
    const queue = stageOf('blind_stall');
    // A car that stands 1.5 m behind another, and sees it, demands no acceleration.
    const features = F_ALL & ~F_THROTTLE;
    const standing = { speedMps: 0, features };
    const [, first] = queue.set({ wayM: 10, ...standing }, { wayM: 4, ...standing });
    expect(stepUntil(queue, acts(queue), 400)).toBe(true);
    expect(queue.i32(A_CAR)).toBe(first);
  });

  test('is detected along the whole path of the lorry, which starts 70 m behind the car.', () => {
    const stage = stageOf('blind_stall');
    const { site } = stage.hazard;
    expect(site.actorStationM).toBeGreaterThan(300);
    const [car = -1] = stage.set(stalled(20));
    expect(stepUntil(stage, acts(stage), 400)).toBe(true);
    expect(stage.i32(A_CAR)).toBe(car);
    const stalledM = site.actorStationM - 20 - (NOSE_M[2] ?? 0);
    expect(stage.real(A_STATION)).toBeGreaterThan(stalledM - 71);
    expect(stage.real(A_STATION)).toBeLessThan(stalledM - 44);
  });

  test('does not include a car that waits at the end of its lane.', () => {
    const stage = stageOf('blind_stall');
    const { site } = stage.hazard;
    const city = cities.cities.find(({ hazards }) => hazards.includes(stage.hazard));
    const lane = city?.lanes[at(site.lanes, -1)];
    if (!lane) throw new Error('no lane');
    stage.set(stalled(site.stationM - lengthOf(lane.polyline) + 2));
    expect(stepUntil(stage, acts(stage), 500)).toBe(false);
  });

  test('does not include a car that waits at a stop line, however long it has stood.', () => {
    const [wanting, waiting] = [[], []] as [number[], number[]];
    const spots = cities.cities.map(({ hazards }) =>
      hazards.findIndex(({ kind }) => kind === 'blind_stall'),
    );
    const withStalls = [...spots.keys()].filter((cityIndex) => at(spots, cityIndex) >= 0);
    for (let seed = 0; seed < WORLDS; seed++) {
      const cityIndex = at(withStalls, seed % withStalls.length);
      const { kernel, slab } = makeOneWorld(seed, cityIndex);
      for (let car = 0; car < CAR_COUNT; car++) kernel.apply(slab, 0, car, F_THROTTLE, 0);
      const actor = HAZARDS + at(spots, cityIndex) * HAZARD_BYTES;
      const { i32 } = kernel.view(slab);
      for (let sent = 0; kernel.tick(slab) < 6000; kernel.step(slab, FRAME_TICKS)) {
        if (i32[(actor + A_SENT) / 4] === sent) continue;
        const world = look(kernel, slab);
        sent = world.i32(actor + A_SENT, 0);
        const car = world.i32(actor + A_CAR, 0);
        const wants = world.i32(C_STOOD_TICK, car) === 0 && world.real(C_ACCEL_WANTED, car) > 0;
        (wants ? wanting : waiting).push(kernel.tick(slab));
      }
    }
    expect(wanting.length).toBeGreaterThan(30);
    expect(waiting).toEqual([]);
  });
});
