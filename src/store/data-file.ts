import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const SCAN = fileURLToPath(new URL('scan.ts', import.meta.url));
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];
/** Exit code of the scan for a damaged store. */
export const SCAN_FOUND_DAMAGE = 3;
/** How a process ends that meets a damaged page. */
const FAULT_SIGNALS: ReadonlySet<unknown> = new Set([
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGILL',
  'SIGFPE',
]);
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const FILES = ['data.mdb', 'lock.mdb', 'owner.lock'];

/**
 * The first page of LMDB's data file: a page header of 24 bytes with its flags at 18, then the meta
 * data: magic number, version, and at 48 the page size (`MDB_meta` in LMDB's mdb.c).
 */
const META_BYTES = 168;
const FLAGS_AT = 18;
const META_FLAG = 0x08;
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;
const PAGE_BYTES_AT = 48;
const PAGE_BYTES_MAX = 65_536;

/** The data file cannot be used. The message tells the operator what was found and what to do. */
export class DamagedStore extends Error {
  override readonly name = 'DamagedStore';

  constructor(dir: string, found: string) {
    super(
      `the store in ${dir} is damaged: ${found}. ` +
        'Restore the directory from a backup, name another one with DATA_DIR, ' +
        'or remove it if it was never used.',
    );
  }
}

/**
 * The files of an embedded store. LMDB maps its data file into memory and trusts it, so a damaged
 * file would end the process by a signal, and an emptied one would become a new store.
 */
export class DataFile {
  readonly #dir: string;
  readonly #path: string;
  /** Size and time of change of the data file when the store was last closed in order. */
  readonly #closedPath: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.#path = join(dir, 'data.mdb');
    this.#closedPath = join(dir, 'closed.json');
  }

  /**
   * Throws DamagedStore if LMDB could not open the file, or would take it for a new one. Unless the
   * file is as the last process left it when it closed the store, another process reads all of it
   * first: that one ends by the signal if there is one.
   */
  async check(): Promise<void> {
    if (!existsSync(this.#path)) {
      if (!existsSync(join(this.#dir, 'lock.mdb'))) return;
      throw new DamagedStore(this.#dir, 'data.mdb is missing');
    }
    this.#checkMeta();
    if (this.#stamp() !== this.#closedStamp()) await this.#scan();
    rmSync(this.#closedPath, { force: true });
  }

  #checkMeta(): void {
    const page = Buffer.alloc(PAGE_BYTES_MAX);
    const file = openSync(this.#path, 'r');
    const length = readSync(file, page, 0, PAGE_BYTES_MAX, 0);
    closeSync(file);
    if (length === 0) throw new DamagedStore(this.#dir, 'data.mdb is empty');
    const pageBytes = page.readUInt32LE(PAGE_BYTES_AT);
    const isPageSize =
      pageBytes >= 256 && pageBytes <= PAGE_BYTES_MAX && (pageBytes & (pageBytes - 1)) === 0;
    for (const at of [0, pageBytes]) {
      const isWhole = isPageSize && at + META_BYTES <= length;
      const isMeta =
        isWhole &&
        (page.readUInt16LE(at + FLAGS_AT) & META_FLAG) !== 0 &&
        page.readUInt32LE(at + MAGIC_AT) === MAGIC;
      if (!isMeta) throw new DamagedStore(this.#dir, 'data.mdb does not begin as an LMDB file');
    }
  }

  /** Throws DamagedStore, and an Error if another cause, such as missing rights, ended the scan. */
  async #scan(): Promise<void> {
    const scan = spawn(process.execPath, [...NODE_FLAGS, SCAN, this.#dir], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code, signal]] = await Promise.all([text(scan.stderr), once(scan, 'close')]);
    if (code === 0) return;
    const found = signal ?? said.trim();
    if (code === SCAN_FOUND_DAMAGE || FAULT_SIGNALS.has(signal)) {
      throw new DamagedStore(this.#dir, `reading data.mdb ended with ${found}`);
    }
    throw new Error(`the store in ${this.#dir} could not be checked: ${found}`);
  }

  /** Call when LMDB has closed the file. */
  closed(): void {
    try {
      writeFileSync(this.#closedPath, this.#stamp(), { mode: PRIVATE_FILE });
    } catch {
      // The device is full, or the directory is gone: the next start reads the whole store.
    }
  }

  #stamp(): string {
    const { size, mtimeMs } = statSync(this.#path);
    return JSON.stringify({ bytes: size, changedMs: mtimeMs });
  }

  #closedStamp(): string | undefined {
    return existsSync(this.#closedPath) ? readFileSync(this.#closedPath, 'utf8') : undefined;
  }

  /** Lets nobody else read the files, which hold the key of all tokens. */
  protect(): void {
    for (const name of FILES) {
      try {
        chmodSync(join(this.#dir, name), PRIVATE_FILE);
      } catch {
        // Another user owns it, or the file system has no modes: see `warnings`.
      }
    }
  }

  /** What an operator should mend. */
  warnings(): string[] {
    if (process.platform === 'win32') return [];
    const open = ['', ...FILES].map((name) => join(this.#dir, name)).filter(isOpenToOthers);
    return open.map(
      (path) => `other users of this machine may read ${path}: run chmod go= ${path}`,
    );
  }
}

function isOpenToOthers(path: string): boolean {
  return (statSync(path).mode & OTHERS) !== 0;
}
