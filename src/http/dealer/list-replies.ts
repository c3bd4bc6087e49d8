import { LRUCache } from 'lru-cache';
import type { Listing } from '../../dealer/listing.ts';
import { matchesEtag } from '../server/etag.ts';
import { bodyless, type Header, type Reply, reply } from '../server/reply.ts';

/** About the characters of a piece. */
const PIECE_LENGTH = 32 * 1024;
/** Lists of one piece that are kept. */
const KEPT_MAX = 64;

/** A result that is an answer already. */
export class ReadyReply {
  readonly reply: Reply;

  constructor(answer: Reply) {
    this.reply = answer;
  }
}

interface Asked {
  ifNoneMatch: string;
  query: object;
}

/** Answers with lists: the short ones are kept, long ones are sent in pieces. */
export class ListReplies {
  readonly #kept = new LRUCache<string, string>({ max: KEPT_MAX });

  /** @param pay for the entries, before they are encoded; nothing is paid for an answer at hand */
  async of({ ifNoneMatch, query }: Asked, list: Listing, pay: () => void): Promise<ReadyReply> {
    const etag = `"${list.tag}"`;
    const headers: Header[] = [['ETag', etag]];
    if (matchesEtag(ifNoneMatch, etag)) return new ReadyReply(bodyless(304, headers));
    const key = `${list.tag} ${JSON.stringify(query)}`;
    const body = this.#kept.get(key) ?? (await this.#bodyOf(key, list, pay));
    return new ReadyReply(reply(200, body, 'json', headers));
  }

  async #bodyOf(key: string, { batches }: Listing, pay: () => void) {
    pay();
    const pieces = piecesOf(batches);
    // Read before the answer begins, so that an error still becomes an answer.
    const first = await pieces.next();
    const second = await pieces.next();
    if (second.done) {
      const whole = String(first.value);
      this.#kept.set(key, whole);
      return whole;
    }
    let all = `${first.value}${second.value}`;
    for await (const piece of pieces) all += piece;
    return all;
  }
}

/** A JSON array in pieces. */
async function* piecesOf(batches: Listing['batches']): AsyncGenerator<string, void> {
  let piece = '[';
  let separator = '';
  for await (const batch of batches) {
    for (const text of batch) {
      piece += separator + text;
      separator = ',';
    }
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}
