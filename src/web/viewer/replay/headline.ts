/** The parties of a collision in a line, for lists. */
import { namesOfOthers, type Spot } from '../../../twin/party-names.ts';
import type { Incident } from '../api/types.ts';
import { joinWords } from '../formatting.ts';

/** A one-line summary. @param spots of the city, as far as they are known */
export function headline({ vehicles, other }: Incident, spots: readonly Spot[]): string {
  const models = vehicles.map(({ model }) => model);
  const cars = models.map((model, i) => (models.indexOf(model) < i ? `another ${model}` : model));
  return joinWords([...cars, ...namesOfOthers(other, spots)]);
}
