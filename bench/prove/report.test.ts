import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { figure } from '../common/figures.ts';
import type { Circumstances } from '../common/report.ts';
import { markdownReport, terminalSection, writeReport } from './report.ts';
import { missedMarks, type Section } from './section.ts';

const MADE: Circumstances = {
  at: '2026-01-02T03:04:05.000Z',
  command: 'node bench/prove/main.ts',
  commit: '0123456789ab',
  machine: { cpu: 'Some CPU', cores: 4, memoryGiB: 8, system: 'linux' },
  factor: null,
  versions: {},
};

const SECTION: Section = {
  id: 'sweep',
  title: 'Sweep',
  method: 'Worlds are driven.',
  figures: [
    figure('contacts', 0, 'contacts', { atMost: 0 }),
    figure('fires', 40, '%', { atLeast: 50 }),
    figure('driven', 1234.5, 'km'),
  ],
  tables: [{ title: 'Rates', head: ['Off', 'a|b'], rows: [['aeb', '12']] }],
  plots: [{ name: 'bars', title: 'Bars', svg: '<svg/>' }],
  data: { worlds: 3 },
};

it('marks are the figures with a target', () => {
  expect(missedMarks([SECTION]).map(({ name }) => name)).toEqual(['fires']);
});

it('the report lists missed marks first, then each part', () => {
  expect(markdownReport([{ ...SECTION, made: MADE }])).toBe(`# Proving ground

\`node bench/prove/main.ts\`, 2026-01-02T03:04:05.000Z, commit 0123456789ab, 4 × Some CPU.

✗ 1 of 2 marks are missed:

- fires: 40 % (≥ 50 %)

## Sweep

Worlds are driven.

|  | Mark | Reached | Asked for |
|---|---|---|---|
| ✓ | contacts | 0 contacts | ≤ 0 contacts |
| ✗ | fires | 40 % | ≥ 50 % |

### Rates

| Off | a\\|b |
|---|---|
| aeb | 12 |

![Bars](bars.svg)
`);
});

it('a terminal table has aligned columns, numbers to the right', () => {
  const rows = [
    ['aeb', '1'],
    ['brakes', '100'],
  ];
  const tables = [{ title: 'Rates', head: ['Off', 'n'], rows }];
  const text = terminalSection({ ...SECTION, tables });
  expect(text).toContain('Rates\nOff       n\naeb       1\nbrakes  100');
  expect(text).toContain('✗ fires: 40 % (≥ 50 %)');
});

it('writes report and plots into a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    const path = writeReport(join(folder, 'new'), [SECTION]);
    expect(readFileSync(path, 'utf8')).toContain('## Sweep');
    expect(readFileSync(join(folder, 'new/bars.svg'), 'utf8')).toBe('<svg/>');
    const whole = JSON.parse(readFileSync(join(folder, 'new/report.json'), 'utf8'));
    expect(whole).toMatchObject({ passed: false, parts: [{ id: 'sweep', data: { worlds: 3 } }] });
    expect(whole.parts[0].figures).toHaveLength(3);
    expect(whole.parts[0].plots).toEqual([{ name: 'bars', title: 'Bars' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a report keeps the last run of each part', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    const part = (id: string, title: string): Section => ({ ...SECTION, id, title });
    writeReport(folder, [part('attribution', 'Reports')]);
    writeReport(folder, [part('sweep', 'First sweep')]);
    const path = writeReport(folder, [part('sweep', 'Second sweep'), part('manoeuvres', 'Tests')]);
    const titles = readFileSync(path, 'utf8').match(/^## .*$/gm);
    expect(titles).toEqual(['## Tests', '## Second sweep', '## Reports']);
    const whole = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    expect(whole.parts.map(({ id }: Section) => id)).toEqual([
      'manoeuvres',
      'sweep',
      'attribution',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
