import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALL_METRICS, METRIC_AREAS, type Metric } from './metric-names.ts';

const operating = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');

/** A part of the document, up to the next heading of the same level or above. */
function partOf(heading: string): string {
  const [, level = ''] = /^(#+) /.exec(heading) ?? [];
  const [, part = ''] = operating.split(`\n${heading}\n`);
  return part.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? '';
}

describe('[O6] names of metrics', () => {
  test('begin alike, end with a unit, and say whether they only grow', () => {
    for (const { kind, name, help, labels } of ALL_METRICS) {
      expect(name).toMatch(/^twin(_[a-z]+)+$/);
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(name).not.toMatch(/_(ms|us|ns|minutes|kib|mib|kb|mb|percent|count|sum|bucket)(_|$)/);
      if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(help).toMatch(/^[A-Z1].*\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z_]+$/);
    }
    expect(new Set(ALL_METRICS.map(({ name }) => name)).size).toBe(ALL_METRICS.length);
  });

  test('are those in the tables of the document, area by area', () => {
    for (const [area, metrics] of Object.entries(METRIC_AREAS)) {
      const heading = `#### ${area[0]?.toUpperCase()}${area.slice(1)}`;
      const listed = [...partOf(heading).matchAll(/^\| `(\w+)(?:\{([\w,]+)\})?` \| (\w+) \|/gm)];
      const rows = listed.map(([, name, labels = '', kind]) => `${kind} ${name} ${labels}`);
      const wanted = Object.values(metrics).map(
        ({ kind, name, labels }: Metric) => `${kind} ${name} ${labels.join()}`,
      );
      expect(rows).toEqual(wanted);
    }
  });
});
