import { describe, expect, test } from 'vitest';
import {
  CAR_COUNT,
  FLAG_AEB,
  FLAG_BRAKING,
  FLAG_ESC,
  FLAG_EVASIVE,
  LIGHT_AMBER,
  LIGHT_GREEN,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  OC_STRIDE,
  OUT_LENGTH,
  STATUS_CRASHED,
  STATUS_DRIVING,
  STATUS_STOPPED,
} from '../../assembly/layout.ts';
import { LIGHT_STATES, STATUSES } from '../twin/enumerations.ts';
import { snapshotOf, telemetryOf } from './snapshot.ts';

const NAMES = {
  worldId: '0123456789',
  vins: Array.from({ length: CAR_COUNT }, (_, car) => `VIN${car}`),
  city: {
    roads: ['r0', 'r1'],
    junctions: ['j0', 'j1'],
    lanes: ['l0', 'l1', 'l2'],
    lights: ['s0', 's1'],
    hazards: [{ id: 'h0', kind: 'deer', x: 0, y: 0 }],
  },
};
const CAR = 3;

/** A snapshot with given fields of car 3 and of the hazard. */
function packedOf(car: number[], hazard = [1, 12345, -5, 15708, 150, 60]): Int32Array {
  const packed = new Int32Array(OUT_LENGTH);
  packed[O_TICK] = 1231;
  packed[O_LIGHTS] = 2;
  packed[O_HAZARDS] = 1;
  packed.set(car, O_CARS + CAR * OC_STRIDE);
  packed.set([LIGHT_RED_AMBER, LIGHT_GREEN], O_LIGHT);
  packed.set(hazard, O_HAZARD);
  return packed;
}

const DRIVING = packedOf([
  -12345,
  50,
  -15708,
  1389,
  1,
  2531,
  FLAG_BRAKING | FLAG_ESC,
  0,
  -250,
  349,
  2,
]);

describe('a snapshot', () => {
  const snapshot = snapshotOf(DRIVING, NAMES);

  test('has metres, seconds and radians in the published order of fields', () => {
    expect(JSON.stringify(snapshot.vehicles[CAR])).toBe(
      '{"vin":"VIN3","x":-123.45,"y":0.5,"heading":-1.5708,"speed":13.89,"road":"r1","gap":25.31,' +
        '"braking":true,"aeb":false,"esc":true,"evasive":false,"status":"driving"}',
    );
    expect(JSON.stringify({ ...snapshot, vehicles: [] })).toBe(
      '{"type":"snapshot","world":"0123456789","tick":1231,"time":24.62,"vehicles":[],' +
        '"lights":[{"id":"s0","state":"red_amber"},{"id":"s1","state":"green"}],' +
        '"hazards":[{"id":"h0","kind":"deer","active":true,"x":123.45,"y":-0.05,' +
        '"heading":1.5708,"length":1.5,"width":0.6}]}',
    );
  });

  test('has all cars in order', () => {
    expect(snapshot.vehicles.map(({ vin }) => vin)).toEqual(NAMES.vins);
  });

  test('has a null gap without a vehicle ahead, and a gap of 0 at a touch', () => {
    const gapOf = (gapCm: number) =>
      snapshotOf(packedOf([0, 0, 0, 0, 0, gapCm]), NAMES).vehicles[CAR]?.gap;
    expect(gapOf(-1)).toBeNull();
    expect(gapOf(0)).toBe(0);
    expect(gapOf(1)).toBe(0.01);
  });

  test('names the road, or the junction that a car is inside', () => {
    const places = [0, 1, -1, -2].map(
      (place) => snapshotOf(packedOf([0, 0, 0, 0, place]), NAMES).vehicles[CAR]?.road,
    );
    expect(places).toEqual(['r0', 'r1', 'j0', 'j1']);
  });

  test('names each flag', () => {
    for (const flags of [0, FLAG_BRAKING, FLAG_AEB, FLAG_ESC, FLAG_EVASIVE, 15]) {
      expect(snapshotOf(packedOf([0, 0, 0, 0, 0, 0, flags]), NAMES).vehicles[CAR]).toMatchObject({
        braking: (flags & FLAG_BRAKING) > 0,
        aeb: (flags & FLAG_AEB) > 0,
        esc: (flags & FLAG_ESC) > 0,
        evasive: (flags & FLAG_EVASIVE) > 0,
      });
    }
  });

  test('names statuses and light states by the numbers of the kernel', () => {
    expect([STATUS_DRIVING, STATUS_STOPPED, STATUS_CRASHED].map((n) => STATUSES[n])).toEqual([
      'driving',
      'stopped',
      'crashed',
    ]);
    const states = [LIGHT_RED, LIGHT_RED_AMBER, LIGHT_AMBER, LIGHT_GREEN];
    expect(states.map((n) => LIGHT_STATES[n])).toEqual(['red', 'red_amber', 'amber', 'green']);
  });
});

test('telemetry has one car, with fields that snapshots lack', () => {
  expect(JSON.stringify(telemetryOf(DRIVING, CAR, NAMES))).toBe(
    '{"vin":"VIN3","world":"0123456789","tick":1231,"time":24.62,' +
      '"position":{"x":-123.45,"y":0.5},"heading":-1.5708,"speed":13.89,"acceleration":-2.5,' +
      '"steering":0.0349,"road":"r1","lane":"l2","gap":25.31,"aeb":false,"esc":true,' +
      '"evasive":false,"status":"driving"}',
  );
});
