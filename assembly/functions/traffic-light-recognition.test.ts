import { describe, expect, it } from 'vitest';
import { Crossing, type CrossingPlan } from '../../src/testing/rigs/crossing.ts';
import { edit } from '../../src/testing/rigs/slab-editor.ts';
import {
  C_ACTED,
  C_CLAIM,
  C_LIGHT_CHOICE,
  C_STATION,
  C_UNANNOUNCED,
  C_WAIT_TICK,
  C_X,
  CHOICE_GO,
  CHOICE_NONE,
  CHOICE_STOP,
  F_AEB,
  F_ALL,
  F_FRONT_CAMERA,
  F_INTERSECTION_ASSIST,
  F_TRAFFIC_LIGHT_RECOGNITION,
  TICKS_PER_S,
} from '../layout.ts';

const KMH = 1 / 3.6;
const BLIND = F_ALL & ~F_TRAFFIC_LIGHT_RECOGNITION;

/** A crossing whose main street has had green, or red, for so long. */
const atLight = (light: 'green' | 'red', sinceS: number, cars: CrossingPlan['cars']): Crossing =>
  new Crossing({ control: 'signals', row: 'collector', signal: { light, sinceS }, cars });

const acted = ({ kernel, slab }: Crossing, car: number) => kernel.view(slab).i32[C_ACTED / 4 + car];

/** A car at 50 km/h approaches a light that has just turned red; `cars` may wait there. */
function approach(features: number, distanceM = 50, cars: CrossingPlan['cars'] = {}): Crossing {
  const own = { from: 'west', turn: 'straight', distanceM, speedMps: 50 * KMH, features } as const;
  return atLight('red', 0, { 0: own, ...cars });
}

describe('with traffic light recognition', () => {
  it('[C15] a car stops for red, and the feature is credited', () => {
    const crossing = approach(F_ALL);
    crossing.step(10 * TICKS_PER_S);
    expect(crossing.car(0)).toMatchObject({ where: 'before' });
    expect(crossing.car(0).speedMps).toBeLessThan(0.1);
    expect((acted(crossing, 0) ?? 0) & F_TRAFFIC_LIGHT_RECOGNITION).not.toBe(0);
  });

  it('[C20] a car that a queue has brought to stand on the line waits there', () => {
    const own = { from: 'west', turn: 'straight', distanceM: 0.1, speedMps: 0 } as const;
    const signal = { light: 'red', sinceS: 0 } as const;
    const crossing = new Crossing({
      ...{ control: 'signals', row: 'collector', signal, cars: { 0: own } },
    });
    edit(crossing.kernel, crossing.slab, (world) => {
      for (const field of [C_STATION, C_X]) world.setReal(field, 0, world.real(field, 0) + 0.2);
      // It was about to enter when the car ahead stopped.
      const connector = crossing.city.lanes.indexOf(crossing.connector('west', 'straight'));
      world.setI32(C_CLAIM, 0, connector);
      world.setI32(C_WAIT_TICK, 0, crossing.kernel.tick(crossing.slab));
      world.setI32(C_LIGHT_CHOICE, 0, CHOICE_GO);
    });
    crossing.step(10 * TICKS_PER_S);
    expect(crossing.car(0).distanceM).toBeGreaterThan(-0.5);
    crossing.step(60 * TICKS_PER_S);
    expect(crossing.car(0).where).toBe('beyond');
  });

  it('a light is seen from 90 m on', () => {
    for (const [distanceM, choice] of [
      [90.5, CHOICE_NONE],
      [89.5, CHOICE_STOP],
    ] as const) {
      const crossing = approach(F_ALL, distanceM + 50 * KMH * 0.02);
      crossing.step();
      expect(crossing.car(0).choice).toBe(choice);
    }
  });
});

describe('without traffic light recognition', () => {
  it.each([
    ['switched off', BLIND],
    ['without its camera', F_ALL & ~F_FRONT_CAMERA],
  ])('[C15] a car drives through red as if it were green: %s', (_, features) => {
    const crossing = approach(features);
    let slowest = Number.POSITIVE_INFINITY;
    const ticks = crossing.until(() => {
      slowest = Math.min(slowest, crossing.car(0).speedMps);
      return crossing.car(0).where === 'beyond';
    }, 8 * TICKS_PER_S);
    // 50 m and some 20 m of junction at 13.9 m/s.
    expect(ticks / TICKS_PER_S).toBeCloseTo(5.2, 0);
    expect(slowest).toBeGreaterThan(47 * KMH);
    expect((acted(crossing, 0) ?? 0) & F_TRAFFIC_LIGHT_RECOGNITION).toBe(0);
  });

  it('a car still stops behind a waiting car', () => {
    const waiting = { from: 'west', turn: 'straight', distanceM: 1, speedMps: 0 } as const;
    const crossing = approach(BLIND, 50, { 1: waiting });
    crossing.step(10 * TICKS_PER_S);
    expect(crossing.car(0).speedMps).toBeLessThan(0.1);
    expect(crossing.car(0).distanceM).toBeGreaterThan(6);
    expect(crossing.contactCount).toBe(0);
  });

  it('a car starts while its light is red', () => {
    const own = { from: 'west', turn: 'straight', distanceM: 1, speedMps: 0 } as const;
    for (const [features, where] of [
      [BLIND, 'inside'],
      [F_ALL, 'before'],
    ] as const) {
      const crossing = atLight('red', 0, { 0: { ...own, features } });
      crossing.step(4 * TICKS_PER_S);
      expect(crossing.car(0).where).toBe(where);
    }
  });

  it('a car yields to oncoming traffic before it turns left', () => {
    const crossing = atLight('green', 2, {
      0: { from: 'west', turn: 'left', distanceM: 1, speedMps: 0, features: BLIND },
      1: { from: 'east', turn: 'straight', distanceM: 60, speedMps: 50 * KMH },
    });
    const gone = crossing.until(() => crossing.car(1).where === 'inside', 10 * TICKS_PER_S);
    expect(gone).toBeGreaterThan(0);
    expect(crossing.car(0).distanceM).toBeGreaterThan(0);
  });

  it('cars at green ignore it, and only their sensors warn them', () => {
    const own = { from: 'south', turn: 'straight', distanceM: 1, speedMps: 0 } as const;
    /** Ticks until the car starts at green, and whether it hits a car that runs the red light. */
    const start = (features: number, runnerM?: number) => {
      const runner = { from: 'west', turn: 'straight', speedMps: 50 * KMH } as const;
      const other = { ...runner, distanceM: runnerM ?? 0, features: BLIND & ~F_AEB };
      const crossing = new Crossing({
        control: 'signals',
        row: 'collector',
        signal: { light: 'green', sinceS: 0, side: 'south' },
        cars: { 0: { ...own, features }, ...(runnerM === undefined ? {} : { 1: other }) },
      });
      const ticks = crossing.until(() => crossing.car(0).where === 'inside', 10 * TICKS_PER_S);
      crossing.step(6 * TICKS_PER_S);
      return { ticks, isHit: crossing.contactCount > 0 };
    };
    const unaware = F_ALL & ~F_INTERSECTION_ASSIST & ~F_AEB;
    const alone = start(unaware).ticks;
    const distances = [40, 45, 50, 55, 60, 65];
    const unawares = distances.map((runnerM) => start(unaware, runnerM));
    expect(new Set(unawares.map(({ ticks }) => ticks))).toEqual(new Set([alone]));
    expect(unawares.some(({ isHit }) => isHit)).toBe(true);
    const careful = distances.map((runnerM) => start(F_ALL, runnerM));
    expect(careful.some(({ isHit }) => isHit)).toBe(false);
    expect(careful.some(({ ticks }) => ticks > alone)).toBe(true);
  });

  it('a green light gives it right of way as to any car', () => {
    const crossing = atLight('green', 2, {
      0: { from: 'west', turn: 'straight', distanceM: 60, speedMps: 50 * KMH, features: BLIND },
      1: { from: 'east', turn: 'left', distanceM: 1, speedMps: 0 },
    });
    const gone = crossing.until(() => crossing.car(0).where === 'inside', 10 * TICKS_PER_S);
    expect(gone).toBeGreaterThan(0);
    expect(crossing.car(1).distanceM).toBeGreaterThan(0);
    expect(crossing.kernel.view(crossing.slab).i32[C_UNANNOUNCED / 4]).toBe(0);
  });

  it('other cars no longer expect it once its light is red before its line', () => {
    const crossing = approach(BLIND, 60);
    const unannounced = () => crossing.kernel.view(crossing.slab).i32[C_UNANNOUNCED / 4];
    expect(crossing.until(() => unannounced() === 1, 4 * TICKS_PER_S)).toBeGreaterThan(0);
    expect(crossing.car(0).where).toBe('before');
    crossing.until(() => crossing.car(0).where === 'beyond', 8 * TICKS_PER_S);
    crossing.step(2 * TICKS_PER_S);
    expect(unannounced()).toBe(0);
  });
});
