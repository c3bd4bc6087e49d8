/** Its multiples, without their whole parts, lie evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;
/** Larger numbers are reduced: the product of one of 50 bits, as ids of worlds have, keeps no fraction. */
const REDUCED_BELOW = 2 ** 20;

/**
 * When in a period a world takes its turn, by its number: a whole number from 0 to below `period`, in the unit of
 * `period`. Turns are spread over the period, so work for many worlds of one age does not come all at once.
 */
export function phaseOf(number: number, period: number): number {
  return Math.floor((((number % REDUCED_BELOW) * GOLDEN_RATIO) % 1) * period);
}
