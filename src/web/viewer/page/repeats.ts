/** Entries of a list that tell the same, as one. */
export interface Repeats<Entry> {
  newest: Entry;
  /** The others, newest first. */
  older: readonly Entry[];
}

/**
 * Groups what repeats in a list, newest first; a group stands where its newest entry is.
 * @param keyOf what entries that tell the same have in common
 */
export function groupRepeats<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Repeats<Entry>[] {
  const byKey = Map.groupBy(entries, keyOf);
  return [...byKey.values()].flatMap(([newest, ...older]) =>
    newest === undefined ? [] : [{ newest, older }],
  );
}
