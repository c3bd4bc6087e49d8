/** The parties of a collision in a line, for lists. */
import { namesOfOthers, type Spot } from '../../../twin/party-names.ts';
import type { Incident } from '../api/types.ts';
import { joinWords } from '../formatting.ts';

/** A one-line summary. @param spots of the city, as far as they are known */
export function headline({ vehicles, other }: Incident, spots: readonly Spot[]): string {
  return joinWords([...vehicles.map(({ model }) => model), ...namesOfOthers(other, spots)]);
}
