import { type Resource, useResource } from '../common/resource.ts';
import { call } from './session.ts';
import type { Dealer } from './types.ts';

/** All dealers; anyone may know them. */
export function useDealers(): Resource<Dealer[]> {
  return useResource((signal) => call<Dealer[]>('/api/dealers', { signal }), []);
}

/** `<option>`s for the dealers. */
export function dealerOptions(dealers: readonly Dealer[]) {
  return dealers.map(({ username, name, city }) => (
    <option value={username} key={username}>
      {name}, {city}
    </option>
  ));
}
