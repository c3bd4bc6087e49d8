import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../store/contract.ts';
import { openEmbedded } from '../../store/embedded-store.ts';
import { systemTime } from '../../time.ts';

export interface TempStore<S extends Store> {
  readonly dir: string;
  /** The one that was opened last. */
  store: S;
  /** Closes the store and opens it once more. */
  reopen(): Promise<void>;
  /** Closes the store and removes its folder. */
  destroy(): Promise<void>;
}

export const openIn = (dir: string) => openEmbedded(dir, systemTime);

export const makeStoreDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'store-test-'));

/** Opens a store in a folder of its own. */
export async function tempStore<S extends Store>(
  open: (dir: string) => Promise<S>,
): Promise<TempStore<S>> {
  const dir = await makeStoreDir();
  const temp: TempStore<S> = {
    dir,
    store: await open(dir),
    async reopen() {
      await temp.store.close();
      temp.store = await open(dir);
    },
    async destroy() {
      await temp.store.close();
      await rm(dir, { recursive: true });
    },
  };
  return temp;
}
