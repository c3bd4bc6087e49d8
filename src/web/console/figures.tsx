import { Pairs } from '../common/pairs.tsx';
import { useCall } from './session.ts';
import type { PlatformState } from './types.ts';

/** The state of the platform, which needs no log-in. */
export const usePlatformState = () => useCall<PlatformState>('/api/state');

/** Named figures, side by side. */
export function Figures({ figures }: { figures: Readonly<Record<string, number | string>> }) {
  return <Pairs kind="figures" pairs={Object.entries(figures)} />;
}
