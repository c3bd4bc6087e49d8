import type { Effective, Feature } from '../api/types.ts';

/** What a feature would be in a car with some features on, and what it lacks, in the order of the catalogue. */
export function stateIn(
  catalogue: readonly Feature[],
  name: string,
  isOn: (name: string) => boolean,
): { effective: Effective; missing: string[] } {
  if (!isOn(name)) return { effective: 'off', missing: [] };
  const needs = catalogue.find((feature) => feature.name === name)?.needs ?? [];
  const lacking = new Set<string>();
  for (const need of needs) {
    const any = typeof need === 'string' ? [need] : need;
    if (!any.some(isOn)) for (const each of any) lacking.add(each);
  }
  const missing = catalogue.flatMap((feature) => (lacking.has(feature.name) ? feature.name : []));
  return { effective: missing.length === 0 ? 'on' : 'degraded', missing };
}
