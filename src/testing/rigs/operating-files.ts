import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** The files of `docs/operating` that other programs read, and what they ask Prometheus for. */

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  /** `expr` is a query of Prometheus. */
  targets?: readonly { refId: string; expr: string; datasource: Panel['datasource'] }[];
}

export interface Dashboard {
  title: string;
  uid: string;
  schemaVersion: number;
  panels: readonly Panel[];
  templating: { list: readonly { name: string; type: string; query: unknown }[] };
}

const fileOf = (name: string) =>
  readFileSync(new URL(`../../../docs/operating/${name}`, import.meta.url), 'utf8');

/** As it is in the file: who reads it has to check its form. */
export function readAlertFile(): {
  groups: readonly { name: string; rules: readonly AlertRule[] }[];
} {
  return load(fileOf('alerts.yml')) as ReturnType<typeof readAlertFile>;
}

export function readAlerts(): readonly AlertRule[] {
  return readAlertFile().groups.flatMap(({ rules }) => rules);
}

export function readDashboard(): Dashboard {
  return JSON.parse(fileOf('dashboard.json')) as Dashboard;
}

/** What an expression wants of a label. */
export interface Matcher {
  label: string;
  operator: string;
  value: string;
}

/** A metric in an expression. */
export interface Selector {
  name: string;
  matchers: readonly Matcher[];
}

const KEYWORDS = /^(and|or|unless|bool|offset|by|without|on|ignoring|group_left|group_right)$/;
const GROUPING = /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** The metrics in a query of Prometheus. */
export function selectorsIn(expr: string): readonly Selector[] {
  const plain = expr.replaceAll(GROUPING, ' ').replaceAll(/\[[^\]]*\]|\boffset \w+/g, ' ');
  const names = /"(?:[^"\\]|\\.)*"|\b([a-zA-Z_:][\w:]*)\b(\s*\()?(?:\{([^}]*)\})?/g;
  return [...plain.matchAll(names)].flatMap(([, name, isFunction, matchers = '']) => {
    if (name === undefined || isFunction !== undefined || KEYWORDS.test(name)) return [];
    return [{ name, matchers: matchersIn(matchers) }];
  });
}

function matchersIn(text: string): readonly Matcher[] {
  return [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
    ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
  );
}

/** The labels by which a query of Prometheus groups. */
export function groupedBy(expr: string): readonly string[] {
  return [...expr.matchAll(GROUPING)].flatMap(([, , labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}
