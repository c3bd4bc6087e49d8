import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { busy } from './errors.ts';

/** OWASP's minimum. The package's names for the algorithms do not exist at run time: 2 is argon2id. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** More at once would be slower in all, and keep the store from the threads that it shares. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;
const RETRY_AFTER_S = 1;

/** Lets so many run at a time and so many wait. */
export class Gate {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Throws DealerError 503 where too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) {
      if (this.#waiting.length >= this.#waitingMax) {
        throw busy('Too many log-ins at the same time.', RETRY_AFTER_S);
      }
      // Whoever ends hands over its place, so nobody who comes meanwhile gets in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Hashes and verifies passwords off the event loop. */
export class Passwords {
  readonly gate = new Gate(RUNNING_MAX, WAITING_MAX);
  readonly #standIn: string;

  private constructor(standIn: string) {
    this.#standIn = standIn;
  }

  static async open(): Promise<Passwords> {
    return new Passwords(await hash(randomBytes(32), PARAMETERS));
  }

  /** Throws DealerError 503. */
  hash(password: string): Promise<string> {
    return this.gate.run(() => hash(password, PARAMETERS));
  }

  /**
   * Whether it is the password. Without one to compare with it is not, but that takes as long.
   * Throws DealerError 503.
   */
  async verify(password: string | null | undefined, given: string): Promise<boolean> {
    const isRight = await this.gate.run(() => verify(password ?? this.#standIn, given));
    return isRight && typeof password === 'string';
  }
}
