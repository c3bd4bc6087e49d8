import type { DatabaseOptions, RootDatabaseOptions } from 'lmdb';

/** Key, in the root database, of the last version given to an entry. */
export const LAST_VERSION = 'lastVersion';

export const ENVIRONMENT = {
  noSubdir: false,
  // By default lmdb batches the writes of a turn by itself, with promises that cannot be awaited.
  eventTurnBatching: false,
  // Among the entries is the key of all tokens.
  permissionsMode: 0o600,
} as RootDatabaseOptions;

export const ENTRIES: DatabaseOptions = {
  keyEncoding: 'binary',
  encoding: 'binary',
  useVersions: true,
};
