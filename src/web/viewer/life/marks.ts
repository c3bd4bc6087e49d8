import type { WorldEvent } from '../api/types.ts';
import type { Mark } from './life.ts';

/** Events as they stand on the time line: of the contacts of an incident only the first. */
export function marksOf(events: readonly WorldEvent[]): Mark[] {
  const seen = new Set<string>();
  return events.flatMap<Mark>(({ tick, kind, message, incident }) => {
    if (incident === null) return [{ tick, kind: kindOf(kind), message, incident }];
    // The id names the tick of the first contact.
    if (!incident.startsWith(`i${tick}-`) || seen.has(incident)) return [];
    seen.add(incident);
    return [{ tick, kind: 'incident', message, incident }];
  });
}

function kindOf(kind: WorldEvent['kind']): Mark['kind'] {
  return kind === 'hazard' || kind === 'configuration' ? kind : 'event';
}
