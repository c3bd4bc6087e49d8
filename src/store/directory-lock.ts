import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export interface DirectoryLock {
  release(): void;
}

/**
 * Takes a directory for this process alone, creating it where it is missing. Throws at once, with
 * a message for the operator, where another process has it, or another part of this one.
 *
 * Node offers no flock. An empty SQLite file held in an exclusive transaction is the same thing
 * by a public API: a lock of the kernel on that file, on Linux, macOS and Windows alike. It ends
 * with the process however that ends, so nothing stale can be left behind as with a file that
 * names a process id, and it holds between containers that share the directory, which neither
 * process ids nor abstract sockets can see.
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
