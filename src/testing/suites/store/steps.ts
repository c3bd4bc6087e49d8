/** Steps that the suites of the contract share. */
import { expect } from 'vitest';
import type { Grant, Key, KeyPart, Page, Store } from '../../../store/contract.ts';
import { PAGE_LIMIT_MAX } from '../../../store/encoding.ts';

/** The store of the running test. */
export type Current = () => Store;

export function key(...parts: KeyPart[]): Key {
  return parts;
}

export async function put(store: Store, at: Key, value: unknown): Promise<void> {
  expect(await store.commit([], [{ key: at, value }])).toBe(true);
}

/** Writes each key in one commit, with its place among them as its value. */
export async function putAll(store: Store, keys: readonly Key[], grant?: Grant): Promise<void> {
  const writes = keys.map((at, index) => ({ key: at, value: index }));
  expect(await store.commit([], writes, grant)).toBe(true);
}

export async function versionOf(store: Store, at: Key): Promise<number | null> {
  return (await store.get(at))?.version ?? null;
}

/** Also holds what is counted against what is listed. */
export async function keysOf(store: Store, prefix: Key, page: Partial<Page> = {}): Promise<Key[]> {
  const { limit = PAGE_LIMIT_MAX, ...bounds } = page;
  const [listed, count] = await Promise.all([
    store.list(prefix, { limit, ...bounds }),
    store.count(prefix, bounds),
  ]);
  expect(listed).toHaveLength(Math.min(count, limit));
  return listed.map((entry) => entry.key);
}
