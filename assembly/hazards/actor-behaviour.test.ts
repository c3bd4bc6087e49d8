import { describe, expect, test } from 'vitest';
import { at, lengthOf } from '../../src/city/geometry.ts';
import type { City, HazardKind, HazardSpot } from '../../src/city/types.ts';
import type { SiteShape } from '../../src/citygen/hazards/ground.ts';
import { HAZARD_KINDS } from '../../src/citygen/hazards/kinds.ts';
import { type Frame, frameAt } from '../../src/citygen/hazards/paths.ts';
import { cutInShape, leadShape } from '../../src/citygen/hazards/shapes.ts';
import { packCity } from '../../src/citygen/tables/city-table.ts';
import { NOSE_M } from '../../src/testing/rigs/course.ts';
import {
  ACTUATORS,
  acts,
  contactOf,
  frontOffset,
  MODEL_WIDTH_M,
  stageOf,
  stepUntil,
} from '../../src/testing/rigs/hazard-stage.ts';
import { cities, makeKernelOf, makeWorld } from '../../src/testing/rigs/kernel.ts';
import { type SpotCar, SpotStage } from '../../src/testing/rigs/spot-stage.ts';
import {
  A_SENT,
  A_SPEED,
  A_STATE,
  A_STATION,
  A_WAIT,
  A_X,
  A_Y,
  ACTOR_WAITS,
  C_EFFECTIVE,
  C_HX,
  C_HY,
  C_STATUS,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  CONTACT_VEHICLE,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARDS,
  STATUS_DRIVING,
} from '../layout.ts';

/** From the start of the lane; behind a long straight. */
const STRAIGHT_M = 180;

/** A city with another kind instead of the crest whose lane is longest, on the straight of that lane. */
function stageInstead(kind: HazardKind, shapeOf: (frame: Frame, laneWidthM: number) => SiteShape) {
  const town = at(cities.cities, 1);
  const lengthAt = ({ site }: HazardSpot): number =>
    lengthOf(at(town.lanes, at(site.lanes, 0)).polyline);
  const crests = town.hazards.filter((hazard) => hazard.kind === 'wet_crest');
  const [crest] = crests.toSorted((a, b) => lengthAt(b) - lengthAt(a));
  if (!crest) throw new Error('no crest');
  const spot = town.hazards.indexOf(crest);
  const { polyline, widthM } = at(town.lanes, at(crest.site.lanes, 0));
  const frame = frameAt(polyline, STRAIGHT_M);
  const [x, y] = frame.origin;
  const actor = HAZARD_KINDS[kind].actor ?? null;
  const site = { ...crest.site, stationM: STRAIGHT_M, actor, ...shapeOf(frame, widthM) };
  const hazard = { ...crest, kind, x, y, site };
  const city: City = { ...town, hazards: town.hazards.with(spot, hazard) };
  const kernel = makeKernelOf(packCity(city));
  const slab = makeWorld(kernel, 1);
  kernel.step(slab, 104);
  return new SpotStage(kernel, slab, city, spot);
}

describe('A crossing vehicle', () => {
  test('yields to a car that another vehicle hides, and then continues.', () => {
    const stage = stageOf('blind_crossing');
    const speedMps = 8;
    const [car = 0] = stage.set({ wayM: 6 * speedMps, speedMps, features: ACTUATORS });
    expect(stepUntil(stage, acts(stage), 150)).toBe(true);
    const other = (car + 1) % CAR_COUNT;
    const waits = () => {
      stage.edit((world) => {
        world.setReal(C_X, other, (stage.real(A_X) + stage.car(C_X, car)) / 2);
        world.setReal(C_Y, other, (stage.real(A_Y) + stage.car(C_Y, car)) / 2);
      });
      return stage.i32(A_WAIT) !== 0;
    };
    expect(stepUntil(stage, waits, 350)).toBe(true);
    // Its front has passed the conflict point: the actor, half of it 2.25 m, is still before the lane.
    expect(stepUntil(stage, () => stage.i32(A_WAIT) === 0, 300)).toBe(true);
    expect(stage.real(A_STATION)).toBeLessThan(stage.hazard.site.actorStationM - 2.25 - 1);
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_WAITS, 1500)).toBe(true);
    const { kernel, slab } = stage;
    const hits = kernel.contacts(slab, 0).filter(({ hazard }) => hazard === stage.spot);
    expect(hits).toEqual([]);
  });
});

describe('A deer', () => {
  /** Whether it sets off for a car while an oncoming car would reach its path `lateS` after it has crossed the lane. */
  function comesBefore(lateS: number): boolean {
    const stage = stageOf('deer_crossing');
    const { site, x, y } = stage.hazard;
    const { along } = frameAt(site.actorPath, 0);
    const speedMps = 13;
    const [car = 0] = stage.set({ wayM: 4.3 * 13.5, speedMps: 13.5 });
    const other = (car + 1) % CAR_COUNT;
    // It sets off after 1 s, is in the lane 3.3 s later, and in the oncoming lane after 1.2 s more.
    const awayM = (1 + 3.3 + 1.2 + lateS) * speedMps;
    const [hx, hy] = [stage.car(C_HX, car), stage.car(C_HY, car)];
    stage.edit((world) => {
      const [awayX, awayY] = [3.5 * along[0] + awayM * hx, 3.5 * along[1] + awayM * hy];
      world.placeCar(other, { x: x + awayX, y: y + awayY, hx: -hx, hy: -hy });
      world.setReal(C_VX, other, speedMps);
      world.setI32(C_STATUS, other, STATUS_DRIVING);
      // A car without features rolls on.
      world.setI32(C_EFFECTIVE, other, 0);
    });
    return stepUntil(stage, acts(stage), 150);
  }

  test('does not set off before an oncoming car, which may not see it.', () => {
    expect(comesBefore(0)).toBe(false);
    expect(comesBefore(0.5)).toBe(false);
    expect(comesBefore(4)).toBe(true);
  });
});

describe('Signals and stop lines', () => {
  test.each<[HazardKind, number]>([
    ['red_light_lorry', 12],
    ['downhill_stop', 8],
  ])('A car that ignores the stop line of a %s hits the actor.', (kind, speedMps) => {
    const stage = stageOf(kind);
    const { kernel, slab } = stage;
    let hits = 0;
    let sends = 0;
    for (let start = 0; start < 12; start++) {
      stage.rest();
      const [car = 0] = stage.set({ wayM: 5.6 * speedMps, speedMps });
      const contacts = stage.contactCount;
      // The car keeps its speed, whatever its driver demands.
      for (let look = 0; look < 90 && stage.contactCount === contacts; look++) {
        stage.edit((world) => world.setReal(C_VX, car, speedMps));
        kernel.step(slab, FRAME_TICKS);
      }
      sends += stage.i32(A_SENT);
      hits += stage.contactCount - contacts;
    }
    expect(sends).toBeGreaterThanOrEqual(2);
    expect(hits).toBeGreaterThanOrEqual(0.6 * sends);
  });

  test('The actor crosses before a car that stops.', () => {
    const stage = stageOf('downhill_stop');
    stage.set({ wayM: 48, speedMps: 8 });
    expect(stepUntil(stage, acts(stage), 400)).toBe(true);
    const beyondM = stage.hazard.site.actorStationM + 5;
    expect(stepUntil(stage, () => stage.real(A_STATION) > beyondM, 590)).toBe(true);
    expect(stage.contactCount).toBe(0);
  });
});

describe('A pedestrian or animal that had to stop in the street', () => {
  const speedAfter = (...others: readonly SpotCar[]) => {
    const stage = stageOf('deer_crossing');
    const { kernel, slab, spot } = stage;
    stage.set({ wayM: 58, speedMps: 13.5, features: ACTUATORS });
    expect(stepUntil(stage, () => stage.real(A_STATION) > 1.5, 300)).toBe(true);
    stage.edit((world) => world.setReal(HAZARDS + spot * HAZARD_BYTES + A_SPEED, 0, 0));
    stage.set(...others);
    kernel.step(slab, 12);
    return stage.real(A_SPEED);
  };

  test('waits for approaching cars, and continues when there are none.', () => {
    expect(speedAfter({ wayM: 25, speedMps: 12, features: ACTUATORS })).toBe(0);
    expect(speedAfter()).toBeGreaterThan(0.3);
    // A standing car is not approaching.
    expect(speedAfter({ wayM: 25, speedMps: 0, features: 0 })).toBeGreaterThan(0.3);
  });
});

describe('A car that pulls out of a bay', () => {
  test('gets up to speed ahead of another and brakes to a standstill at the conflict point.', () => {
    const stage = stageInstead('sudden_stop', leadShape);
    const [car = 0] = stage.set({ wayM: 100, speedMps: 13.5, features: ACTUATORS });
    expect(stepUntil(stage, acts(stage), 200)).toBe(true);
    stepUntil(stage, () => stage.real(A_SPEED) >= 13.2, 400);
    const [dx, dy] = [stage.real(A_X) - stage.car(C_X, car), stage.real(A_Y) - stage.car(C_Y, car)];
    // Between the bumpers, as it has the car's speed.
    const gapM = Math.hypot(dx, dy) - 2.25 - at([...NOSE_M], 2);
    expect(gapM).toBeGreaterThan(5.5);
    expect(gapM).toBeLessThan(9);
    const contact = contactOf(stage, 300);
    expect(contact).toMatchObject({ kind: CONTACT_VEHICLE, striking: 0, hazard: stage.spot });
    expect(contact && Math.abs(frontOffset(contact))).toBeLessThan(MODEL_WIDTH_M / 4);
  });

  test('stands there for 4 s if no car hits it, and drives on into the next bay.', () => {
    const stage = stageInstead('sudden_stop', leadShape);
    stage.set({ wayM: 100, speedMps: 13.5 });
    stepUntil(stage, acts(stage), 200);
    stepUntil(stage, () => stage.real(A_SPEED) > 10, 500);
    expect(stepUntil(stage, () => stage.real(A_SPEED) === 0, 500)).toBe(true);
    const rearM = stage.real(A_STATION) - 2.25 - stage.hazard.site.actorStationM;
    expect(Math.abs(rearM)).toBeLessThan(1.2);
    const stood = stage.tick;
    stepUntil(stage, () => stage.real(A_SPEED) > 0, 400);
    expect(stage.tick - stood).toBeGreaterThanOrEqual(196);
    expect(stage.tick - stood).toBeLessThanOrEqual(208);
    stage.set();
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_WAITS, 590)).toBe(true);
  });

  test('is struck from behind as it cuts in.', () => {
    const stage = stageInstead('cut_in', cutInShape);
    const [car] = stage.set({ wayM: 100, speedMps: 13, features: ACTUATORS });
    const contact = contactOf(stage, 550);
    expect(contact).toMatchObject({ kind: CONTACT_VEHICLE, striking: 0, hazard: stage.spot });
    expect(contact?.parties[0].car).toBe(car);
    expect(contact?.parties[1].speedMps).toBeGreaterThan(3);
  });
});
