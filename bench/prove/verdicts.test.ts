import { expect, it } from 'vitest';
import type { Events, Incident, Replay } from '../../build/api/twin.d.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import { missedMarks } from './section.ts';
import {
  agrees,
  describes,
  type Failure,
  figuresOf,
  isAlwaysJoined,
  isReplayed,
  isShown,
  metTick,
  partiesOf,
  setsOf,
  type Touch,
  wrongPast,
  wrongReplay,
} from './verdict-check.ts';
import type { Verdicts } from './verdicts.ts';
import { verdictsSection } from './verdicts-report.ts';

const [TYPE] = CAR_TYPES;
if (TYPE === undefined) throw new Error('there are car types');

it('a verdict is confirmed by two of three neighbouring starts', () => {
  expect(agrees([true, false, true])).toBe(true);
  expect(agrees([true, false, false, true])).toBe(false);
  expect(agrees([false, false, true, true])).toBe(true);
  expect(agrees([])).toBe(false);
});

/** A collision of cars at 10 m/s: the first changes speed by `deltaVMps`, the others by `joinedMps`. */
const metBy = (cars: number[], others: string[], deltaVMps: number, joinedMps = deltaVMps) => ({
  ...{ cars, others, deltaVMps: Math.max(deltaVMps, joinedMps) },
  speeds: cars.map((_, i) => ({ speedMps: 10, deltaVMps: i === 0 ? deltaVMps : joinedMps })),
  spots: others.map((other) => other.split(' ')[1] ?? ''),
  touches: [] as Touch[],
});

it('a collision is avoided if the same parties do not meet, and milder at 70 % of its delta-v', () => {
  const was = metBy([3], ['deer h1'], 10);
  const met = (deltaVMps: number) => metBy([3, 5], ['deer h1'], deltaVMps);
  expect(isShown('avoids', was, [])).toBe(true);
  expect(isShown('avoids', was, [metBy([3], ['lorry h2'], 9)])).toBe(true);
  expect(isShown('avoids', was, [met(1)])).toBe(false);
  expect(isShown('mitigates', was, [met(7)])).toBe(true);
  expect(isShown('mitigates', was, [met(7.1)])).toBe(false);
  // What another car runs into is its own collision.
  expect(isShown('mitigates', was, [metBy([3, 5], ['deer h1'], 7, 20)])).toBe(true);
  const pair = metBy([1, 2], [], 10);
  expect(isShown('avoids', pair, [metBy([2, 4], [], 9)])).toBe(true);
  expect(isShown('avoids', pair, [metBy([2, 1], [], 9)])).toBe(false);
});

it('in a collision with further cars the same meet if they touch each other', () => {
  const touch = (car: number, other: number | string, tick = 10): Touch => ({ tick, car, other });
  const pair = metBy([1, 2], [], 10);
  const pileUp = (...touches: Touch[]) => ({ ...metBy([1, 2, 4], [], 5), touches });
  expect(isShown('avoids', pair, [pileUp(touch(4, 1), touch(2, 4))])).toBe(true);
  expect(isShown('avoids', pair, [pileUp(touch(4, 1), touch(2, 1))])).toBe(false);
  const alone = metBy([1], ['deer h1'], 10);
  const withDeer = (...touches: Touch[]) => ({ ...metBy([1, 4], ['deer h1'], 5), touches });
  expect(isShown('avoids', alone, [withDeer(touch(1, 4), touch(4, 'h1'))])).toBe(true);
  expect(isShown('avoids', alone, [withDeer(touch(1, 4), touch(1, 'h1'))])).toBe(false);
  // Nobody tells who touched whom.
  expect(isShown('avoids', pair, [pileUp()])).toBe(false);
  const later = pileUp(touch(1, 4, 7), touch(2, 1, 8), touch(1, 2, 9));
  expect(metTick(pair, later)).toBe(8);
  expect(metTick(pair, pileUp(touch(4, 1)))).toBeUndefined();
});

it('who touched whom is read from the events of a collision', () => {
  const fleet = ['A', 'B', 'C'].map((vin) => ({ vin, plate: `P ${vin}` }));
  const { report } = reportOf('');
  const [car] = report.vehicles;
  const vehicles = ['A', 'B', 'C'].map((vin) => ({ ...car, vin }));
  const event = (vin: string, message: string, hazard: string | null, incident = report.id) => ({
    ...{ tick: 5, vin, incident, hazard, message: `X (plate P ${vin}) ${message}.` },
  });
  const events = [
    event('A', 'collided with Y (plate P C)', null),
    event('A', 'collided with a building', null),
    event('A', 'collided with Y (plate P B)', null, 'i1-0'),
    event('C', 'collided with a deer (h1)', 'h1'),
  ] as unknown as Events;
  const { cars, touches } = partiesOf({ ...report, vehicles } as Incident, fleet, events);
  expect(cars).toEqual([0, 1, 2]);
  expect(touches).toEqual([
    { tick: 5, car: 0, other: 2 },
    { tick: 5, car: 0, other: 'beside the road' },
    { tick: 5, car: 2, other: 'h1' },
  ]);
});

it('a milder collision is left out only if another car takes part in all re-runs that have it', () => {
  const was = metBy([3], ['deer h1'], 10);
  const joined = metBy([3, 5], ['deer h1'], 7);
  const elsewhere = metBy([3], ['lorry h2'], 9);
  expect(isAlwaysJoined(was, [joined])).toBe(true);
  expect(isAlwaysJoined(was, [joined, elsewhere, joined])).toBe(true);
  expect(isAlwaysJoined(was, [joined, metBy([3], ['deer h1'], 7)])).toBe(false);
  expect(isAlwaysJoined(was, [elsewhere])).toBe(false);
  expect(isAlwaysJoined(was, [])).toBe(false);
});

/** A car that drives east at 10 m/s and stops 4 m before the middle of a deer of 1.1 m. */
function played(contactTick: number | null): Replay {
  const noseM = TYPE?.lengthM ?? Number.NaN;
  const frame = (tick: number, aheadM: number, speed: number) => ({
    tick,
    vehicles: [{ vin: 'V', x: -noseM / 2 - aheadM, y: 0, heading: 0, speed }],
    hazards: [{ id: 'h1', active: true, x: 0.55, y: 0, heading: 0, length: 1.1, width: 0.4 }],
  });
  const frames = [frame(900, 8, 10), frame(904, 4, 0)];
  return { frames, contact_tick: contactTick } as unknown as Replay;
}

function reportOf(explanation: string, effect: Failure['effect'] = 'mitigates') {
  const failure = { vin: 'V', feature: 'aeb', effect, set: 1, explanation } as Failure;
  const car = { vin: 'V', model: TYPE?.model ?? '', speed: 13.89, delta_v: 0.5, off: ['aeb'] };
  const report = {
    id: 'i910-0',
    tick: 910,
    explained: true,
    vehicles: [car],
    other: [{ kind: 'deer', hazard: 'h1' }],
    failures: [failure],
  } as unknown as Incident;
  return { report, failure };
}

it('the other outcome is compared with the replay', () => {
  const sentence = (effect: Failure['effect'], explanation: string, contactTick: number | null) => {
    const { report, failure } = reportOf(explanation, effect);
    // A wall that is at that distance, which the report does not name.
    const wall = [4.3, -9, 5, -9, 5, 9, 4.3, 9];
    return wrongReplay(report, failure, played(contactTick), [wall]);
  };
  expect(sentence('avoids', 'with it the car would have stopped 4.0 m short.', null)).toEqual([]);
  const [far] = sentence('avoids', 'with it the car would have stopped 4.3 m short.', null);
  expect(far).toBe('4.3 m is none of 4.00');
  expect(sentence('avoids', 'with it the car would have stopped 4.0 m short.', 903)).toEqual([
    'contact at 903',
  ]);
  const hit = (kmh: number) =>
    sentence('mitigates', `have hit at ${kmh} km/h instead of 50 km/h.`, 903);
  expect(hit(34)).toEqual([]);
  expect(hit(20)).toEqual(['hits at 10 m/s']);
});

it('how far the car would have been from the place is read from the moment of the collision', () => {
  const noseM = TYPE?.lengthM ?? Number.NaN;
  const isM = 24 + noseM / 2;
  const wrongAt = (metres: number) => {
    const sentence = `with it the car would have been ${metres.toFixed(1)} m away by then and not have met it.`;
    const { report, failure } = reportOf(sentence, 'avoids');
    return wrongReplay(
      { ...report, place: { x: 20, y: 0 } } as Incident,
      failure,
      played(null),
      [],
    );
  };
  expect(wrongAt(isM)).toEqual([]);
  expect(wrongAt(isM + 1)).toEqual([`${(isM + 1).toFixed(1)} m is ${isM.toFixed(2)}`]);
});

it('an obstacle of a hazard counts as another party', () => {
  const { report, failure } = reportOf('it would have passed 4.0 m clear.', 'avoids');
  const fixed = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };
  const met = { ...report, other: [{ kind: 'obstacle', hazard: 'h1', ...fixed }] };
  expect(wrongReplay(met, failure, played(null), [])).toEqual([]);
});

it('figures of the collision are compared with the report', () => {
  const past = (sentence: string) => {
    const { report, failure } = reportOf(`with it the car would ${sentence}.`);
    return wrongPast(report, failure);
  };
  expect(past('have hit at 34 km/h instead of 50 km/h')).toEqual([]);
  expect(past('have hit at 34 km/h instead of 60 km/h')).toEqual(['60 km/h was 13.89 m/s']);
  expect(past('have changed speed by 1.0 km/h instead of 1.8 km/h')).toEqual([]);
  expect(past('have changed speed by 1.0 km/h instead of 2.0 km/h')).toEqual([
    '2 km/h was 0.5 m/s',
  ]);
  const any = 'have changed speed by more than 1.0 km/h instead of';
  expect(past(`${any} 1.8 km/h`)).toEqual([]);
  expect(past(`${any} 2.0 km/h`)).toEqual(['2 km/h was 0.5 m/s']);
  expect(past('not have met it')).toEqual([]);
  expect(past('have been lucky')).toEqual(['its form is unknown']);
});

it('a milder collision is found among those of a re-run', () => {
  const was = {
    cars: [3, 7],
    others: ['deer h1'],
    spots: ['h1'],
    deltaVMps: 10,
    speeds: [],
    touches: [],
  };
  const change = (deltaVMps: number) => ({ speedMps: 5, deltaVMps });
  const speeds = [change(1), change(2)];
  const now = { ...was, deltaVMps: 2, speeds };
  const isDescribed = (sentence: string, car = 3) =>
    describes(`would have ${sentence}.`, car, was, now);
  expect(isDescribed('hit at 18 km/h instead of 50 km/h')).toBe(true);
  expect(isDescribed('hit at 17 km/h instead of 50 km/h')).toBe(false);
  expect(isDescribed('hit at 18 km/h instead of 50 km/h', 4)).toBe(false);
  expect(isDescribed('changed speed by 3.6 km/h instead of 9.0 km/h')).toBe(true);
  expect(isDescribed('changed speed by 3.8 km/h instead of 9.0 km/h')).toBe(false);
  expect(isDescribed('changed speed by more than 7.2 km/h instead of 9.0 km/h')).toBe(true);
  expect(isDescribed('changed speed by more than 3.6 km/h instead of 9.0 km/h')).toBe(false);
  const elsewhere = { ...now, cars: [3], others: ['deer h2'] };
  expect(describes('hit at 18 km/h instead of 50 km/h', 3, was, elsewhere)).toBe(false);
  // A sentence is about the cars of the report, whatever becomes of one that joins.
  const joined = { ...now, cars: [3, 5], deltaVMps: 20, speeds: [change(1), change(20)] };
  const worst = (kmh: string) => `speed by more than ${kmh} km/h instead of 36.0 km/h`;
  expect(describes(worst('3.6'), 3, was, joined)).toBe(true);
  expect(describes(worst('72.0'), 3, was, joined)).toBe(false);
});

it('distances are found in every form of a sentence', () => {
  for (const end of [
    'stopped 3.2 m short',
    'passed 3.2 m clear',
    'come no closer than 3.2 m to it',
  ]) {
    expect(figuresOf(`with it the car would have ${end}.`)).toEqual({ metres: 3.2 });
  }
  expect(figuresOf('the car would have stopped less than 0.1 m short.')).toEqual({ metres: 0 });
  const later = 'with it the car would still have been 3.2 m away two seconds later.';
  expect(figuresOf(later)).toEqual({ metres: 3.2 });
});

it('a replay shows a set if no other car had any of it off', () => {
  const failure = (vin: string, feature: string, set: number) => ({ vin, feature, set });
  const { report } = reportOf('');
  const [car] = report.vehicles;
  if (car === undefined) throw new Error('there is a car');
  const vehicles = [
    { ...car, vin: 'A', off: ['brakes', 'esc'] },
    { ...car, vin: 'B', off: ['brakes', 'steering'] },
  ];
  const brakesOfBoth = [failure('A', 'brakes', 3), failure('B', 'brakes', 3)];
  const failures = [failure('A', 'brakes', 1), failure('A', 'esc', 2), ...brakesOfBoth];
  const several = { ...report, vehicles, failures } as unknown as Incident;
  expect(setsOf(several).map((set) => isReplayed(several, set))).toEqual([false, true, true]);
});

const COUNTS: Verdicts = {
  ...{ wanted: 200, worlds: 20, incidents: 200, sets: 240, reruns: 900, otherVerdicts: 0 },
  ...{ sentences: 300, replayed: 250, rerun: 20, milder: 16, joined: 1, wrongSentences: 0 },
  ...{ recomputed: 400, otherPoints: 0, accounts: [] },
};

/** The names of the marks that are missed. */
const missedWith = (other: Partial<Verdicts>): string[] =>
  missedMarks([verdictsSection({ ...COUNTS, ...other })]).map(({ name }) => name);

it('a different verdict or figure is a missed mark', () => {
  expect(missedWith({})).toEqual([]);
  expect(missedWith({ otherVerdicts: 1 })).toEqual(['named sets with another verdict']);
  expect(missedWith({ wrongSentences: 1 })).toEqual(['sentences with another figure']);
  expect(missedWith({ otherPoints: 2 })).toEqual(['reports with other points than they show']);
  const { tables } = verdictsSection({ ...COUNTS, accounts: ['here'] });
  expect(tables[1]?.rows).toEqual([['here']]);
});

it('a check that leaves out too much is a missed mark', () => {
  const compared = 'milder collisions compared with re-runs';
  const leftOut = 'incidents that another car always joins';
  expect(missedWith({ joined: 4 })).toEqual([]);
  expect(missedWith({ joined: 5 })).toEqual([leftOut]);
  expect(missedWith({ joined: 16 })).toEqual([compared, leftOut]);
  expect(missedWith({ milder: 0, joined: 0 })).toEqual([compared]);
});
