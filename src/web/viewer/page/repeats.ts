/** An entry of a list, and those that it stands for because they tell the same. */
export interface Repeats<Entry> {
  entry: Entry;
  /** Newest first; of what is unfolded they stand in the list as well. */
  older: readonly Entry[];
}

/**
 * Folds what repeats in a list, newest first, behind its newest entry. What is unfolded stands where its time puts it.
 * @param keyOf what entries that tell the same have in common
 */
export function groupRepeats<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  isUnfolded: (key: string, group: readonly Entry[]) => boolean = () => false,
): Repeats<Entry>[] {
  const byKey = Map.groupBy(entries, keyOf);
  const unfolded = new Set(
    [...byKey].flatMap(([key, group]) => (isUnfolded(key, group) ? key : [])),
  );
  return entries.flatMap((entry) => {
    const key = keyOf(entry);
    const [newest, ...older] = byKey.get(key) ?? [];
    if (entry === newest) return { entry, older };
    return unfolded.has(key) ? { entry, older: [] } : [];
  });
}
