import { TwinError } from '../../errors.ts';
import { largestPiece } from '../../largest-piece.ts';
import type { Time } from '../../time.ts';
import { FairTurns } from './fair-turns.ts';
import { OpenCount } from './open-count.ts';
import { PassedPieces } from './passed-pieces.ts';
import type { PieceWriter } from './piece-writer.ts';
import type { Pieces } from './reply.ts';

/** Answers in pieces at the same time. Each holds at most a piece and what its producer has read. */
const ANSWERS_MAX = 256;
const ANSWERS_PER_ADDRESS_MAX = 32;

/** The part of an exchange that is needed to send an answer in pieces. */
interface StreamedExchange {
  readonly isOpen: boolean;
  readonly isGone: boolean;
  addressKey(): string;
  endPieces(): void;
  disconnect(): void;
}

/**
 * Sends the answers of a node that are made in pieces. Of all these answers one piece is made in a
 * turn of the event loop, and addresses take turns. The next piece of an answer is made when its
 * client has taken the one before.
 */
export class StreamedAnswers {
  readonly #time: Pick<Time, 'after' | 'immediate'>;
  readonly #turns: FairTurns;
  readonly #ofAddress = new OpenCount(ANSWERS_PER_ADDRESS_MAX, 'Read other answers first.');
  #count = 0;
  #bytesOfTurn = 0;

  constructor(time: Pick<Time, 'after' | 'immediate'>) {
    this.#time = time;
    this.#turns = new FairTurns(time);
  }

  /**
   * Resolves when the answer is sent or the client is gone, and then ends the production. Rejects
   * with what the producer threw, or if there are too many such answers; if the answer had begun,
   * its connection is closed then.
   * @param begin called with the first piece at hand; returns undefined for an answer without body
   */
  async send(
    exchange: StreamedExchange,
    pieces: Pieces,
    begin: () => PieceWriter | undefined,
  ): Promise<void> {
    if (!exchange.isOpen) return abandon(pieces);
    const key = exchange.addressKey();
    try {
      this.#enter(key);
    } catch (error) {
      await abandon(pieces);
      throw error;
    }
    try {
      await this.#sendInTurns(exchange, key, pieces, begin);
    } finally {
      this.#leave(key);
    }
  }

  /**
   * The pieces for another node, which sends them to the client of this key. Rejects with what the
   * producer throws before the first one, or if there are too many such answers. Somebody has to read
   * them to the end or call `return`.
   * @param failed called with what the producer throws later
   */
  async pass(key: string, pieces: Pieces, failed: (error: unknown) => void): Promise<PassedPieces> {
    this.#enter(key);
    const passed = new PassedPieces(pieces, {
      nextTurn: () => this.#nextTurn(key),
      made: ({ length }) => this.#countPiece(length),
      failed,
      ended: () => this.#leave(key),
      time: this.#time,
    });
    await passed.begin();
    return passed;
  }

  async #sendInTurns(
    exchange: StreamedExchange,
    key: string,
    pieces: Pieces,
    begin: () => PieceWriter | undefined,
  ): Promise<void> {
    let writer: PieceWriter | undefined;
    const isWanted = () => (writer === undefined ? exchange.isOpen : !exchange.isGone);
    try {
      await this.#nextTurn(key);
      if (!isWanted()) return await abandon(pieces);
      for await (const piece of pieces) {
        if (!isWanted()) return;
        if (piece.length > 0) {
          writer ??= begin();
          if (writer === undefined) return;
          this.#countPiece(piece.length);
          await writer.write(piece);
        }
        await this.#nextTurn(key);
        if (!isWanted()) return;
      }
      // The producer may have waited before it was done, as for another node.
      if (!isWanted()) return;
      writer ??= begin();
      if (writer !== undefined) exchange.endPieces();
    } catch (error) {
      if (writer !== undefined && !exchange.isGone) exchange.disconnect();
      throw error;
    }
  }

  async #nextTurn(key: string): Promise<void> {
    await this.#turns.next(key);
    this.#bytesOfTurn = 0;
  }

  #countPiece(bytes: number): void {
    this.#bytesOfTurn += bytes;
    largestPiece.count(this.#bytesOfTurn);
  }

  #enter(key: string): void {
    if (this.#count >= ANSWERS_MAX) throw new TwinError('overloaded');
    this.#ofAddress.enter(key);
    this.#count++;
  }

  #leave(key: string): void {
    this.#ofAddress.leave(key);
    this.#count--;
  }
}

/** Ends a production that nobody has begun to read: it may be at another node. */
async function abandon(pieces: Pieces): Promise<void> {
  try {
    await pieces[Symbol.asyncIterator]().return?.();
  } catch {
    // The answer does not depend on how it ends.
  }
}
