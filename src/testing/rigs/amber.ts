/** Reaction of a driving computer, s, and decelerations that are comfortable and possible, m/s². */
const REACTION_S = 0.3;
const COMFORT_MPS2 = 3;
const HARD_MPS2 = 4.5;

export type AmberChoice = 'go' | 'stop';

/**
 * Choice of a car whose light turns amber for `amberS`, `distanceM` before the line: stop if that
 * is comfortable, else go if the amber lasts, else stop only if it is possible at all.
 */
export function amberChoice(speedMps: number, distanceM: number, amberS: number): AmberChoice {
  const reactedM = distanceM - speedMps * REACTION_S;
  const squared = speedMps * speedMps;
  if (reactedM > squared / (2 * COMFORT_MPS2)) return 'stop';
  if (distanceM <= speedMps * amberS) return 'go';
  return reactedM > 0 && squared / (2 * reactedM) <= HARD_MPS2 ? 'stop' : 'go';
}
