import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Random } from '../random.ts';
import { busy } from './errors.ts';

const WORKER = fileURLToPath(new URL('../../workers/passwords.ts', import.meta.url));
/** More threads would not hash more passwords per second. */
const THREADS_MAX = 2;
/** An idle second thread ends after this time. */
const IDLE_MS = 60_000;
const WAITING_MAX = 64;
const RETRY_AFTER_S = 1;
/** The beginning of every hash that the threads make. */
const HASH_HEAD = '$argon2id$v=19$m=19456,t=2,p=1';

/** Hashes and verifies passwords. */
export interface PasswordHasher {
  /** Passwords that are being hashed, and those that wait. */
  readonly running: number;
  readonly waiting: number;
  /** Throws DealerError 503 if too many wait already. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password is right. Without a hash it is wrong, but the check takes the same time, to
   * reveal nothing about the account. Throws DealerError 503 if too many wait already.
   */
  verify(hash: string | null | undefined, given: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Hashes and verifies passwords in threads of low priority. */
export class Passwords implements PasswordHasher {
  readonly #threads = new Piscina({
    filename: WORKER,
    minThreads: 1,
    maxThreads: THREADS_MAX,
    idleTimeout: IDLE_MS,
  });
  /** Has the form of a hash but matches no password. */
  readonly #unknownHash: string;
  #pending = 0;
  #isClosed = false;

  constructor(random: Random) {
    const [salt, hash] = [unpadded(random.bytes(16)), unpadded(random.bytes(32))];
    this.#unknownHash = `${HASH_HEAD}$${salt}$${hash}`;
    // The caller of the task gets the error as well; the pool replaces the thread.
    this.#threads.on('error', () => {});
  }

  get running(): number {
    return Math.min(this.#pending, THREADS_MAX);
  }

  get waiting(): number {
    return this.#pending - this.running;
  }

  hash(password: string): Promise<string> {
    return this.#run('hash', password);
  }

  async verify(hash: string | null | undefined, given: string): Promise<boolean> {
    const known = hash ?? this.#unknownHash;
    const isRight = await this.#run<boolean>('verify', { known, given });
    return isRight && typeof hash === 'string';
  }

  async #run<T>(name: string, task: unknown): Promise<T> {
    if (this.#pending >= THREADS_MAX + WAITING_MAX) {
      throw busy('Too many log-ins at the same time.', RETRY_AFTER_S);
    }
    this.#pending++;
    try {
      return await this.#threads.run(task, { name });
    } catch (error) {
      throw this.#isClosed ? busy('The node stops.', RETRY_AFTER_S) : error;
    } finally {
      this.#pending--;
    }
  }

  /** Ends the threads at once. What was not done gets DealerError 503. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#threads.destroy();
  }
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
