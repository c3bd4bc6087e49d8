import type { Effective, Feature } from '../api/types.ts';

/** What a feature would be in a car with some features on, and what it lacks. */
export function stateIn(
  catalogue: readonly Feature[],
  name: string,
  isOn: (name: string) => boolean,
): { effective: Effective; missing: string[] } {
  if (!isOn(name)) return { effective: 'off', missing: [] };
  const works = (need: string) => stateIn(catalogue, need, isOn).effective === 'on';
  const needs = catalogue.find((feature) => feature.name === name)?.needs ?? [];
  const missing = needs.flatMap((need) => {
    const any = typeof need === 'string' ? [need] : need;
    return any.some(works) ? [] : any;
  });
  return { effective: missing.length === 0 ? 'on' : 'degraded', missing };
}
