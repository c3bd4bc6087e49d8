import { type Resource, useResource } from '../common/resource.ts';
import { call } from './session.ts';
import type { PlatformState } from './types.ts';

/** The platform in figures; anyone may know them. */
export function usePlatformState(): Resource<PlatformState> {
  return useResource((signal) => call<PlatformState>('/api/state', { signal }), []);
}

/** Numbers with what they count. */
export function Figures({ figures }: { figures: Readonly<Record<string, number | string>> }) {
  return (
    <dl class="figures">
      {Object.entries(figures).map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}
