import { describe, expect, it } from 'vitest';
import type { Hazard, Snapshot, Vehicle } from '../api/types.ts';
import { emptyWorld, interpolateWorld, jumped } from './interpolation.ts';
import { carOf } from './playback.ts';

const FLEET = [{ vin: 'A', model: 'Aurora Vela', plate: 'AB 123 CD', colour: 'silver' as const }];

function vehicle(fields: Partial<Vehicle>): Vehicle {
  const still = { braking: false, aeb: false, esc: false, evasive: false, status: 'driving' };
  const place = { vin: 'A', x: 0, y: 0, heading: 0, speed: 0, road: 'r1', gap: null };
  return { ...place, ...still, ...fields } as Vehicle;
}

function frame(tick: number, fields: Partial<Vehicle>, hazards: Hazard[] = []): Snapshot {
  const lights = [{ id: 'a', state: tick < 104 ? ('red' as const) : ('green' as const) }];
  const time = tick / 50;
  return { type: 'snapshot', world: 'w', tick, time, vehicles: [vehicle(fields)], lights, hazards };
}

function shown(from: Snapshot, to: Snapshot, tick: number) {
  const world = emptyWorld();
  world.cars = FLEET.map(carOf);
  interpolateWorld(world, from, to, tick);
  return world;
}

describe('the world between two frames', () => {
  const from = frame(100, { x: 10, y: 20, heading: 3.1, speed: 10 });
  const to = frame(104, { x: 9.2, y: 20.1, heading: -3.1, speed: 11, braking: true });

  it('interpolates position and heading of a car, turning the shorter way', () => {
    const [car] = shown(from, to, 101).cars;
    expect(car?.x).toBeCloseTo(9.8);
    expect(car?.y).toBeCloseTo(20.025);
    // From 3.1 over π to −3.1 it is 0.0832 rad; a quarter of it.
    expect(car?.heading).toBeCloseTo(3.1208, 3);
    expect(car?.speed).toBeCloseTo(10.25);
  });

  it('turns a car that heads to −3 and then to 3 the shorter way', () => {
    const [car] = shown(frame(100, { heading: -3 }), frame(104, { heading: 3 }), 102).cars;
    expect(car?.heading).toBeCloseTo(-Math.PI, 5);
  });

  it('takes flags and states from the earlier frame', () => {
    const world = shown(from, to, 103.9);
    expect(world.cars[0]?.braking).toBe(false);
    expect(world.lights.get('a')).toBe('red');
    expect(shown(to, to, 104).lights.get('a')).toBe('green');
  });

  it('equals the frames at both ends', () => {
    expect(shown(from, to, 200).tick).toBe(104);
    expect(shown(from, to, 200).cars[0]?.x).toBeCloseTo(9.2);
    expect(shown(from, to, 50).cars[0]?.x).toBe(10);
  });

  it('does not interpolate a car that is respawned', () => {
    const away = frame(104, { x: 150, y: -80, heading: 0 });
    const [car] = shown(from, away, 103.9).cars;
    expect([car?.x, car?.y, car?.heading]).toEqual([10, 20, 3.1]);
  });

  it('keeps the identity of a car', () => {
    expect(shown(from, to, 101).cars[0]).toMatchObject(FLEET[0] ?? {});
  });

  it('interpolates a hazard only if it is active in both frames', () => {
    const deer = { id: 'h1', kind: 'deer', active: true, heading: 0, length: 1.5, width: 0.5 };
    const [a, b] = [
      { ...deer, x: 0, y: 0 },
      { ...deer, x: 0, y: 0.4 },
    ];
    const moved = shown(frame(100, {}, [a]), frame(104, {}, [b]), 102);
    expect(moved.hazards[0]?.y).toBeCloseTo(0.2);
    expect(moved.hazards[0]?.moves).toBe(true);
    const waiting = shown(frame(100, {}, [a]), frame(104, {}, [a]), 102);
    expect(waiting.hazards[0]).toMatchObject({ active: true, moves: false });
    const gone = shown(frame(100, {}, [a]), frame(104, {}, [{ ...b, active: false }]), 102);
    expect(gone.hazards[0]).toMatchObject({ y: 0, active: true });
  });
});

describe('a jump', () => {
  const at = (x: number) => ({ x, y: 0, heading: 0 });

  it('is farther than a car of this speed can have driven', () => {
    // At 14 m/s in 0.08 s it is 1.12 m: one and a half times that, and three metres more.
    expect(jumped(at(0), at(4.6), 14, 0.08)).toBe(false);
    expect(jumped(at(0), at(4.8), 14, 0.08)).toBe(true);
  });

  it('is not detected where frames were lost in between', () => {
    expect(jumped(at(0), at(14), 14, 1)).toBe(false);
  });
});
