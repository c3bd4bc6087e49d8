import { type Figure, figure } from '../common/figures.ts';
import type { Group, ManoeuvreRun, Outcome } from './manoeuvre.ts';
import { linePlot } from './plot.ts';
import { mark, type Plot, type Section, shown, type Table } from './section.ts';
import { IMPACT_TOLERANCE_KMH, strikesAsStated } from './stated-impacts.ts';

const METHOD =
  'Every case is driven twice: with its feature on, and with nothing changed but that it is off. A ✓ ' +
  'says that a run ended as it has to; a run without ✓ or ✗ is only reported. In the plots lines are ' +
  'solid with the feature and dashed without; they end with the contact, or where the manoeuvre does.';

export function manoeuvresSection(outcomes: readonly Outcome[], groups: readonly Group[]): Section {
  const parts = groups
    .map((group) => ({ group, outcomes: outcomes.filter((each) => each.group === group.name) }))
    .filter((part) => part.outcomes.length > 0);
  return {
    id: 'manoeuvres',
    title: 'Manoeuvres: each with its feature on and off',
    method: [METHOD, ...parts.map(({ group: { name, asks } }) => `**${name}.** ${asks}`)].join(
      '\n\n',
    ),
    figures: parts.flatMap(({ group, outcomes }) => marksOf(group, outcomes)),
    tables: parts.map(({ group, outcomes }) => tableOf(group, outcomes)),
    plots: parts.flatMap(({ group, outcomes }) => plotOf(group, outcomes)),
    data: outcomes,
  };
}

function marksOf({ name }: Group, outcomes: readonly Outcome[]): Figure[] {
  const mustPass = outcomes.filter(({ passesWith }) => passesWith);
  const passed = mustPass.filter(({ on }) => on.hasPassed).length;
  const mustFail = outcomes.filter(({ failsWithout }) => failsWithout);
  const failed = mustFail.filter(({ off }) => !off.hasPassed).length;
  const stated = outcomes.flatMap((outcome) => strikesAsStated(outcome) ?? []);
  const impacts = `${name}: impact speeds within ${IMPACT_TOLERANCE_KMH} km/h of those stated`;
  return [
    figure(`${name}, feature on: passed`, passed, 'runs', { atLeast: mustPass.length }),
    ...(mustFail.length > 0
      ? [figure(`${name}, feature off: failed`, failed, 'runs', { atLeast: mustFail.length })]
      : []),
    ...(stated.length > 0
      ? [figure(impacts, stated.filter(Boolean).length, 'cases', { atLeast: stated.length })]
      : []),
  ];
}

/** Two rows a case, a column for each reading. */
function tableOf({ name }: Group, outcomes: readonly Outcome[]): Table {
  const runs = outcomes.flatMap(({ on, off }) => [on, off]);
  const all = runs.flatMap(({ readings }) => readings);
  const names = [...new Set(all.map((reading) => reading.name))];
  const unitOf = (wanted: string) => all.find((reading) => reading.name === wanted)?.unit ?? '';
  const cells = ({ readings }: ManoeuvreRun): string[] =>
    names.map((wanted) => {
      const value = readings.find((reading) => reading.name === wanted)?.value ?? Number.NaN;
      return shown(rounded(value));
    });
  const result = ({ hasPassed }: ManoeuvreRun) => (hasPassed ? 'passed' : 'failed');
  const rows = outcomes.flatMap(({ label, feature, passesWith, failsWithout, on, off }) => [
    [label, `${feature} on`, ...cells(on), result(on), passesWith ? mark(on.hasPassed) : ''],
    ['', 'off', ...cells(off), result(off), failsWithout ? mark(!off.hasPassed) : ''],
  ]);
  const heads = names.map((each) => (unitOf(each) ? `${each}, ${unitOf(each)}` : each));
  return { title: name, head: ['Case', 'with', ...heads, 'result', 'as asked'], rows };
}

/** What is less than half a hundredth is none. */
const rounded = (value: number): number => (Math.abs(value) < 0.005 ? 0 : value);

/** On as a line, off dashed in the same colour. */
function plotOf(
  { name, x = 'time, s', y = 'speed, km/h' }: Group,
  outcomes: readonly Outcome[],
): Plot[] {
  const drawn = outcomes.filter(({ isDrawn }) => isDrawn);
  if (drawn.length === 0) return [];
  const series = drawn.flatMap(({ label, on, off }, colour) => [
    { name: `${label}, on`, points: on.trace, colour },
    { name: `${label}, off`, points: off.trace, colour, dashed: true },
  ]);
  const features = [...new Set(drawn.map(({ feature }) => feature))].join(', ');
  const title = `${name}: ${features} on and off`;
  return [{ name: slug(name), title, svg: linePlot({ title, x, y, series }) }];
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
