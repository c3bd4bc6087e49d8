import { type Figure, figure } from '../common/figures.ts';
import type { AttributionRow, Attributions } from './attribution.ts';
import { barPlot } from './plot.ts';
import { listed, mark, type Section, shown } from './section.ts';

const NAMED_MIN = 95;

const namedPercent = ({ counted }: AttributionRow): number =>
  (100 * counted.named) / counted.incidents;

export function attributionSection(all: Attributions): Section {
  const title = 'Reports that name the feature that was off';
  const bars = all.rows.map((row) => ({ name: row.off, value: namedPercent(row) }));
  const svg = barPlot({ title, x: '% of the incidents', bars });
  return {
    id: 'attribution',
    title: 'Attribution: do collision reports name what was off?',
    method:
      'Worlds with one feature off on all cars, and worlds with two to four off, others on each ' +
      'car. Every incident is explained as the server does it: the seconds before it run again ' +
      'with the missing features on. The last row counts reports that name any of the features ' +
      'that were off.',
    figures: all.rows.flatMap((row) => marksOf(row, all.wanted)),
    tables: [
      {
        title: 'Explanations',
        head: [
          ...['Off', 'worlds', 'incidents', 'named', ''],
          ...['nothing', 'wrong', 'lost', 're-runs', ''],
        ],
        rows: all.rows.map((row) => cellsOf(row, all.wanted)),
      },
      ...listed('Not named in', all.accounts),
    ],
    plots: [{ name: 'attribution', title, svg }],
    data: all,
  };
}

function marksOf(row: AttributionRow, wanted: number): Figure[] {
  const { off, counted } = row;
  return [
    figure(`${off} off: incidents explained`, counted.incidents, 'incidents', { atLeast: wanted }),
    figure(`${off} off: reports that name it`, namedPercent(row), '%', { atLeast: NAMED_MIN }),
    figure(`${off} off: reports that name what was on`, counted.wrong, 'reports', { atMost: 0 }),
    figure(`${off} off: incidents that a re-run did not repeat`, counted.lost, 'incidents', {
      atMost: 0,
    }),
  ];
}

function cellsOf(row: AttributionRow, wanted: number): string[] {
  const { off, worlds, counted } = row;
  const { incidents, named, unexplained, wrong, lost, reruns } = counted;
  const percent = namedPercent(row);
  const perIncident = reruns / incidents;
  return [
    off,
    String(worlds),
    String(incidents),
    String(named),
    `${shown(percent)} %`,
    String(unexplained),
    String(wrong),
    String(lost),
    shown(perIncident),
    mark(marksOf(row, wanted).every(({ target }) => target?.met === true)),
  ];
}
