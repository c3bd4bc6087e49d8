/**
 * Works on all items, some at a time. Where one fails, the others go on.
 * @param onSettled called after each, with the number of those that are settled
 * @returns what came of each, in the order of the items
 */
export async function settleAll<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
  onSettled: (count: number) => void = () => {},
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  const waiting = items.entries();
  let count = 0;
  const takeTurns = async () => {
    for (const [i, item] of waiting) {
      [outcomes[i]] = await Promise.allSettled([work(item)]);
      onSettled(++count);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return outcomes;
}
