import { type Database, open, type RootDatabase } from 'lmdb';

/** Key, in the root database, of the last version given to an entry. */
export const LAST_VERSION = 'lastVersion';

export interface Environment {
  readonly root: RootDatabase<number, string>;
  readonly entries: Database<Buffer, Buffer>;
}

/** Opens LMDB in a directory. A damaged file may end the process: see `DataFile`. */
export function openEnvironment(dir: string): Environment {
  const settings = {
    noSubdir: false,
    // By default lmdb forms batches of its own, and their promises cannot be awaited.
    eventTurnBatching: false,
    // Among the entries is the key of all tokens. The types of lmdb do not know this setting.
    permissionsMode: 0o600,
  };
  const root = open<number, string>(dir, settings);
  const entries = root.openDB<Buffer, Buffer>('entries', {
    keyEncoding: 'binary',
    encoding: 'binary',
    useVersions: true,
  });
  return { root, entries };
}
