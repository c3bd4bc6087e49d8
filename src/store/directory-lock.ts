import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a directory, and creates it if it is missing. Throws at once, with a message for the
 * operator, if this or another process has locked it.
 *
 * Node.js has no flock. An exclusive transaction on an empty SQLite file is an operating system
 * lock on that file, on Linux, macOS and Windows. It ends with the process, however the process
 * ends (a file with a process id does not), and works across containers that share the directory
 * (abstract sockets do not).
 */
export function lockDirectory(dir: string): DirectoryLock {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(join(dir, 'owner.lock'));
  try {
    // Nothing is ever written, so that there is nothing to roll back.
    file.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(`${dir} is in use: another process has this store open`);
  }
  return { release: () => file.close() };
}
