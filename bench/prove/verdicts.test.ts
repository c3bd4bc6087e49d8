import { expect, it } from 'vitest';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import { agrees, isShown, type Played, type Report, wrongFigures } from './verdict-check.ts';
import type { Verdicts } from './verdicts.ts';
import { verdictsSection } from './verdicts-report.ts';

const [TYPE] = CAR_TYPES;
if (TYPE === undefined) throw new Error('there are car types');

it('a verdict holds where two of three starts in a row show it', () => {
  expect(agrees([true, false, true])).toBe(true);
  expect(agrees([true, false, false, true])).toBe(false);
  expect(agrees([false, false, true, true])).toBe(true);
  expect(agrees([])).toBe(false);
});

it('a collision is avoided where the same do not meet, and milder at 70 % of its delta-v', () => {
  const was = { cars: [3], others: ['deer h1'], deltaVMps: 10 };
  const met = (deltaVMps: number) => ({ cars: [3, 5], others: ['deer h1'], deltaVMps });
  expect(isShown('avoids', was, [])).toBe(true);
  expect(isShown('avoids', was, [{ cars: [3], others: ['lorry h2'], deltaVMps: 9 }])).toBe(true);
  expect(isShown('avoids', was, [met(1)])).toBe(false);
  expect(isShown('mitigates', was, [met(7)])).toBe(true);
  expect(isShown('mitigates', was, [met(7.1)])).toBe(false);
  const pair = { cars: [1, 2], others: [], deltaVMps: 10 };
  expect(isShown('avoids', pair, [{ cars: [2, 4], others: [], deltaVMps: 9 }])).toBe(true);
  expect(isShown('avoids', pair, [{ cars: [2, 1], others: [], deltaVMps: 9 }])).toBe(false);
});

/** A car that drives east at 10 m/s and stops 4 m before the middle of a deer of 1.1 m. */
function played(contactTick: number | null): Played {
  const noseM = TYPE?.lengthM ?? Number.NaN;
  const frame = (tick: number, aheadM: number, speed: number) => ({
    tick,
    vehicles: [{ vin: 'V', x: -noseM / 2 - aheadM, y: 0, heading: 0, speed }],
    hazards: [{ active: true, x: 0.55, y: 0, heading: 0, length: 1.1, width: 0.4 }],
  });
  return { frames: [frame(900, 8, 10), frame(904, 4, 0)], contact_tick: contactTick };
}

function told(effect: 'avoids' | 'mitigates', explanation: string, contactTick: number | null) {
  const failure = { vin: 'V', feature: 'aeb', effect, set: 1, explanation };
  const report: Report = {
    id: 'i910-0',
    tick: 910,
    explained: true,
    vehicles: [{ vin: 'V', model: TYPE?.model ?? '', speed: 13.89, delta_v: 0.5 }],
    other: [],
    failures: [failure],
  };
  return wrongFigures(report, failure, played(contactTick), []);
}

it('a sentence is compared with the replay and the report', () => {
  expect(told('avoids', 'with it the car would have stopped 4.0 m short.', null)).toEqual([]);
  const [far] = told('avoids', 'with it the car would have stopped 4.3 m short.', null);
  expect(far).toBe('4.3 m is none of 4.00');
  expect(told('avoids', 'with it the car would have stopped 4.0 m short.', 903)).toEqual([
    'contact at 903',
  ]);
  const hit = (kmh: number, was: number) =>
    told('mitigates', `would have hit at ${kmh} km/h instead of ${was} km/h.`, 903);
  expect(hit(34, 50)).toEqual([]);
  expect(hit(20, 50)).toEqual(['hits at 10 m/s']);
  expect(hit(34, 60)).toEqual(['was 13.89 m/s']);
  const change = (kmh: string) =>
    told('mitigates', `would have changed speed by 1.0 km/h instead of ${kmh} km/h.`, 903);
  expect(change('1.8')).toEqual([]);
  expect(change('2.0')).toEqual(['2.0 km/h is none of 1.8']);
});

it('every other verdict and every other figure is a missed mark', () => {
  const counts = { wanted: 200, worlds: 20, incidents: 200, reruns: 900 };
  const found = { otherVerdicts: 1, sentences: 90, wrongSentences: 0, accounts: ['here'] };
  const all: Verdicts = { ...counts, ...found };
  const { figures, tables } = verdictsSection(all);
  expect(figures.map(({ target }) => target?.met)).toEqual([true, false, true, true]);
  expect(tables[1]?.rows).toEqual([['here']]);
});
