/** Its multiples, without their whole parts, lie evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;
/** Ids have 50 bits: the product of a whole one would have no fraction left. */
const NUMBERS = 2 ** 20;

/**
 * Where in a period something with a number has its turn, 0 to `period`: whole, in its unit. Consecutive numbers have
 * theirs evenly spread, so what is done for many worlds of one age is never done for all of them at once.
 */
export function phaseOf(number: number, period: number): number {
  return Math.floor((((number % NUMBERS) * GOLDEN_RATIO) % 1) * period);
}
