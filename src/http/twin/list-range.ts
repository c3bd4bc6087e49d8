import { TwinError } from '../../errors.ts';
import { parseIncidentId } from '../../twin/incidents.ts';
import { JOURNAL_MAX } from '../../twin/journal.ts';
import type { ChangeRange, IncidentRange } from '../../twin-service.ts';

export const LIMIT_MAX = 1000;

/** `after=<incident id>&until=<tick>&limit=<count>` of a query. Throws TwinError `invalid_value`. */
export function incidentRange(query: string): IncidentRange {
  if (query === '') return {};
  const params = new URLSearchParams(query);
  const id = params.get('after');
  const after = id === null ? undefined : parseIncidentId(id);
  if (id !== null && after === undefined) {
    throw new TwinError('invalid_value', 'Use after=<id of an incident>.');
  }
  const until = params.get('until');
  if (until !== null && !/^\d{1,10}$/.test(until)) {
    throw new TwinError('invalid_value', 'Use until=<tick>.');
  }
  const range = { ...(after && { after }), ...limitOf(params) };
  return until === null ? range : { ...range, untilTick: Number(until) };
}

/** `after=<count of changes>&limit=<count>` of a query. Throws TwinError `invalid_value`. */
export function changeRange(query: string): ChangeRange {
  if (query === '') return {};
  const params = new URLSearchParams(query);
  const after = countOf(params, 'after', 0, JOURNAL_MAX);
  return { ...(after !== undefined && { after }), ...limitOf(params) };
}

function limitOf(params: URLSearchParams): { limit?: number } {
  const limit = countOf(params, 'limit', 1, LIMIT_MAX);
  return limit === undefined ? {} : { limit };
}

function countOf(
  params: URLSearchParams,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const text = params.get(name);
  if (text === null) return undefined;
  const count = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw new TwinError('invalid_value', `Use ${name}=<integer from ${min} to ${max}>.`);
}
