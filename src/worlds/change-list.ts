import { type Change, unpackChanges } from '../twin/journal.ts';
import type { ChangeRange, ListPage, LongList, Steps } from '../twin-service.ts';
import type { Records, WorldRecord } from './records.ts';

const NO_STEPS_BEFORE: readonly never[] = [];
/** Changes of a page: at most some 64 KiB. */
const PAGE_CHANGES = 256;

export interface ChangeListDependencies {
  readonly world: number;
  readonly record: WorldRecord;
  readonly records: Pick<Records, 'firstChanges' | 'laterChanges'>;
  /** Unique among all world objects of all processes. */
  readonly name: string;
}

/** The first `count` changes of a world's journal, or a range of them, page by page. */
export function changeList(
  dependencies: ChangeListDependencies,
  count: number,
  { after = 0, limit = count }: ChangeRange,
): LongList<Change> {
  const end = Math.min(after + limit, count);
  const pages = pagesOf(dependencies, Math.min(after, count), end, end === count);
  return {
    tag: `${dependencies.name}-${count}`,
    pages: () => inOneStep(() => pages),
  };
}

function pagesOf(
  { world, record, records, name }: ChangeListDependencies,
  first: number,
  end: number,
  isToEnd: boolean,
): ListPage<Change>[] {
  // Read for the first page that needs it, and kept for the others of the same answer.
  let lived: Promise<Int32Array> | undefined;
  async function read(from: number, to: number): Promise<readonly Change[]> {
    const { livedCount } = record;
    const items: Change[] = [];
    if (from < livedCount) {
      lived ??= records.firstChanges(world);
      items.push(...unpackChanges(await lived, from, to));
    }
    if (to > livedCount) {
      items.push(...(await records.laterChanges(world, Math.max(from, livedCount), to)));
    }
    return items;
  }
  const pages: ListPage<Change>[] = [];
  for (let next = first; next < end; ) {
    const from = next;
    const to = Math.min(end, (Math.floor(from / PAGE_CHANGES) + 1) * PAGE_CHANGES);
    // Changes never change. But pages that another request hardly asks for must not evict others.
    const isUsual = from % PAGE_CHANGES === 0 && (to % PAGE_CHANGES === 0 || isToEnd);
    pages.push({
      name: isUsual ? `${name} changes ${from}-${to}` : undefined,
      count: to - from,
      read: () => inOneStep(() => read(from, to)),
    });
    next = to;
  }
  return pages;
}

async function* inOneStep<Result>(work: () => Result | Promise<Result>): Steps<Result> {
  yield* NO_STEPS_BEFORE;
  return work();
}
