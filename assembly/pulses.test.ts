import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { collisions, type Scene, staged } from '../src/testing/rigs/collision-field.ts';
import { cars, look, recordsUntil, type SlabView } from '../src/testing/rigs/kernel.ts';
import { type ContactRecord, settled } from '../src/twin/contact-records.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import type { ContactFacts } from '../src/twin/incidents.ts';
import { C_HX, C_HY, C_VX, C_VY, CAR_COUNT, PULSE_TICKS } from './layout.ts';

const { lengthM } = at(CAR_TYPES, 2);
/** Wrecks without brakes roll with 0.2 m/s², and air brakes them a little. */
const ROLLING_MPS = 0.06;

const contactsOf = (records: readonly ContactRecord[]): ContactFacts[] =>
  records.flatMap((each) => ('crashPulse' in each ? [] : [each]));
const pulsesOf = (records: readonly ContactRecord[]) =>
  records.flatMap((record) => ('crashPulse' in record ? [record] : []));
const pairsOf = (contacts: readonly ContactFacts[]) =>
  contacts.map(({ parties }) => parties.map(({ car }) => car));

function velocityOf(view: SlabView, car: number): [number, number] {
  const [vx, vy] = [view.real(C_VX, car), view.real(C_VY, car)];
  const [hx, hy] = [view.real(C_HX, car), view.real(C_HY, car)];
  return [vx * hx - vy * hy, vx * hy + vy * hx];
}

/** Steps so many ticks; the size of each car's change of velocity, and the records. */
function lived(scenes: readonly Scene[], ticks: number) {
  const { kernel, slab } = staged(scenes);
  const before = look(kernel, slab);
  const records = recordsUntil(kernel, slab, kernel.tick(slab) + ticks);
  const after = look(kernel, slab);
  const changes = scenes.map((_, car) => {
    const [[vx, vy], [wx, wy]] = [velocityOf(before, car), velocityOf(after, car)];
    return Math.hypot(wx - vx, wy - vy);
  });
  return { kernel, slab, records, changes };
}

/** The greatest delta-v that any of these contacts tells of a car. */
function deltaVOf(contacts: readonly ContactFacts[], car: number): number {
  const own = contacts.flatMap(({ parties }) => parties).filter((party) => party.car === car);
  return Math.max(...own.map(({ deltaVMps }) => deltaVMps));
}

describe('a crash pulse', () => {
  /** Car 1 stands between car 0, which comes, and car 2, which lies there as an old wreck. */
  const PRESSED: Scene[] = [
    { x: 0, y: 0, vx: 15 },
    { x: lengthM + 0.1, y: 0 },
    { x: 2 * lengthM + 0.25, y: 0, isWreck: true },
  ];

  it('is the sum of all pushes: of a car pressed between two others it grows and falls', () => {
    const { records, changes } = lived(PRESSED, PULSE_TICKS + 2);
    const contacts = contactsOf(records);
    expect(pairsOf(contacts)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    const pressed = contacts.flatMap(({ parties }) => parties.filter(({ car }) => car === 1));
    expect(pressed[0]?.deltaVMps).toBeGreaterThan(7);
    const sums = settled(records);
    for (const [car, change] of changes.entries()) {
      expect(Math.abs(deltaVOf(sums, car) - change)).toBeLessThan(ROLLING_MPS);
    }
    expect(deltaVOf(sums, 1)).toBeLessThan(at(pressed, 0).deltaVMps - 1);
  });

  it('brings an old wreck into the incident, with an event', () => {
    const { kernel, slab, records } = lived(PRESSED, PULSE_TICKS);
    const [first, second] = contactsOf(records);
    expect([second?.chainTick, second?.chainOrder]).toEqual([first?.tick, first?.order]);
    expect(collisions(kernel, slab).map(({ feature, other }) => [feature, other])).toEqual([
      [first?.tick, 1],
      [first?.tick, 2],
    ]);
  });

  it('has a record when it ends if it changed after the last contact, and only then', () => {
    const { records } = lived(PRESSED, 3 * PULSE_TICKS);
    const pulses = pulsesOf(records);
    expect(pulses.length).toBeGreaterThan(0);
    for (const { tick, crashPulse } of pulses) {
      expect(tick - crashPulse.sinceTick).toBe(PULSE_TICKS - 1);
      expect(crashPulse.energyJ).toBeGreaterThan(0);
    }
    const alone = lived(
      [
        { x: 0, y: 0, vx: 9 },
        { x: lengthM + 0.1, y: 0 },
      ],
      3 * PULSE_TICKS,
    );
    expect(contactsOf(alone.records)).toHaveLength(1);
    expect(pulsesOf(alone.records)).toEqual([]);
  });

  it('of cars that spin into each other takes in what they do as wrecks', () => {
    const scenes: Scene[] = [
      { x: 0, y: 0, vx: 14 },
      { x: lengthM + 1.4, y: 1.2, headingDegrees: 200, vx: 12 },
    ];
    const { records, changes } = lived(scenes, PULSE_TICKS + 2);
    expect(pairsOf(contactsOf(records))).toEqual([[0, 1]]);
    expect(pulsesOf(records)).toHaveLength(2);
    const sums = settled(records);
    for (const [car, change] of changes.entries()) {
      const told = deltaVOf(contactsOf(records), car);
      expect(deltaVOf(sums, car)).toBeGreaterThan(told + 0.5);
      // Tyres that scrub across take up to 0.2 m/s a tick.
      expect(Math.abs(deltaVOf(sums, car) - change)).toBeLessThan(0.2 * PULSE_TICKS);
    }
    const energyJ = contactsOf(records).reduce((sum, each) => sum + each.energyJ, 0);
    expect(sums[0]?.energyJ).toBeGreaterThan(energyJ + 100);
  });
});

describe('a contact of wrecks that are in no incident', () => {
  const wrecks = (vx: number): Scene[] => [
    { x: 0, y: 0, vx, isWreck: true },
    { x: lengthM + 0.05, y: 0, isWreck: true },
  ];

  it('is one if it is hard, and else has no record', () => {
    const hard = lived(wrecks(6), 40).records;
    expect(pairsOf(contactsOf(hard))).toEqual([[0, 1]]);
    const [first] = contactsOf(hard);
    expect([first?.chainTick, first?.chainOrder]).toEqual([first?.tick, first?.order]);
    const soft = lived(wrecks(0.8), 40);
    expect(soft.changes[1]).toBeGreaterThan(0.3);
    expect(soft.records).toEqual([]);
  });
});

it('a heap of cars has at most one contact and one pulse a car in a tick', () => {
  const { kernel, slab } = staged(
    cars.map((car) => ({ x: 0.7 * car, y: 0.3 * car, vx: 20 - 2 * car, headingDegrees: 40 * car })),
  );
  let [contactsMax, pulsesMax] = [0, 0];
  for (let tick = 0; tick < 60; tick++) {
    const seen = kernel.contactCount(slab);
    kernel.step(slab, 1);
    const records = kernel.records(slab, seen);
    expect(records.map(({ order }) => order)).toEqual(records.map((_, i) => i));
    const pulsed = pulsesOf(records).map(({ crashPulse }) => crashPulse.car);
    expect(new Set(pulsed).size).toBe(pulsed.length);
    contactsMax = Math.max(contactsMax, contactsOf(records).length);
    pulsesMax = Math.max(pulsesMax, pulsed.length);
  }
  expect(contactsMax).toBeGreaterThan(CAR_COUNT / 2);
  expect(contactsMax).toBeLessThanOrEqual(CAR_COUNT);
  expect(pulsesMax).toBeGreaterThan(CAR_COUNT / 2);
});
