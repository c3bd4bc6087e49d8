/** What would have helped, as the report of a collision tells it. */
import type { Failure, Incident } from '../api/types.ts';
import { joinWords, sentence } from '../formatting.ts';

/** The failures that explain the collision together; often just one. */
export interface Explanation {
  set: number;
  features: string[];
  vins: string[];
  effect: Failure['effect'];
  sentences: string[];
}

/** The explanations, those that avoid it first. */
export function explanations({ failures }: Incident): Explanation[] {
  const bySet = Map.groupBy(failures, ({ set }) => set);
  const all = [...bySet].map(([set, members]) => ({
    set,
    features: unique(members.map(({ feature }) => feature)),
    vins: unique(members.map(({ vin }) => vin)),
    effect: members[0]?.effect ?? 'mitigates',
    sentences: unique(members.map(({ explanation }) => sentence(explanation))),
  }));
  return all.toSorted(
    (a, b) => Number(a.effect === 'mitigates') - Number(b.effect === 'mitigates'),
  );
}

/** The plates of the cars whose features an explanation is about; empty where there is one car. */
export function whose({ vins }: Explanation, { vehicles }: Incident): string {
  if (vehicles.length < 2) return '';
  const plates = vehicles.filter(({ vin }) => vins.includes(vin)).map(({ plate }) => plate);
  return `of ${joinWords(plates)}`;
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
