import type { Check, Key, Write } from '../store/contract.ts';
import { Reader } from './reader.ts';
import { keys } from './records.ts';

/**
 * An optimistic transaction. It collects writes, to be committed only if every record that it read by
 * key is unchanged.
 */
export class Transaction extends Reader {
  readonly #checks = new Map<string, Check>();
  readonly #writes: Write[] = [];
  /** Values read, overlaid with values written. */
  readonly #values = new Map<string, unknown>();

  override async get<T>(key: Key): Promise<T | undefined> {
    const id = JSON.stringify(key);
    if (this.#values.has(id)) return this.#values.get(id) as T | undefined;
    const entry = await this.store.get<T>(key);
    this.#checks.set(id, { key, version: entry?.version ?? null });
    this.#values.set(id, entry?.value);
    return entry?.value;
  }

  /** As `get`, but for transactions that call `checkEverything`: the commit need not check each record. */
  peek<T>(key: Key): Promise<T | undefined> {
    return super.get(key);
  }

  put(key: Key, value: unknown): void {
    this.#values.set(JSON.stringify(key), value);
    this.#writes.push({ key, value });
  }

  remove(key: Key): void {
    this.#values.set(JSON.stringify(key), undefined);
    this.#writes.push({ key, remove: true });
  }

  /** Makes the commit fail after any other change. For transactions that read lists. */
  checkEverything(): void {
    this.#checks.set('everything', { key: keys.revision, version: this.revision });
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  /** That every record is as it was read. */
  get checks(): readonly Check[] {
    return [...this.#checks.values()];
  }

  get writes(): readonly Write[] {
    return [...this.#writes, { key: keys.revision, value: this.generation }];
  }
}
