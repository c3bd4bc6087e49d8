import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a directory, which is created if it is missing. Throws at once, with a message for the
 * operator, if this process or another has locked it.
 *
 * Node offers no flock. An exclusive transaction on an empty SQLite file is a lock of the operating
 * system on that file, on Linux, macOS and Windows alike. It ends with the process however that
 * ends, unlike a file with a process id, and it holds between containers that share the directory,
 * unlike abstract sockets.
 */
export function lockDirectory(dir: string): DirectoryLock {
  mkdirSync(dir, { recursive: true });
  const file = new DatabaseSync(join(dir, 'owner.lock'));
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(`${dir} is in use: another process has this store open`);
  }
  return { release: () => file.close() };
}
