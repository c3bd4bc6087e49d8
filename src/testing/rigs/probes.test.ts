import { beforeEach, describe, expect, it } from 'vitest';
import {
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_RETURNS,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  LIGHT_AMBER,
  LIGHT_GREEN,
  O_LIGHT,
  SLAB_BYTES,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { type SlabArrays, slabArrays } from '../../kernel/slab-arrays.ts';
import { courseOf, NOSE_M, SignalPlan, TAIL_M } from './course.ts';
import { DrivingProbe } from './driving-probe.ts';
import { DrivingTally } from './driving-tally.ts';
import { cities, makeKernel, makeWorld, stepTo } from './kernel.ts';
import { OrderProbe } from './order-probe.ts';
import { SignalProbe } from './signal-probe.ts';
import { setReal } from './slab-editor.ts';

const course = courseOf(at(cities.cities, 0), 0);
/** A world made by hand: far from each other, all cars stand at the start of their routes. */
let slab: SlabArrays;
let tally: DrivingTally;

const set = (array: number, car: number, value: number): void => {
  setReal(slab, array, car, value);
};
const setWhole = (array: number, car: number, value: number): void => {
  slab.i32[array / 4 + car] = value;
};

beforeEach(() => {
  tally = new DrivingTally();
  slab = slabArrays(new ArrayBuffer(SLAB_BYTES));
  for (let car = 0; car < CAR_COUNT; car++) {
    set(C_X, car, 5000 + 100 * car);
    set(C_HX, car, 1);
    setWhole(C_LANE, car, at(at(course.city.routes, car), 0));
  }
});

/** Car 0 at 10 m/s on a circle of 20 m: 0.5 rad/s and 5 m/s². */
function onCircle(tick: number): void {
  const turned = 0.5 * tick * TICK_S;
  set(C_X, 0, 20 * Math.sin(turned));
  set(C_Y, 0, 20 - 20 * Math.cos(turned));
  set(C_HX, 0, Math.cos(turned));
  set(C_HY, 0, Math.sin(turned));
  set(C_VX, 0, 10);
  set(C_YAW_RATE, 0, 0.5);
}

describe('the driving probe', () => {
  const circle = (ticks: number, spoil: (tick: number) => void = () => {}): void => {
    onCircle(0);
    const probe = new DrivingProbe(slab, course, tally, 'made by hand');
    for (let tick = 1; tick <= ticks; tick++) {
      onCircle(tick);
      spoil(tick);
      probe.look(tick);
    }
    probe.finish(ticks);
  };

  it('measures a circle as it is', () => {
    circle(500);
    expect(tally.lateral.value).toBeCloseTo(5, 9);
    expect(tally.lateralPercentile(0.99)).toBeCloseTo(5, 1);
    expect(tally.movingTicks).toBe(500);
    expect(tally.carTicks).toBe(500 * CAR_COUNT);
    expect(tally.distanceM).toBeCloseTo(100, 2);
    expect(tally.headingError.value).toBeLessThan(1e-6);
    expect(tally.distanceError.value).toBeLessThan(1e-5);
    expect(tally.stoodTicks.value).toBe(500);
    expect(tally.unfinishedLoops).toBe(CAR_COUNT);
    expect(tally.jumps + tally.respawns).toBe(0);
  });

  it('sees a jump, and tells it from a way back to the route', () => {
    circle(10, (tick) => {
      if (tick === 5) set(C_X, 0, 900);
      setWhole(C_RETURNS, 1, tick >= 8 ? 1 : 0);
      if (tick === 8) set(C_X, 1, 0);
    });
    expect(tally.jumps).toBe(2); // there and back
    expect(tally.respawns).toBe(1);
  });

  it('sees a yaw rate that is not that of the heading', () => {
    circle(10, () => set(C_YAW_RATE, 0, 0.55));
    expect(tally.headingError.value).toBeCloseTo(0.05, 5);
    expect(tally.turnError.value).toBeCloseTo(0.095, 3); // one tick in ten has half of it
  });

  it('sees a speed that is not that of the position', () => {
    circle(100, () => set(C_VX, 0, 10.2));
    expect(tally.distanceError.value).toBeCloseTo(0.0195, 3);
  });

  it('takes the slide to the side for acceleration too', () => {
    circle(10, (tick) => set(C_VY, 0, 0.01 * tick));
    expect(tally.lateral.value).toBeCloseTo(5.5, 6);
  });
});

describe('the plan of the signals', () => {
  it('is that of the kernel', () => {
    const kernel = makeKernel(1);
    const world = makeWorld(kernel, 3);
    const plan = new SignalPlan(course.city, kernel.view(world));
    for (let tick = 100; tick < 6000; tick += 97) {
      stepTo(kernel, world, tick);
      const packed = kernel.pack(world);
      for (const light of course.city.lights.keys()) {
        expect(plan.state(light, tick)).toBe(packed[O_LIGHT + light]);
        const amber = plan.nextAmber(light, tick);
        expect(plan.state(light, amber - 1)).toBe(LIGHT_GREEN);
        expect(plan.state(light, amber)).toBe(LIGHT_AMBER);
        expect(amber).toBeGreaterThan(tick);
      }
    }
  });
});

const indexBeforeLight = (route: readonly number[]): number =>
  route.findIndex((_, i) => (course.lightOf[route[i + 1] ?? -1] ?? -1) >= 0);

describe('the signal probe', () => {
  /** The first lane of a route that ends at a light. */
  const car = course.city.routes.findIndex((route) => indexBeforeLight(route) >= 0);
  const route = at(course.city.routes, car);
  const index = indexBeforeLight(route);

  /** Drives the first car with a light ahead by hand, so far before its line at amber. */
  function approach(leftM: number, speedMps: number, leftAt: (sinceAmber: number) => number): void {
    const lane = at(route, index);
    const light = course.lightOf[at(route, index + 1)] ?? -1;
    const amber = new SignalPlan(course.city, slab).nextAmber(light, 0);
    const lineM = (course.laneLengthM[lane] ?? 0) - (NOSE_M[0] ?? 0);
    setWhole(C_LANE, car, lane);
    setWhole(C_ROUTE_INDEX, car, index);
    set(C_VX, car, speedMps);
    set(C_STATION, car, lineM - leftM);
    const probe = new SignalProbe(slab, course, tally, 'made by hand', 0);
    for (let tick = 1; tick <= amber + 600; tick++) {
      set(C_STATION, car, lineM - (tick < amber ? leftM : leftAt(tick - amber)));
      probe.look(tick);
    }
    probe.finish(amber + 600);
  }

  const going = (leftM: number, speedMps: number) => (since: number) =>
    leftM - speedMps * since * TICK_S;

  it('finds going right where stopping is uncomfortable', () => {
    approach(30, 50 / 3.6, going(30, 50 / 3.6));
    expect(tally).toMatchObject({ arrivals: 1, redCrossings: 0, choices: 1, goes: 1 });
    expect(tally).toMatchObject({ wrongGoes: 0, wrongStops: 0 });
  });

  it('finds going wrong where one could have stopped', () => {
    approach(39, 50 / 3.6, going(39, 50 / 3.6));
    expect(tally).toMatchObject({ redCrossings: 0, choices: 1, goes: 1, wrongGoes: 1 });
  });

  it('finds stopping wrong where it is uncomfortable', () => {
    approach(30, 50 / 3.6, (since) => Math.max(1, going(30, 50 / 3.6)(since)));
    expect(tally).toMatchObject({ arrivals: 0, choices: 1, goes: 0, wrongStops: 1 });
  });

  it('sees who crosses on red', () => {
    approach(60, 10, going(60, 10));
    expect(tally).toMatchObject({ arrivals: 1, redCrossings: 1 });
  });

  it('asks nobody who is far away', () => {
    approach(110, 10, () => 110);
    expect(tally).toMatchObject({ arrivals: 0, choices: 0 });
  });
});

describe('the order probe', () => {
  const lane = at(at(course.city.routes, 0), 0);

  /** Cars 0 and 1 in the same lane, so far apart from bumper to bumper; both stand. */
  function queue(gapM: number): void {
    const { position, tangent } = at(at(course.profiles, lane).points, 5);
    const station = 5 * at(course.profiles, lane).spacingM;
    for (const [follower, ahead] of [0, gapM + (NOSE_M[0] ?? 0) + (TAIL_M[0] ?? 0)].entries()) {
      setWhole(C_LANE, follower, lane);
      set(C_STATION, follower, station + ahead);
      set(C_X, follower, position[0] + tangent[0] * ahead);
      set(C_Y, follower, position[1] + tangent[1] * ahead);
      set(C_HX, follower, tangent[0]);
      set(C_HY, follower, tangent[1]);
    }
    const probe = new OrderProbe(slab, course, tally, 'made by hand');
    probe.look(1, new Int32Array(CAR_COUNT).fill(50));
    probe.lookForOverlaps(1);
  }

  it.each([
    [2, 1, 1],
    [1.4, 1, 0],
    [3.6, 1, 0],
  ])('measures a gap of %d m', (gapM, gapCount, gapsInBand) => {
    queue(gapM);
    expect(tally).toMatchObject({ gapCount, gapsInBand, overlaps: 0 });
    expect(tally.narrowestGap.value).toBeCloseTo(gapM, 9);
    expect(tally.widestGap.value).toBeCloseTo(gapM, 9);
  });

  it('sees bodies that overlap', () => {
    queue(-0.05);
    expect(tally.overlaps).toBe(1);
  });

  it('sees a car in a building, or in two that stand wall to wall', () => {
    const { polygon } = at(course.solids, 0);
    const [x, y] = at(polygon, 0);
    set(C_X, 4, x);
    set(C_Y, 4, y);
    new OrderProbe(slab, course, tally, 'made by hand').look(1, new Int32Array(CAR_COUNT));
    expect([1, 2]).toContain(tally.overlaps);
  });

  it('sees an offset that the geometry does not bear out', () => {
    const { position } = at(at(course.profiles, lane).points, 5);
    for (let car = 0; car < CAR_COUNT; car++) {
      setWhole(C_LANE, car, lane);
      set(C_STATION, car, 5 * at(course.profiles, lane).spacingM);
      set(C_X, car, position[0]);
      set(C_Y, car, position[1]);
    }
    const probe = new OrderProbe(slab, course, tally, 'made by hand');
    probe.look(1, new Int32Array(CAR_COUNT));
    expect(tally.offsetError.value).toBeLessThan(1e-9);
    set(C_OFFSET, 1, 0.4);
    probe.look(2, new Int32Array(CAR_COUNT));
    expect(tally.offsetError.value).toBeCloseTo(0.4, 7);
  });

  it('sees a number that is none', () => {
    set(C_YAW_RATE, 3, Number.NaN);
    new OrderProbe(slab, course, tally, 'made by hand').look(1, new Int32Array(CAR_COUNT));
    expect(tally.notFinite).toBe(1);
  });
});
