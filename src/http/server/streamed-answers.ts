import { TwinError } from '../../errors.ts';
import { largestPiece } from '../../largest-piece.ts';
import type { Time } from '../../time.ts';
import { FairTurns } from './fair-turns.ts';
import { OpenCount } from './open-count.ts';
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
  readonly #turns: FairTurns;
  readonly #ofAddress = new OpenCount(ANSWERS_PER_ADDRESS_MAX, 'Read other answers first.');
  #count = 0;
  #bytesOfTurn = 0;

  constructor(time: Pick<Time, 'immediate'>) {
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
    if (!exchange.isOpen) return;
    const key = exchange.addressKey();
    this.#enter(key);
    try {
      await this.#sendInTurns(exchange, key, pieces, begin);
    } finally {
      this.#leave(key);
    }
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
      if (!isWanted()) return;
      for await (const piece of pieces) {
        if (!isWanted()) return;
        if (piece.length > 0) {
          writer ??= begin();
          if (writer === undefined) return;
          this.#bytesOfTurn += piece.length;
          largestPiece.count(this.#bytesOfTurn);
          await writer.write(piece);
        }
        await this.#nextTurn(key);
        if (!isWanted()) return;
      }
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
