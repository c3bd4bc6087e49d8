/** What the schemas of the documents leave open: numbers by the name of their field. */
const BOUNDS: Record<string, readonly [least: number, most: number]> = {
  // Half a turn either way, to four decimals.
  heading: [-3.15, 3.15],
  speed: [0, Number.POSITIVE_INFINITY],
  radius: [0.01, Number.POSITIVE_INFINITY],
  speed_limit: [0.01, Number.POSITIVE_INFINITY],
  points: [0, Number.POSITIVE_INFINITY],
  seq: [1, Number.POSITIVE_INFINITY],
};

/** The value itself. Throws where a text in it is empty, or a number beyond its bounds. */
export function plausible<Value>(value: Value, name = ''): Value {
  if (value === '') throw new Error(`an empty ${name}`);
  const [least, most] = BOUNDS[name] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (typeof value === 'number' && !(least <= value && value <= most)) {
    throw new Error(`${name} of ${value}`);
  }
  if (typeof value === 'object' && value !== null) {
    for (const [inner, each] of Object.entries(value)) plausible(each, inner);
  }
  return value;
}
