import { LRUCache } from 'lru-cache';
import type { Listing } from '../../dealer/listing.ts';
import { largestPiece } from '../../largest-piece.ts';
import { matchesEtag } from '../server/etag.ts';
import { bodyless, type Header, type Pieces, type Reply, reply } from '../server/reply.ts';

/** Characters after which a piece ends; non-ASCII ones may take three bytes each. */
const PIECE_LENGTH = 20 * 1024;
/** Lists that are kept, and characters of each: longer ones are made anew for each answer. */
const KEPT_MAX = 64;
const KEPT_LENGTH_MAX = 40 * 1024;

/** A result that is an answer already. */
export class ReadyReply {
  readonly reply: Reply;

  constructor(answer: Reply) {
    this.reply = answer;
  }
}

export interface Asked {
  ifNoneMatch: string;
  query: object;
}

/** Answers with lists: the short ones are kept, long ones are sent in pieces. */
export class ListReplies {
  readonly #kept = new LRUCache<string, Uint8Array>({ max: KEPT_MAX });
  /** The list that was sent last, as a rule the next one too. */
  #last: { key: string; body: Uint8Array } | undefined;

  /** @param pay for the entries, before they are encoded; nothing is paid for an answer at hand */
  async of({ ifNoneMatch, query }: Asked, list: Listing, pay: () => void): Promise<ReadyReply> {
    const etag = `"${list.tag}"`;
    const headers: Header[] = [['ETag', etag]];
    if (matchesEtag(ifNoneMatch, etag)) return new ReadyReply(bodyless(304, headers));
    const key = `${list.tag} ${JSON.stringify(query)}`;
    const body = this.#last?.key === key ? this.#last.body : this.#kept.get(key);
    if (body !== undefined) {
      this.#last = { key, body };
      return new ReadyReply(reply(200, body, 'json', headers));
    }
    pay();
    return new ReadyReply(await this.#make(key, list, headers));
  }

  async #make(key: string, { batches }: Listing, headers: readonly Header[]): Promise<Reply> {
    const pieces = piecesOf(batches);
    let begun = '';
    while (begun.length < KEPT_LENGTH_MAX) {
      const piece = await pieces.next();
      if (piece.done) {
        // As bytes: the library would encode a string for each answer.
        const body = Buffer.from(begun);
        this.#kept.set(key, body);
        return reply(200, body, 'json', headers);
      }
      begun += piece.value;
      largestPiece.count(begun.length);
    }
    return reply(200, continued(begun, pieces), 'json', headers);
  }
}

/** A JSON array, at least one piece for each batch. */
async function* piecesOf(batches: Listing['batches']): AsyncGenerator<string, void> {
  let piece = '[';
  let separator = '';
  for await (const batch of batches) {
    for (const text of batch) {
      piece += separator + text;
      separator = ',';
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

async function* continued(begun: string, rest: AsyncIterable<string>): Pieces {
  yield begun;
  yield* rest;
}
