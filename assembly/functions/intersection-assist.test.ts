import { describe, expect, it, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { NOSE_M } from '../../src/testing/rigs/course.ts';
import { CAR_TYPE, Crossing, type CrossingPlan } from '../../src/testing/rigs/crossing.ts';
import { MOTORCYCLE, VEHICLE } from '../../src/testing/rigs/manoeuvres.ts';
import { runCrossing } from '../../src/testing/rigs/manoeuvres-junction.ts';
import { spotOf } from '../../src/testing/rigs/proving-road.ts';
import { edit } from '../../src/testing/rigs/slab-editor.ts';
import {
  A_HX,
  A_HY,
  A_SPEED,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_CLAIM,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_X,
  C_Y,
  F_AEB,
  F_ALL,
  F_CORNER_RADARS,
  F_INTERSECTION_ASSIST,
  FLAG_AEB,
  HAZARDS,
  TICKS_PER_S,
} from '../layout.ts';

const KMH = 1 / 3.6;
/** Emergency braking looks straight ahead too: here the one function is on trial. */
const ON = F_ALL & ~F_AEB;
const OFF = ON & ~F_INTERSECTION_ASSIST;

describe('crossing manoeuvres of Euro NCAP', () => {
  test.each([
    ['south', 20, 60],
    ['south', 40, 40],
    ['south', 60, 20],
    ['south', 60, 60],
    ['north', 20, 20],
    ['north', 30, 60],
    ['north', 60, 50],
  ] as const)(
    '[C16] CCCscp from %s, %i against %i km/h: avoided, and hit without',
    (from, speedKmh, otherKmh) => {
      const run = { from, turn: 'straight', speedKmh, otherKmh } as const;
      const on = runCrossing({ ...run, features: ON });
      expect(on.contact).toBe(false);
      expect(on.interventions.map(({ feature }) => feature)).toContain('intersection_assist');
      const off = runCrossing({ ...run, features: OFF });
      expect(off.contact).toBe(true);
      expect(off.impactSpeedKmh).toBeGreaterThan(speedKmh - 5);
      expect(off.interventions).toEqual([]);
    },
  );

  test.each([
    [10, 30],
    [10, 60],
    [15, 45],
    [20, 30],
    [20, 60],
  ] as const)(
    '[C16] CCFtap, left at %i km/h before %i km/h: avoided, and hit without',
    (speedKmh, otherKmh) => {
      const run = { from: 'east', turn: 'left', speedKmh, otherKmh } as const;
      expect(runCrossing({ ...run, features: ON }).contact).toBe(false);
      expect(runCrossing({ ...run, features: OFF }).contact).toBe(true);
    },
  );
});

describe('crossing manoeuvres of Euro NCAP with a motorcycle', () => {
  test.each([
    ['south', 20, 60],
    ['south', 60, 20],
    ['north', 20, 20],
    ['north', 40, 40],
    ['north', 60, 60],
  ] as const)(
    'CMCscp from %s, %i against %i km/h: avoided, and hit without',
    (from, speedKmh, otherKmh) => {
      const run = { from, turn: 'straight', speedKmh, otherKmh, actor: MOTORCYCLE } as const;
      expect(runCrossing({ ...run, features: ON }).contact).toBe(false);
      const off = runCrossing({ ...run, features: OFF });
      expect(off.contact).toBe(true);
      expect(off.impactSpeedKmh).toBeGreaterThan(speedKmh - 5);
    },
  );

  test.each([
    [10, 60],
    [15, 45],
    [20, 30],
  ] as const)(
    'CMFtap, left at %i km/h before %i km/h: avoided, and hit without',
    (speedKmh, otherKmh) => {
      const run = { from: 'east', turn: 'left', speedKmh, otherKmh, actor: MOTORCYCLE } as const;
      expect(runCrossing({ ...run, features: ON }).contact).toBe(false);
      expect(runCrossing({ ...run, features: OFF }).contact).toBe(true);
    },
  );
});

/** Speed of the car as its front passes the line. */
function speedAtLine(plan: CrossingPlan): number {
  const crossing = new Crossing(plan);
  const ticks = crossing.until(() => crossing.car(0).distanceM <= 0, 15 * TICKS_PER_S);
  expect(ticks).toBeGreaterThan(0);
  return crossing.car(0).speedMps / KMH;
}

describe('without intersection assist', () => {
  const yielding: CrossingPlan = {
    control: 'none',
    row: 'collector',
    column: 'collector',
    cars: {},
  };
  const own = { from: 'west', turn: 'straight', distanceM: 80, speedMps: 50 * KMH } as const;
  const right = { from: 'south', turn: 'straight', distanceM: 60, speedMps: 10 } as const;

  test.each([
    ['switched off', OFF],
    ['without corner radars', F_ALL & ~F_CORNER_RADARS],
  ])('[C16] a car rolls over the line where the right goes first: %s', (_, features) => {
    for (const cars of [{ 0: { ...own, features } }, { 0: { ...own, features }, 1: right }]) {
      const kmh = speedAtLine({ ...yielding, cars });
      expect(kmh).toBeGreaterThan(15);
      expect(kmh).toBeLessThan(20.5);
    }
  });

  it('after a stop sign it goes without looking', () => {
    const crossing = (features: number) =>
      new Crossing({
        control: 'stop',
        row: 'collector',
        column: 'local',
        cars: {
          0: { from: 'south', turn: 'straight', distanceM: 25, speedMps: 5, features },
          1: { from: 'west', turn: 'straight', distanceM: 125, speedMps: 50 * KMH },
        },
      });
    for (const [features, goesFirst] of [
      [ON, false],
      [OFF, true],
    ] as const) {
      const world = crossing(features);
      let stood = false;
      const entered = world.until(() => {
        stood ||= world.car(0).speedMps < 0.3;
        return world.car(0).distanceM <= 0;
      }, 20 * TICKS_PER_S);
      expect(entered).toBeGreaterThan(0);
      expect(stood).toBe(true);
      expect(world.car(1).where === 'before').toBe(goesFirst);
    }
  });

  it('it turns left at green without letting oncoming traffic pass, which knows nothing of that', () => {
    const plan: CrossingPlan = { control: 'signals', row: 'collector', column: 'local', cars: {} };
    const greenFrom = new Crossing(plan).city.lights[0]?.greenFromTick ?? 0;
    const world = new Crossing({
      ...plan,
      cycleTick: greenFrom + 2 * TICKS_PER_S,
      cars: {
        0: { from: 'west', turn: 'left', distanceM: 1, speedMps: 0, features: OFF },
        1: { from: 'east', turn: 'straight', distanceM: 45, speedMps: 50 * KMH, features: OFF },
      },
    });
    const met = world.until(() => world.kernel.contactCount(world.slab) > 0, 6 * TICKS_PER_S);
    expect(met).toBeGreaterThan(0);
    expect(world.car(1).speedMps).toBeGreaterThan(5);
  });
});

describe('at its line a car', () => {
  const standing: CrossingPlan = {
    control: 'priority',
    row: 'collector',
    column: 'local',
    cars: { 0: { from: 'south', turn: 'straight', distanceM: 1, speedMps: 0, features: ON } },
    hazards: [spotOf(VEHICLE, 0)],
  };

  /**
   * Seconds until it drives off while something comes from the west, which passes it after `arrivesS` and
   * is out of sight from `goneS` on.
   */
  function startsAfter(arrivesS: number | undefined, features: number, goneS = 99): number {
    const world = new Crossing({
      ...standing,
      cars: { 0: { from: 'south', turn: 'straight', distanceM: 1, speedMps: 0, features } },
    });
    const path = world.connector('west', 'straight').polyline;
    const laneY = path[0]?.[1] ?? 0;
    const speedMps = 50 * KMH;
    let tick = 0;
    const started = world.until(() => {
      if (arrivesS !== undefined) {
        edit(world.kernel, world.slab, (slab) => {
          const [x, y] = [slab.f64(C_X, 0), slab.f64(C_Y, 0)];
          expect(y).toBeLessThan(laneY);
          slab.setF64(HAZARDS + A_X, 0, x + (tick / TICKS_PER_S - arrivesS) * speedMps);
          slab.setF64(HAZARDS + A_Y, 0, laneY);
          slab.setF64(HAZARDS + A_HX, 0, 1);
          slab.setF64(HAZARDS + A_HY, 0, 0);
          slab.setF64(HAZARDS + A_SPEED, 0, speedMps);
          const isGone = tick / TICKS_PER_S >= goneS;
          slab.setI32(HAZARDS + A_STATE, 0, isGone ? ACTOR_WAITS : ACTOR_STANDS);
        });
      }
      tick++;
      return world.car(0).speedMps > 0.3;
    }, 8 * TICKS_PER_S);
    return started / TICKS_PER_S;
  }

  it('does not start before what crosses within 4 s has passed', () => {
    expect(startsAfter(undefined, ON)).toBeLessThan(1.5);
    expect(startsAfter(3.5, ON)).toBeGreaterThan(2.5);
    expect(startsAfter(3.5, ON)).toBeLessThan(6);
    expect(startsAfter(3.5, OFF)).toBeLessThan(1.5);
  });

  it('does not forget what crosses where it can no longer see it', () => {
    for (const arrivesS of [3.5, 4.5]) {
      const inSight = startsAfter(arrivesS, ON);
      expect(inSight).toBeGreaterThan(arrivesS - 1);
      expect(Math.abs(startsAfter(arrivesS, ON, 0.6) - inSight)).toBeLessThan(0.2);
    }
  });

  /**
   * Metres that a car moves in 2 s that stands in a junction with its nose so far short of where something
   * comes along that passes after 3 s.
   */
  function goesOn(shortM: number, features: number): number {
    const world = new Crossing({
      ...standing,
      cars: { 0: { from: 'south', turn: 'straight', distanceM: 1, speedMps: 0, features } },
    });
    const own = world.connector('south', 'straight');
    const laneY = world.connector('west', 'straight').polyline[0]?.[1] ?? 0;
    const startY = own.polyline[0]?.[1] ?? 0;
    const beginsY = laneY - at([...NOSE_M], CAR_TYPE) - shortM;
    edit(world.kernel, world.slab, (slab) => {
      const lane = world.city.lanes.indexOf(own);
      slab.setI32(C_LANE, 0, lane);
      slab.setI32(C_CLAIM, 0, lane);
      slab.setI32(C_ROUTE_INDEX, 0, 1);
      slab.setF64(C_STATION, 0, beginsY - startY);
      slab.setF64(C_Y, 0, beginsY);
    });
    const speedMps = 40 * KMH;
    let goneM = 0;
    for (let tick = 0; tick < 2 * TICKS_PER_S; tick++) {
      edit(world.kernel, world.slab, (slab) => {
        const x = slab.f64(C_X, 0);
        goneM = slab.f64(C_Y, 0) - beginsY;
        slab.setF64(HAZARDS + A_X, 0, x + (tick / TICKS_PER_S - 3) * speedMps);
        slab.setF64(HAZARDS + A_Y, 0, laneY);
        slab.setF64(HAZARDS + A_HX, 0, 1);
        slab.setF64(HAZARDS + A_HY, 0, 0);
        slab.setF64(HAZARDS + A_SPEED, 0, speedMps);
        slab.setI32(HAZARDS + A_STATE, 0, ACTOR_STANDS);
      });
      world.step();
    }
    return goneM;
  }

  it('or in a zone does not start right before what stops for who stands', () => {
    expect(goesOn(0, OFF)).toBeGreaterThan(1);
    expect(goesOn(0, ON)).toBeLessThan(0.1);
  });

  it('or further back in a junction does not creep up to the way of what comes', () => {
    // As far from it as the junction lets a car stand whose rear has left the line.
    for (const shortM of [3, 4, 5]) {
      expect(goesOn(shortM, OFF)).toBeGreaterThan(1);
      expect(goesOn(shortM, ON)).toBeLessThan(0.1);
    }
  });

  it('starts where what crosses is far off', () => {
    expect(startsAfter(30, ON)).toBeLessThan(1.5);
  });
});

describe('where what crosses comes into sight late', () => {
  // Domain budgets: first sight 1.1 s before the middle at 30 km/h, 1.35 s at 50, and 0.2 s to spare.
  test.each([
    [30, 1.3],
    [50, 1.55],
  ])('a car at %i km/h brakes in an emergency, with its lamp', (speedKmh, revealS) => {
    const run = { from: 'north', turn: 'straight', speedKmh, otherKmh: 60, revealS } as const;
    const on = runCrossing({ ...run, features: ON });
    expect(on.contact).toBe(false);
    expect(on.flags & FLAG_AEB).toBe(FLAG_AEB);
    expect(on.decelMps2).toBeGreaterThan(7);
    expect(on.interventions[0]).toMatchObject({ feature: 'intersection_assist' });
    expect(runCrossing({ ...run, features: OFF }).contact).toBe(true);
  });
});

describe('where what crosses is late', () => {
  // In sight 1.2 s before the car is in the middle: full braking from 30 km/h would end right before the
  // other's way, or in it. Who drives on has its 4.6 m out of that half a second before the other comes.
  test.each([
    ['south', 1.6],
    ['north', 1.6],
    ['south', 1.8],
    ['north', 1.8],
  ] as const)('a car before %s traffic that is %d s later drives on', (from, lateS) => {
    const run = runCrossing({
      from,
      turn: 'straight',
      speedKmh: 30,
      otherKmh: 40,
      revealS: 1.2 + lateS,
      lateS,
      features: ON,
    });
    expect(run.contact).toBe(false);
    expect(run.slowestKmh).toBeGreaterThan(28);
    expect(run.minGapM).toBeGreaterThan(2);
  });
});
