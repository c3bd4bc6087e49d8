import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALL_METRICS, METRIC_AREAS, type Metric } from './metric-names.ts';
import {
  groupedBy,
  type Panel,
  readAlertFile,
  readAlerts,
  readDashboard,
  selectorsIn,
} from './testing/rigs/operating-files.ts';

/** Labels that Prometheus itself gives. */
const OWN_LABELS = ['job', 'instance'];
const operating = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');

/** A part of the document, up to the next heading of the same level or above. */
function partOf(heading: string): string {
  const [, level = ''] = /^(#+) /.exec(heading) ?? [];
  const [, part = ''] = operating.split(`\n${heading}\n`);
  return part.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? '';
}

/** The metric that a name in a query belongs to; undefined for those of the process. */
function metricNamed(name: string): Metric | undefined {
  const isOf = (metric: Metric) =>
    metric.kind === 'histogram'
      ? new RegExp(`^${metric.name}_(bucket|sum|count)$`).test(name)
      : metric.name === name;
  return ALL_METRICS.find(isOf);
}

function expectKnown(expr: string): void {
  const selectors = selectorsIn(expr);
  expect(selectors.length, expr).toBeGreaterThan(0);
  const labels = new Set([...OWN_LABELS, 'le']);
  for (const { name, matchers } of selectors) {
    if (/^(up|(process|nodejs)_\w+)$/.test(name)) continue;
    const metric = metricNamed(name);
    if (metric === undefined) throw new Error(`no node prints ${name}, in ${expr}`);
    for (const label of metric.labels) labels.add(label);
    for (const { label } of matchers) expect([...OWN_LABELS, ...metric.labels]).toContain(label);
  }
  for (const label of groupedBy(expr)) expect([...labels], expr).toContain(label);
}

/** Strings left out, every bracket is closed by its own. */
function isBalanced(expr: string): boolean {
  let rest = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').replaceAll(/[^()[\]{}]/g, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replaceAll(/\(\)|\[\]|\{\}/g, '');
  }
  return rest === '';
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

describe('[O22] the dashboard', () => {
  const { panels, templating, ...dashboard } = readDashboard();
  const queries = panels.flatMap(({ targets = [] }) => targets);

  test('can be imported: its data source is a variable', () => {
    expect(dashboard).toMatchObject({ uid: expect.any(String), title: expect.any(String) });
    expect(dashboard.schemaVersion).toBeGreaterThan(30);
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
    const uid = ['prometheus', '$' + '{datasource}'];
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect([panel.datasource?.type, panel.datasource?.uid]).toEqual(uid);
      for (const { datasource } of panel.targets ?? [])
        expect(datasource).toEqual(panel.datasource);
    }
  });

  test('has a row for each area, and no panel over another', () => {
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual([
      ...['Requests', 'Streams', 'Worlds', 'Store and leases', 'Cluster', 'Machine'],
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const overlaps = (a: Panel['gridPos'], b: Panel['gridPos']) =>
      a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    for (const [i, { gridPos }] of panels.entries()) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (const other of panels.slice(i + 1)) expect(overlaps(gridPos, other.gridPos)).toBe(false);
    }
  });

  test('asks only for metrics that there are, for some of the chosen nodes', () => {
    expect(queries.length).toBeGreaterThan(50);
    for (const { expr } of queries) {
      expect(isBalanced(expr), expr).toBe(true);
      expectKnown(expr);
      for (const { matchers } of selectorsIn(expr)) {
        expect(matchers).toContainEqual({ label: 'job', operator: '=', value: '$job' });
        expect(matchers).toContainEqual({ label: 'instance', operator: '=~', value: '$instance' });
      }
    }
  });

  test('shows every metric', () => {
    const shown = new Set(
      queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => metricNamed(name)?.name)),
    );
    expect(ALL_METRICS.filter(({ name }) => !shown.has(name))).toEqual([]);
  });
});

describe('[O22] the alerts', () => {
  const rules = readAlerts();

  test('are rules as Prometheus reads them', () => {
    const { groups } = readAlertFile();
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(rules.length).toBeGreaterThan(15);
    for (const rule of rules) {
      expect(Object.keys(rule).toSorted()).toEqual(
        ['alert', 'annotations', 'expr', ...(rule.for ? ['for'] : []), 'labels'].toSorted(),
      );
      expect(rule.alert).toMatch(/^Twin([A-Z][a-z]+)+$/);
      expect(rule.for ?? '1m').toMatch(/^\d+[smh]$/);
      expect(isBalanced(rule.expr), rule.expr).toBe(true);
    }
  });

  test('ask only for metrics that there are', () => {
    for (const { expr } of rules) expectKnown(expr);
  });

  test('say how bad it is, of what, and what to do', () => {
    for (const { expr, labels, annotations } of rules) {
      expect(labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) });
      expect(Object.keys(annotations).toSorted()).toEqual(['action', 'summary']);
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.action).toMatch(/\.$/);
      const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name);
      const grouped = groupedBy(expr);
      const kept = grouped.length > 0 ? grouped : OWN_LABELS;
      for (const name of named) expect(kept, annotations.summary).toContain(name);
    }
  });

  test('are those in the table of the document', () => {
    const listed = [...partOf('### Alerts').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)];
    expect(listed.map(([, alert, severity]) => `${alert} ${severity}`)).toEqual(
      rules.map(({ alert, labels }) => `${alert} ${labels.severity}`),
    );
  });
});
