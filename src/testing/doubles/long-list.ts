import type { LongList, Steps } from '../../twin-service.ts';

/** The result of work in steps. */
export async function resultOf<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}

/** All items of a list. */
export async function itemsOf<Item>(list: LongList<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for (const page of await resultOf(list.pages())) {
    items.push(...(await resultOf(page.read())));
  }
  return items;
}
