import { expect, it } from 'vitest';
import type { Group, ManoeuvreRun, Outcome } from './manoeuvre.ts';
import { GROUPS, MANOEUVRES, runManoeuvre } from './manoeuvre-runs.ts';
import { ESC_GROUPS } from './manoeuvres-esc.ts';
import { manoeuvresSection } from './manoeuvres-report.ts';
import { STATED_IMPACTS, strikesAsStated } from './stated-impacts.ts';

const GROUP: Group = { name: 'Stops', asks: 'No contact.', x: 's', y: 'km/h' };

function runOf(hasPassed: boolean, impactKmh: number): ManoeuvreRun {
  const trace = [
    [0, 50],
    [1, impactKmh],
  ] as const;
  return { hasPassed, readings: [{ name: 'impact', value: impactKmh, unit: 'km/h' }], trace };
}

function outcomeOf(label: string, on: boolean, off: boolean, isAsked = true): Outcome {
  const asked = { passesWith: true, failsWithout: isAsked, isDrawn: isAsked };
  const what = { id: label, group: 'Stops', label, feature: 'aeb' as const, ...asked };
  return { ...what, on: runOf(on, on ? 0 : 10), off: runOf(off, off ? 0 : 40) };
}

it('runs with the feature must pass, and runs without it fail where required', () => {
  const outcomes = [
    outcomeOf('10 km/h', true, true, false),
    outcomeOf('30 km/h', true, false),
    outcomeOf('50 km/h', false, true),
  ];
  const { figures, tables, plots } = manoeuvresSection(outcomes, [GROUP]);
  expect(figures.map(({ name, value, target }) => [name, value, target?.met])).toEqual([
    ['Stops, feature on: passed', 2, false],
    ['Stops, feature off: failed', 1, false],
  ]);
  expect(tables[0]?.head).toEqual(['Case', 'with', 'impact, km/h', 'result', 'as asked']);
  expect(tables[0]?.rows).toEqual([
    ['10 km/h', 'aeb on', '0', 'passed', '✓'],
    ['', 'off', '0', 'passed', ''],
    ['30 km/h', 'aeb on', '0', 'passed', '✓'],
    ['', 'off', '40', 'failed', '✓'],
    ['50 km/h', 'aeb on', '10', 'failed', '✗'],
    ['', 'off', '0', 'passed', '✗'],
  ]);
  expect(plots.map(({ name, title }) => [name, title])).toEqual([
    ['stops', 'Stops: aeb on and off'],
  ]);
  // A line for each run, and a sample of each in the legend.
  expect(plots[0]?.svg.match(/fill="none"/g)).toHaveLength(8);
});

it('leaves out groups without runs', () => {
  const empty = manoeuvresSection([], [GROUP]);
  expect([empty.figures, empty.tables, empty.plots]).toEqual([[], [], []]);
});

it('every manoeuvre has an id of its own and belongs to a group', () => {
  expect(new Set(MANOEUVRES.map(({ id }) => id)).size).toBe(MANOEUVRES.length);
  const names = GROUPS.map(({ name }) => name);
  expect(MANOEUVRES.filter(({ group }) => !names.includes(group))).toEqual([]);
});

it('every manoeuvre towards something has a stated impact', () => {
  const ids = MANOEUVRES.filter(({ feature }) => feature !== 'esc').map(({ id }) => id);
  expect(Object.keys(STATED_IMPACTS).toSorted()).toEqual(ids.toSorted());
});

it.each(
  GROUPS.map(({ name }) => name).filter((name) => !ESC_GROUPS.some((group) => group.name === name)),
)('%s: strikes at the stated speeds, within 1 km/h', (group) => {
  const ids = MANOEUVRES.filter((each) => each.group === group).map(({ id }) => id);
  const others = ids.filter((id) => strikesAsStated(runManoeuvre(id)) !== true);
  expect(ids.length).toBeGreaterThan(0);
  expect(others).toEqual([]);
});

it('a milder, a harder and a missing contact are not as stated', () => {
  const strikes = (onKmh: number, offKmh: number) =>
    strikesAsStated({ id: 'CCRs 30 km/h', on: runOf(true, onKmh), off: runOf(false, offKmh) });
  expect([strikes(0, 30), strikes(0, 29.2), strikes(0, 28.9), strikes(0.4, 30)]).toEqual([
    ...[true, true, false, false],
  ]);
  expect(strikes(0, 31.1)).toBe(false);
  expect(strikesAsStated({ id: 'unknown', on: runOf(true, 0), off: runOf(true, 0) })).toBe(
    undefined,
  );
});

it('the sine with dwell passes with stability control and spins without', () => {
  const { on, off } = runManoeuvre('sine-with-dwell-0-5');
  expect([on.hasPassed, off.hasPassed]).toEqual([true, false]);
  expect(on.trace.length).toBe(off.trace.length);
});
