import { useCall } from './session.ts';
import type { Dealer } from './types.ts';

/** All dealers, which needs no log-in. */
export const useDealers = () => useCall<Dealer[]>('/api/dealers');

/** `<option>`s for the dealers. */
export function dealerOptions(dealers: readonly Dealer[]) {
  return dealers.map(({ username, name, city }) => (
    <option value={username} key={username}>
      {name}, {city}
    </option>
  ));
}
