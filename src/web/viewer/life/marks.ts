import type { WorldEvent } from '../api/types.ts';
import type { Mark } from './life.ts';

/** An event as it stands on the time line. */
export function markOf({ tick, kind, message, incident }: WorldEvent): Mark {
  return { tick, kind: kindOf(kind, incident), message, incident };
}

function kindOf(kind: WorldEvent['kind'], incident: string | null): Mark['kind'] {
  if (incident !== null) return 'incident';
  return kind === 'hazard' || kind === 'configuration' ? kind : 'event';
}
