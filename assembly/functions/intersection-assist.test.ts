import { describe, expect, it, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { NOSE_M } from '../../src/testing/rigs/course.ts';
import { CAR_TYPE, Crossing, type CrossingPlan } from '../../src/testing/rigs/crossing.ts';
import { contactsUntil, look, makeWorldBackOn, stepTo } from '../../src/testing/rigs/kernel.ts';
import { MOTORCYCLE, VEHICLE } from '../../src/testing/rigs/manoeuvres.ts';
import { runCrossing } from '../../src/testing/rigs/manoeuvres-junction.ts';
import { spotOf } from '../../src/testing/rigs/proving-road.ts';
import {
  A_STATE,
  ACTOR_WAITS,
  AEB_FULL,
  C_ASSIST_STAGE,
  C_CLAIM,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_X,
  C_Y,
  F_AEB,
  F_ALL,
  F_CORNER_RADARS,
  F_FRONT_RADAR,
  F_INTERSECTION_ASSIST,
  FLAG_AEB,
  HAZARDS,
  TICKS_PER_S,
} from '../layout.ts';

const KMH = 1 / 3.6;
/** Emergency braking looks straight ahead too: here the one function is on trial. */
const ON = F_ALL & ~F_AEB;
const OFF = ON & ~F_INTERSECTION_ASSIST;

describe('crossing manoeuvres of Euro NCAP, with cars and motorcycles', () => {
  test.each([
    ['CCCscp', VEHICLE, 'south', 'straight', 20, 60, 20],
    ['CCCscp', VEHICLE, 'south', 'straight', 40, 40, 39.9],
    ['CCCscp', VEHICLE, 'south', 'straight', 60, 20, 57],
    ['CCCscp', VEHICLE, 'south', 'straight', 60, 60, 59.9],
    ['CCCscp', VEHICLE, 'north', 'straight', 20, 20, 17.1],
    ['CCCscp', VEHICLE, 'north', 'straight', 30, 60, 30],
    ['CCCscp', VEHICLE, 'north', 'straight', 60, 50, 59.9],
    ['CCFtap', VEHICLE, 'east', 'left', 10, 30, 9.3],
    ['CCFtap', VEHICLE, 'east', 'left', 10, 60, 10],
    ['CCFtap', VEHICLE, 'east', 'left', 15, 45, 14.8],
    ['CCFtap', VEHICLE, 'east', 'left', 20, 30, 16.8],
    ['CCFtap', VEHICLE, 'east', 'left', 20, 60, 17.4],
    ['CMCscp', MOTORCYCLE, 'south', 'straight', 20, 60, 20],
    ['CMCscp', MOTORCYCLE, 'south', 'straight', 60, 20, 58.7],
    ['CMCscp', MOTORCYCLE, 'north', 'straight', 20, 20, 18.3],
    ['CMCscp', MOTORCYCLE, 'north', 'straight', 40, 40, 39.9],
    ['CMCscp', MOTORCYCLE, 'north', 'straight', 60, 60, 60],
    ['CMFtap', MOTORCYCLE, 'east', 'left', 10, 60, 10],
    ['CMFtap', MOTORCYCLE, 'east', 'left', 15, 45, 14.8],
    ['CMFtap', MOTORCYCLE, 'east', 'left', 20, 30, 17.2],
  ] as const)(
    '[C16] $0 from $2, $3 at $4 against $5 km/h: avoided, and hit with $6 km/h without',
    (_, actor, from, turn, speedKmh, otherKmh, impactKmh) => {
      const run = { actor, from, turn, speedKmh, otherKmh };
      const on = runCrossing({ ...run, features: ON });
      expect(on.contact).toBe(false);
      expect(on.interventions.map(({ feature }) => feature)).toContain('intersection_assist');
      const off = runCrossing({ ...run, features: OFF });
      expect(off.contact).toBe(true);
      expect(off.interventions).toEqual([]);
      expect(Math.abs(off.impactSpeedKmh - impactKmh)).toBeLessThan(1);
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

  it('after a stop sign a car goes without yielding', () => {
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

  it('a car turns left at green without yielding to oncoming traffic, which does not expect that', () => {
    const world = new Crossing({
      control: 'signals',
      row: 'collector',
      signal: { light: 'green', sinceS: 2 },
      cars: {
        0: { from: 'west', turn: 'left', distanceM: 1, speedMps: 0, features: OFF },
        1: { from: 'east', turn: 'straight', distanceM: 45, speedMps: 50 * KMH, features: OFF },
      },
    });
    const met = world.until(() => world.contactCount > 0, 6 * TICKS_PER_S);
    expect(met).toBeGreaterThan(0);
    expect(world.car(1).speedMps).toBeGreaterThan(5);
  });
});

describe('at its line a car', () => {
  const standing = (features: number): Crossing =>
    new Crossing({
      control: 'priority',
      row: 'collector',
      cars: { 0: { from: 'south', turn: 'straight', distanceM: 1, speedMps: 0, features } },
      hazards: [spotOf(VEHICLE, 0)],
    });

  /** Middle of the lane from the west, which is north of the car. */
  const laneYOf = (world: Crossing): number =>
    at(world.connector('west', 'straight').polyline, 0)[1];

  /** Puts a vehicle on the lane from the west that passes the car after so long. */
  function approach(world: Crossing, passesInS: number, speedMps: number): void {
    world.edit((slab) => {
      const x = slab.real(C_X, 0) - passesInS * speedMps;
      slab.placeActor(0, { x, y: laneYOf(world), hx: 1, hy: 0 }, speedMps);
    });
  }

  /**
   * Seconds until the car starts while a vehicle from the west passes it after `arrivesS` and is out
   * of sight from `goneS` on.
   */
  function startsAfter(arrivesS: number | undefined, features: number, goneS = 99): number {
    const world = standing(features);
    let tick = 0;
    const started = world.until(() => {
      const timeS = tick++ / TICKS_PER_S;
      if (arrivesS !== undefined) approach(world, arrivesS - timeS, 50 * KMH);
      if (timeS >= goneS) world.edit((slab) => slab.setI32(HAZARDS + A_STATE, 0, ACTOR_WAITS));
      return world.car(0).speedMps > 0.3;
    }, 8 * TICKS_PER_S);
    return started / TICKS_PER_S;
  }

  it('does not start before a vehicle that crosses within 4 s has passed', () => {
    expect(startsAfter(undefined, ON)).toBeLessThan(1.5);
    expect(startsAfter(3.5, ON)).toBeGreaterThan(2.5);
    expect(startsAfter(3.5, ON)).toBeLessThan(6);
    expect(startsAfter(3.5, OFF)).toBeLessThan(1.5);
  });

  it('remembers a crossing vehicle that it no longer sees', () => {
    for (const arrivesS of [3.5, 4.5]) {
      const inSight = startsAfter(arrivesS, ON);
      expect(inSight).toBeGreaterThan(arrivesS - 1);
      expect(Math.abs(startsAfter(arrivesS, ON, 0.6) - inSight)).toBeLessThan(0.2);
    }
  });

  /**
   * Metres that a car moves in 2 s from a standstill in a junction, with its front `shortM` before the
   * path of a vehicle that passes after 3 s.
   */
  function goesOn(shortM: number, features: number): number {
    const world = standing(features);
    const own = world.connector('south', 'straight');
    const beginsY = laneYOf(world) - at([...NOSE_M], CAR_TYPE) - shortM;
    world.edit((slab) => {
      const lane = world.city.lanes.indexOf(own);
      slab.setI32(C_LANE, 0, lane);
      slab.setI32(C_CLAIM, 0, lane);
      slab.setI32(C_ROUTE_INDEX, 0, 1);
      slab.setReal(C_STATION, 0, beginsY - at(own.polyline, 0)[1]);
      slab.setReal(C_Y, 0, beginsY);
    });
    const { f64 } = world.kernel.view(world.slab);
    for (let tick = 0; tick < 2 * TICKS_PER_S; tick++) {
      approach(world, 3 - tick / TICKS_PER_S, 40 * KMH);
      world.step();
    }
    return (f64[C_Y / 8] ?? 0) - beginsY;
  }

  it('or in a conflict zone does not start in front of a vehicle that would stop for it', () => {
    expect(goesOn(0, OFF)).toBeGreaterThan(1);
    expect(goesOn(0, ON)).toBeLessThan(0.1);
  });

  it('or further back in a junction does not creep towards the path of a vehicle', () => {
    // As far from it as the junction lets a car stand whose rear has left the line.
    for (const shortM of [3, 4, 5]) {
      expect(goesOn(shortM, OFF)).toBeGreaterThan(1);
      expect(goesOn(shortM, ON)).toBeLessThan(0.1);
    }
  });

  it('starts if the crossing vehicle is far away', () => {
    expect(startsAfter(30, ON)).toBeLessThan(1.5);
  });
});

describe('if a crossing vehicle comes into sight late', () => {
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

describe('if a crossing vehicle is late', () => {
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

describe('if a car that brakes in full comes to the edge of the way of the other', () => {
  it('goes on to a standstill there, and lets the other pass', () => {
    const { kernel, slab } = makeWorldBackOn(584902039, 1, F_FRONT_RADAR);
    stepTo(kernel, slab, 43_284);
    // Car 6 is in a junction, 6 m before the way of one that runs across.
    expect(look(kernel, slab).i32(C_ASSIST_STAGE, 6)).toBe(AEB_FULL);
    expect(contactsUntil(kernel, slab, 43_500)).toEqual([]);
  });
});
