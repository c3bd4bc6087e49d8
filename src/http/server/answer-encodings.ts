import { LRUCache } from 'lru-cache';
import type { Encoding } from '../../codec/encoding.ts';
import { answerEncoding } from '../../codec/negotiate.ts';

/** The encodings of answers by Accept header: clients use few different ones. */
export class AnswerEncodings {
  readonly #known = new LRUCache<string, Encoding>({ max: 256 });

  of(accept: string): Encoding {
    if (accept === '' || accept === '*/*') return 'json';
    const known = this.#known.get(accept) ?? answerEncoding(accept);
    this.#known.set(accept, known);
    return known;
  }
}
