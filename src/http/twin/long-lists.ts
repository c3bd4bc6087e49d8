import type { Encoding } from '../../codec/encoding.ts';
import { TwinError } from '../../errors.ts';
import type { Incident } from '../../twin/wire.ts';
import type { ListPage, LongList, Steps } from '../../twin-service.ts';
import { matchesEtag } from '../server/etag.ts';
import { PRICES_US } from '../server/prices.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import { bodyless, encode, type Pieces, type Reply, reply } from '../server/reply.ts';
import type { Call } from '../server/router.ts';
import type { KeptPages } from './kept-pages.ts';

const EMPTY = new Uint8Array(0);
const COMMA = Buffer.from(',');
const FIXMAP = 0x80;
const FIXARRAY = 0x90;
const FIXARRAY_MAX = 15;
const ARRAY16 = 0xdc;
const ARRAY16_MAX = 0xffff;

/** How a list is shown. */
interface Shape<Item> {
  entryOf(item: Item): unknown;
  /** If present, the answer is an object with these fields, and the list is the last field. */
  object?: { fields: object; list: string };
  /** Of an entry that is read and encoded. */
  priceUs: number;
}

export const INCIDENT_SHAPE: Shape<Incident> = {
  entryOf: (incident) => incident,
  priceUs: PRICES_US.incident,
};

/** Who asks for a list. */
type Asking = Pick<Call, 'encoding' | 'head'> & { key: string };

/**
 * Answers with lists of any length. A list of one page is one body. A longer one is sent in pieces,
 * page by page. Pages are kept encoded.
 */
export class LongLists {
  readonly #limits: Pick<RateLimits, 'work'>;
  readonly #kept: KeptPages;

  constructor(limits: Pick<RateLimits, 'work'>, kept: KeptPages) {
    this.#limits = limits;
    this.#kept = kept;
  }

  async reply<Item>(asking: Asking, list: LongList<Item>, shape: Shape<Item>): Promise<Reply> {
    const { encoding, head } = asking;
    // Two encodings are two representations. Fields beside the list may differ under one tag.
    const tag = `"${list.tag}-${encoding}"`;
    const headers = [['ETag', shape.object ? `W/${tag}` : tag]] as const;
    if (matchesEtag(head.ifNoneMatch, tag)) return bodyless(304, headers);
    return replyInSteps(this.#bodyOf(asking, list, shape), encoding, headers);
  }

  async *#bodyOf<Item>(
    { encoding, key }: Asking,
    list: LongList<Item>,
    shape: Shape<Item>,
  ): BodySteps {
    const pages = yield* list.pages();
    this.#limits.work?.takeUpToBurst(key, this.#priceOf(pages, encoding, shape));
    const count = pages.reduce((sum, page) => sum + page.count, 0);
    const opening = openingOf(count, encoding, shape);
    const closing = closingOf(encoding, shape);
    const [first, ...others] = pages;
    if (first === undefined) return Buffer.concat([opening, closing]);
    const body = withoutComma(yield* this.#bodyOfPage(first, encoding, shape), encoding);
    if (others.length === 0) return Buffer.concat([opening, body, closing]);
    yield Buffer.concat([opening, body]);
    for (const page of others) yield yield* this.#bodyOfPage(page, encoding, shape);
    return closing;
  }

  #priceOf<Item>(
    pages: readonly ListPage<Item>[],
    encoding: Encoding,
    { priceUs }: Shape<Item>,
  ): number {
    const priceOf = (page: ListPage<Item>) =>
      this.#keptBody(page, encoding) ? PRICES_US.keptPage : page.count * priceUs;
    return pages.reduce((sum, page) => sum + priceOf(page), 0);
  }

  #keptBody({ name }: ListPage<unknown>, encoding: Encoding): Uint8Array | undefined {
    return name === undefined ? undefined : this.#kept.get(`${name} ${encoding}`);
  }

  async *#bodyOfPage<Item>(
    page: ListPage<Item>,
    encoding: Encoding,
    { entryOf }: Shape<Item>,
  ): Steps<Uint8Array> {
    const kept = this.#keptBody(page, encoding);
    if (kept !== undefined) return kept;
    const items = yield* page.read();
    // The world was deleted meanwhile.
    if (items.length !== page.count) throw new TwinError('unknown_world');
    const body = entriesOf(items.map(entryOf), encoding);
    if (page.name !== undefined) this.#kept.keep(`${page.name} ${encoding}`, body);
    return body;
  }
}

/** Pieces of a body; the result is the last one. */
export type BodySteps = AsyncGenerator<string | Uint8Array, string | Uint8Array>;

/** The answer with a body that is made in steps: in one piece if that takes only one step. */
export async function replyInSteps(
  steps: BodySteps,
  encoding: Encoding,
  headers?: Reply['headers'],
): Promise<Reply> {
  const first = await steps.next();
  if (first.done) return reply(200, first.value, encoding, headers);
  return reply(200, continued(first.value, steps), encoding, headers);
}

async function* continued(first: string | Uint8Array, steps: BodySteps): Pieces {
  yield first;
  yield yield* steps;
}

// ── encoding ──────────────────────────────────────────────────────────────────────────────────

/** Encoded entries without the list around them: in JSON with a comma before each. */
function entriesOf(entries: readonly unknown[], encoding: Encoding): Uint8Array {
  const list = Buffer.from(encode(entries, encoding));
  if (encoding === 'json') return Buffer.concat([COMMA, list.subarray(1, -1)]);
  return list.subarray(arrayHeader(entries.length).length);
}

function withoutComma(body: Uint8Array, encoding: Encoding): Uint8Array {
  return encoding === 'json' ? body.subarray(COMMA.length) : body;
}

/** Everything before the first entry. */
function openingOf(
  count: number,
  encoding: Encoding,
  { object }: Pick<Shape<never>, 'object'>,
): Uint8Array {
  if (encoding === 'json') {
    const fields = object && JSON.stringify(object.fields).slice(0, -1);
    return Buffer.from(object ? `${fields},${JSON.stringify(object.list)}:[` : '[');
  }
  const header = arrayHeader(count);
  if (object === undefined) return header;
  const fields = Object.entries(object.fields);
  const parts = [...fields.flat(), object.list].map((part) => Buffer.from(encode(part, encoding)));
  return Buffer.concat([Uint8Array.of(FIXMAP | (fields.length + 1)), ...parts, header]);
}

/** Everything after the last entry. */
function closingOf(encoding: Encoding, { object }: Pick<Shape<never>, 'object'>): Uint8Array {
  if (encoding === 'msgpack') return EMPTY;
  return Buffer.from(object ? ']}' : ']');
}

/** As the encoder writes it. */
function arrayHeader(count: number): Uint8Array {
  if (count <= FIXARRAY_MAX) return Uint8Array.of(FIXARRAY | count);
  const header = Buffer.alloc(count <= ARRAY16_MAX ? 3 : 5);
  header[0] = count <= ARRAY16_MAX ? ARRAY16 : ARRAY16 + 1;
  if (count <= ARRAY16_MAX) header.writeUInt16BE(count, 1);
  else header.writeUInt32BE(count, 1);
  return header;
}
