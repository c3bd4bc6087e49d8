import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Random } from '../random.ts';
import { Gate } from './gate.ts';

const WORKER = fileURLToPath(new URL('../../workers/passwords.ts', import.meta.url));
/** More at once would be slower in all. */
const RUNNING_MAX = 2;
/** How a hash with the parameters of the threads begins. */
const HASH_HEAD = '$argon2id$v=19$m=19456,t=2,p=1';
/** The second thread ends when it has had nothing to do for so long. */
const IDLE_MS = 60_000;
const WAITING_MAX = 64;

/** Hashes and verifies passwords, in threads that give way to those that serve. */
export class Passwords {
  readonly gate = new Gate(RUNNING_MAX, WAITING_MAX);
  readonly #threads = new Piscina({
    filename: WORKER,
    minThreads: 1,
    maxThreads: RUNNING_MAX,
    idleTimeout: IDLE_MS,
  });
  /** Looks like the hash of a password, and is that of none that anybody knows. */
  readonly #standIn: string;

  constructor(random: Random) {
    const [salt, hash] = [unpadded(random.bytes(16)), unpadded(random.bytes(32))];
    this.#standIn = `${HASH_HEAD}$${salt}$${hash}`;
    // Whoever waits for the thread is told; another one takes its place.
    this.#threads.on('error', () => {});
  }

  /** Throws DealerError 503. */
  hash(password: string): Promise<string> {
    return this.gate.run(() => this.#threads.run(password, { name: 'hash' }));
  }

  /**
   * Whether it is the password. Without one to compare with it is not, but that takes as long.
   * Throws DealerError 503.
   */
  async verify(password: string | null | undefined, given: string): Promise<boolean> {
    const known = password ?? this.#standIn;
    const isRight = await this.gate.run(() =>
      this.#threads.run({ known, given }, { name: 'verify' }),
    );
    return isRight && typeof password === 'string';
  }

  /** Ends the threads, whatever they are doing. */
  close(): Promise<void> {
    return this.#threads.destroy();
  }
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
