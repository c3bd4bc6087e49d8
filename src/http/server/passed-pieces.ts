import { TwinError } from '../../errors.ts';
import type { StopTimer, Time } from '../../time.ts';
import type { Pieces } from './reply.ts';

type Piece = string | Uint8Array;

/** Longer than the node with the client waits for that client. */
const STALL_MS = 45_000;
const DONE = { done: true, value: undefined } as const;

interface Dependencies {
  /** Resolves when the next piece may be made. */
  nextTurn(): Promise<void>;
  made(piece: Piece): void;
  /** The producer threw after the first piece: it is too late for another answer. */
  failed(error: unknown): void;
  /** Called once, however it ends. */
  ended(): void;
  time: Pick<Time, 'after'>;
}

/**
 * The pieces of an answer that another node sends to its client. The next one is made when that node
 * asks for it. It ends by itself when nobody has asked for 45 s: then it is broken, not complete.
 */
export class PassedPieces implements AsyncIterableIterator<Piece, undefined> {
  readonly #pieces: AsyncIterator<Piece>;
  readonly #dependencies: Dependencies;
  #first: Promise<IteratorResult<Piece, undefined>> | undefined;
  #stopTimer: StopTimer = () => {};
  #isBegun = false;
  #isEnded = false;
  #isStalled = false;

  constructor(pieces: Pieces, dependencies: Dependencies) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#dependencies = dependencies;
  }

  /** Makes the first piece: what its producer throws can still become the answer. */
  async begin(): Promise<void> {
    this.#first = Promise.resolve(await this.#make());
    this.#isBegun = true;
  }

  next(): Promise<IteratorResult<Piece, undefined>> {
    this.#stopTimer();
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#make();
  }

  async return(): Promise<IteratorResult<Piece, undefined>> {
    this.#end();
    await this.#pieces.return?.();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #make(): Promise<IteratorResult<Piece, undefined>> {
    try {
      for (;;) {
        if (!this.#isEnded) await this.#dependencies.nextTurn();
        if (this.#isStalled) throw new TwinError('request_timeout');
        if (this.#isEnded) return DONE;
        const { done, value } = await this.#pieces.next();
        if (done) {
          this.#end();
          return DONE;
        }
        if (value.length === 0) continue;
        this.#dependencies.made(value);
        this.#watch();
        return { done: false, value };
      }
    } catch (error) {
      this.#end();
      if (this.#isBegun) this.#dependencies.failed(error);
      throw error;
    }
  }

  #watch(): void {
    if (this.#isEnded) return;
    this.#stopTimer = this.#dependencies.time.after(STALL_MS, () => {
      this.#isStalled = true;
      // Nobody waits for the end of the production, nor for its error.
      this.return().catch(() => {});
    });
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopTimer();
    this.#dependencies.ended();
  }
}
