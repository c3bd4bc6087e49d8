import { beforeEach, describe, expect, it } from 'vitest';
import {
  A_ARMED,
  A_CAR,
  A_SENT,
  A_STATE,
  ACTOR_ACTS,
  ACTOR_WAITS,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  F_AEB,
  F_ESC,
  F_FRONT_CAMERA,
  HAZARD_BYTES,
  HAZARDS,
  SLAB_BYTES,
} from '../../assembly/layout.ts';
import type { City, HazardKind, HazardSpot } from '../../src/city/types.ts';
import type { ContactFacts } from '../../src/twin/incidents.ts';
import { actingMask, SpotPasses } from './spot-passes.ts';

const CHILD = 0;
const ICE = 1;
/** A lane of 100 m with a child 60 m along it, then a connector and a lane with ice at 10 m. */
const LENGTHS_M = Float64Array.of(100, 10, 100);
const ROUTE = [0, 1, 2];

function spotOf(
  kind: HazardKind,
  lanes: number[],
  stationM: number,
  hasActor: boolean,
): HazardSpot {
  const actor = {
    kind: 'person',
    name: 'x',
    lengthM: 1,
    widthM: 1,
    massKg: 1,
    speedMps: 1,
  } as const;
  const none = { actorPath: [], actorStationM: 0, bodies: [], active: [], sightM: 0, grade: 0 };
  const site = { lanes, stationM, ...none, actor: hasActor ? actor : null };
  return { id: kind, kind, x: 0, y: 0, radiusM: 40, road: 0, description: '', site };
}

const CITY = {
  hazards: [spotOf('parked_row_child', [0], 60, true), spotOf('ice_bend', [1, 2], 10, false)],
  routes: [ROUTE, [0], ROUTE],
} as unknown as City;

let slab: { f64: Float64Array; i32: Int32Array };
let passes: SpotPasses;
let tick: number;

function actor(spot: number, field: number, value: number): void {
  slab.i32[(HAZARDS + spot * HAZARD_BYTES + field) / 4] = value;
}

function put(car: number, routeIndex: number, stationM: number, speedMps = 10): void {
  slab.i32[C_LANE / 4 + car] = ROUTE[routeIndex] ?? -1;
  slab.i32[C_ROUTE_INDEX / 4 + car] = routeIndex;
  slab.f64[C_STATION / 8 + car] = stationM;
  slab.f64[C_VX / 8 + car] = speedMps;
}

function look(ticks = 4, acted = 0): void {
  tick += ticks;
  passes.look(tick, () => acted);
}

const contactOf = (car: number, hazard: number): ContactFacts =>
  ({ hazard, parties: [{ car }, { car: -1 }] }) as unknown as ContactFacts;

beforeEach(() => {
  const buffer = new ArrayBuffer(SLAB_BYTES);
  slab = { f64: new Float64Array(buffer), i32: new Int32Array(buffer) };
  slab.i32.fill(-1, C_LANE / 4, C_LANE / 4 + 20);
  actor(CHILD, A_CAR, -1);
  passes = new SpotPasses(CITY, LENGTHS_M, slab);
  tick = 1000;
});

describe('a spot with an actor', () => {
  it('counts a pass that was not armed', () => {
    actor(CHILD, A_ARMED, 5000);
    for (const stationM of [10, 30, 50, 61]) {
      put(0, 0, stationM);
      look();
    }
    look(151);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 1, armed: 0, fired: 0, hits: 0 });
  });

  it('counts an armed pass for which nothing was sent', () => {
    actor(CHILD, A_STATE, ACTOR_WAITS);
    for (const stationM of [10, 30, 50, 61]) {
      put(0, 0, stationM);
      look(4, F_AEB);
    }
    look(151);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 1, armed: 1, fired: 0, intervened: 0 });
  });

  it('counts a fired pass in which emergency braking acted', () => {
    put(0, 0, 10);
    look();
    put(0, 0, 35);
    look();
    actor(CHILD, A_STATE, ACTOR_ACTS);
    actor(CHILD, A_CAR, 0);
    actor(CHILD, A_SENT, 1);
    look(4, F_AEB | F_FRONT_CAMERA);
    actor(CHILD, A_STATE, ACTOR_WAITS);
    put(0, 0, 61);
    look();
    look(149);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 0, sent: 1 });
    look(1);
    const counted = { passes: 1, armed: 1, fired: 1, intervened: 1, hits: 0, contacts: 0 };
    expect(passes.counts[CHILD]).toMatchObject(counted);
  });

  it('counts a pass that ends in a collision once the car is gone', () => {
    put(0, 0, 30);
    look();
    actor(CHILD, A_STATE, ACTOR_ACTS);
    actor(CHILD, A_CAR, 0);
    put(0, 0, 55);
    look();
    passes.contact(contactOf(0, CHILD));
    look(500);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 0, contacts: 1 });
    put(0, 2, 50);
    look();
    expect(passes.counts[CHILD]).toMatchObject({ passes: 1, armed: 1, fired: 1, hits: 1 });
  });

  it('does not arm a pass while it is out for another car', () => {
    actor(CHILD, A_STATE, ACTOR_ACTS);
    actor(CHILD, A_CAR, 5);
    put(0, 0, 30);
    look();
    put(0, 0, 61);
    look();
    look(150);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 1, armed: 0 });
  });

  it('asks whether it is ready four seconds before the conflict point', () => {
    actor(CHILD, A_ARMED, 1010);
    put(0, 0, 19);
    look(4); // 4.1 s before: not asked yet
    put(0, 0, 21);
    look(8); // 3.9 s before, tick 1012: ready
    put(0, 0, 61);
    look();
    look(150);
    expect(passes.counts[CHILD]).toMatchObject({ passes: 1, armed: 1 });
  });
});

describe('a spot without an actor', () => {
  it('arms every pass, and follows a car over several lanes', () => {
    put(2, 1, 0);
    look();
    put(2, 2, 5);
    look(20, F_ESC);
    put(2, 2, 11);
    look(20);
    put(2, 2, 40);
    look(150);
    const counted = { passes: 1, armed: 1, fired: 0, intervened: 1, hits: 0 };
    expect(passes.counts[ICE]).toMatchObject(counted);
  });

  it('is not for a car whose route goes elsewhere', () => {
    slab.i32[C_LANE / 4 + 1] = 1;
    slab.i32[C_ROUTE_INDEX / 4 + 1] = 0;
    slab.f64[C_STATION / 8 + 1] = 9;
    look();
    slab.i32[C_LANE / 4 + 1] = 0;
    look(300);
    expect(passes.counts[ICE]).toMatchObject({ passes: 0 });
  });
});

it('counts each lap anew, and at the end those that got through', () => {
  for (let lap = 0; lap < 3; lap++) {
    put(0, 0, 20);
    look();
    put(0, 0, 62);
    look();
  }
  expect(passes.counts[CHILD]).toMatchObject({ passes: 2 });
  put(2, 0, 20);
  look();
  passes.finish();
  expect(passes.counts[CHILD]).toMatchObject({ passes: 3 });
});

it('knows what must act at a spot: its function, or the sensor that it is made for', () => {
  expect(actingMask('parked_row_child')).toBe(F_AEB);
  expect(actingMask('ice_bend')).toBe(F_ESC);
  expect(actingMask('fog_stall')).toBe(16);
});
