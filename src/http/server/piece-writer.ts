import type { StopTimer, Time } from '../../time.ts';

/** The part of a response of the library that a writer of pieces uses. */
export interface PiecePort {
  /** Sends a chunk, or keeps it in memory. Returns false if something is kept. */
  write(chunk: Uint8Array): boolean;
  onWritable(resume: () => boolean): unknown;
  end(body: string, closeConnection: boolean): unknown;
  cork(write: () => void): unknown;
  close(): unknown;
}

/**
 * The library drains what it keeps only when more is written. So a client that reads slowly makes
 * it keep one more chunk each time the connection is writable: less than what has left then.
 */
const CHUNK_BYTES = 4096;
/** A client that takes nothing for this time is disconnected. */
const STALL_MS = 30_000;
const EMPTY = new Uint8Array(0);

/** Sends the body of an answer whose length is unknown, as fast as the client reads. */
export class PieceWriter {
  readonly #port: PiecePort;
  readonly #time: Pick<Time, 'after'>;
  /** Bytes of the piece that are not given to the library yet. */
  #rest: Uint8Array = EMPTY;
  #taken: (() => void) | undefined;
  #stopTimer: StopTimer = () => {};

  constructor(port: PiecePort, time: Pick<Time, 'after'>) {
    this.#port = port;
    this.#time = time;
    port.onWritable(() => {
      this.#resume();
      return true;
    });
  }

  /** Resolves once there is room for another piece, or the client is gone. */
  write(piece: string | Uint8Array): Promise<void> {
    this.#rest = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (this.#writeRest()) return Promise.resolve();
    this.#watch();
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  end(): void {
    this.#port.cork(() => this.#port.end('', false));
  }

  /** The client is gone. */
  abandon(): void {
    this.#stopTimer();
    this.#rest = EMPTY;
    this.#taken?.();
    this.#taken = undefined;
  }

  #resume(): void {
    if (this.#taken === undefined) return;
    this.#stopTimer();
    if (this.#writeRest()) this.abandon();
    else this.#watch();
  }

  #watch(): void {
    this.#stopTimer = this.#time.after(STALL_MS, () => this.#port.close());
  }

  #writeRest(): boolean {
    let hasRoom = true;
    this.#port.cork(() => {
      while (hasRoom && this.#rest.length > 0) {
        hasRoom = this.#port.write(this.#rest.subarray(0, CHUNK_BYTES));
        this.#rest = this.#rest.subarray(CHUNK_BYTES);
      }
    });
    return hasRoom;
  }
}
