import { describe, expect, it } from 'vitest';
import kernel from '../../../../assembly/coverage.ts?raw';
import type { SensorName } from '../api/types.ts';
import { NORTH } from './camera.ts';
import { cameraPart, FIELDS, outlineOf } from './fields.ts';
import { gapText } from './glyphs.ts';
import { carUnder } from './picking.ts';
import { RouteLine } from './route-line.ts';
import type { ShownCar } from './types.ts';

/** A loop of 100 m by 50 m, counter-clockwise from the origin. */
const LOOP = [
  [0, 0],
  [100, 0],
  [100, 50],
  [0, 50],
  [0, 0],
] as const;

describe('a route', () => {
  const route = new RouteLine(LOOP);

  it('finds the station of a car by place and heading', () => {
    expect(route.locate([40, 1], 0)).toBe(40);
    expect(route.locate([99, 30], Math.PI / 2)).toBe(130);
    expect(route.locate([40, 49], Math.PI)).toBe(210);
  });

  it('does not find a car that is off the route or drives the other way', () => {
    expect(route.locate([40, 9], 0)).toBe(-1);
    expect(route.locate([40, 1], Math.PI)).toBe(-1);
  });

  it('continues around the loop', () => {
    expect(route.placeAt(100)).toEqual({ x: 100, y: 0, heading: Math.PI / 2 });
    expect(route.placeAt(130)).toEqual({ x: 100, y: 30, heading: Math.PI / 2 });
    expect(route.placeAt(290)).toEqual({ x: 0, y: 10, heading: -Math.PI / 2 });
    expect(route.placeAt(340)).toEqual({ x: 40, y: 0, heading: 0 });
  });
});

describe('the fields of the sensors', () => {
  const ends = (sensor: SensorName) =>
    FIELDS[sensor].map((field) => {
      const outline = outlineOf(field);
      const degrees = ([x, y]: readonly [number, number]) =>
        Math.round((Math.atan2(y, x) * 180) / Math.PI);
      const [first = [0, 0], last = [0, 0]] = [outline[0], outline.at(-1)];
      const farthest = Math.max(...outline.map(([x, y]) => Math.hypot(x, y)));
      return [degrees(first), degrees(last), Math.round(farthest)];
    });

  it('cover the documented angles and ranges', () => {
    expect(ends('front_camera')).toEqual([[-50, 50, 120]]);
    expect(ends('front_radar')).toEqual([[-45, 45, 100]]);
    expect(ends('corner_radars')).toEqual([
      [-25, 115, 80],
      [-115, 25, 80],
    ]);
  });

  it('have the ranges of the kernel', () => {
    const constant = (name: string) =>
      Number(new RegExp(`const ${name} = ([\\d.]+);`).exec(kernel)?.[1]);
    const reach = (sensor: SensorName) =>
      FIELDS[sensor][0]?.sectors.map(({ rangeM }) => rangeM) ?? [];
    expect(reach('front_camera')).toEqual([constant('CAMERA_M')]);
    const wide = constant('RADAR_WIDE_M');
    expect(reach('front_radar')).toEqual([wide, constant('RADAR_M'), wide]);
    expect(reach('corner_radars')).toEqual([constant('CORNERS_M')]);
    const dusk = constant('CAMERA_DUSK_M') / constant('CAMERA_M');
    expect(cameraPart(new Set(['dusk']))).toBeCloseTo(dusk, 9);
    const fog = constant('CAMERA_FOG_M') / constant('CAMERA_M');
    expect(cameraPart(new Set(['dusk', 'fog']))).toBeCloseTo(fog, 3);
  });

  it('has its full range in clear conditions', () => {
    expect(cameraPart(new Set(['ice', 'wet']))).toBe(1);
  });
});

describe('picking', () => {
  const view = { widthPx: 800, heightPx: 800 };
  const pose = { x: 0, y: 0, z: 0, distance: 1000, tilt: 0, bearing: NORTH };
  // From 1000 m with a field of 0.56 rad, 800 px are 575 m: 0.719 m each.
  const cars = [
    { x: 0, y: 0 },
    { x: 14.4, y: 0 },
    { x: 0, y: 200 },
  ] as ShownCar[];

  it('takes the nearest car within reach of a finger', () => {
    expect(carUnder(cars, pose, view, 402, 400)).toBe(0);
    expect(carUnder(cars, pose, view, 417, 402)).toBe(1);
    expect(carUnder(cars, pose, view, 400, 400 - 200 / 0.719)).toBe(2);
    expect(carUnder(cars, pose, view, 450, 400)).toBeNull();
  });
});

describe('a gap in words', () => {
  it('has a decimal below ten metres only', () => {
    expect(gapText(3.26)).toBe('3.3 m');
    expect(gapText(42.4)).toBe('42 m');
  });
});
