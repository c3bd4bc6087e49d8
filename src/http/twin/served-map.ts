import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { mapOf } from '../../city/map.ts';
import type { City } from '../../city/types.ts';
import type { Encoding } from '../../codec/encoding.ts';
import { type ContentCoding, contentCoding } from '../../codec/negotiate.ts';
import { type TaggedReply, tagOf } from '../server/etag.ts';
import { bodyless, encodeOnce, type Header, reply } from '../server/reply.ts';

/** Best first. Brotli would take half a second of another thread for another third of the bytes. */
const CODINGS: readonly ContentCoding[] = ['gzip', 'identity'];
const compressed = promisify(gzip);

/** The map of a city in one encoding, as it is sent to everybody. */
export class ServedMap {
  readonly #encoding: Encoding;
  readonly #body: Uint8Array;
  readonly #tag: string;
  readonly #plain: TaggedReply;
  #gzipped: TaggedReply | Promise<TaggedReply> | undefined;

  constructor(city: City, encoding: Encoding) {
    this.#encoding = encoding;
    this.#body = Buffer.from(encodeOnce(mapOf(city), encoding));
    this.#tag = tagOf(this.#body);
    this.#plain = this.#replyOf(this.#body, 'identity');
  }

  /** In the best coding that the client accepts; it is compressed once, on another thread. */
  in(acceptEncoding: string): TaggedReply | Promise<TaggedReply> {
    if (contentCoding(acceptEncoding, CODINGS) === 'identity') return this.#plain;
    this.#gzipped ??= this.#gzip();
    return this.#gzipped;
  }

  /** Whether an entity tag is that of this map, in any of its codings. */
  hasTag(etag: string): boolean {
    return CODINGS.some((coding) => this.#etagOf(coding) === etag);
  }

  async #gzip(): Promise<TaggedReply> {
    this.#gzipped = this.#replyOf(await compressed(this.#body), 'gzip');
    return this.#gzipped;
  }

  #replyOf(body: Uint8Array, coding: ContentCoding): TaggedReply {
    const etag = this.#etagOf(coding);
    const headers: Header[] = [
      ['ETag', etag],
      ['Vary', 'Accept-Encoding'],
    ];
    const notModified = bodyless(304, [...headers]);
    if (coding !== 'identity') headers.push(['Content-Encoding', coding]);
    return { etag, whole: reply(200, body, this.#encoding, headers), notModified };
  }

  #etagOf(coding: ContentCoding): string {
    return coding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${coding}"`;
  }
}
