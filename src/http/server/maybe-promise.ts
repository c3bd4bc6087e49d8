export type MaybePromise<T> = T | Promise<T>;

/** Applies `map` at once to a value, or later to the value of a promise. */
export function mapMaybePromise<T, R>(value: T | Promise<T>, map: (value: T) => R | Promise<R>) {
  return value instanceof Promise ? value.then(map) : map(value);
}
