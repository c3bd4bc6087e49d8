import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { TwinError } from '../../errors.ts';
import { JournalHash } from '../../twin/journal-hash.ts';
import type {
  EncodedHello,
  KnownJournal,
  LockstepHello,
  LockstepKernel,
} from '../../twin/lockstep.ts';
import type { LockstepPast, World } from '../../twin-service.ts';
import { encode } from '../server/reply.ts';
import { RATE_HZ } from './stream-rate.ts';

const deflated = promisify(deflateRaw);
const SEQ = /^\d{1,7}$/;

/** `since=<seq>&journal=<hash>` of a query; undefined without both. Throws TwinError `invalid_value`. */
export function knownJournal(query: string): KnownJournal | undefined {
  const params = new URLSearchParams(query);
  const [seq, journal] = [params.get('since'), params.get('journal')];
  if (seq === null && journal === null) return undefined;
  if (seq === null || !SEQ.test(seq)) {
    throw new TwinError('invalid_value', 'Use since=<seq of the last change>, with journal.');
  }
  if (journal === null || JournalHash.parse(journal) === undefined) {
    throw new TwinError('invalid_value', 'Use journal=<16 hexadecimal digits>, with since.');
  }
  return { seq: Number(seq), journal };
}

/** Makes hellos of worlds that this node serves. */
export class LockstepHellos {
  readonly #kernelOf: (city: string) => LockstepKernel;

  constructor(kernelOf: (city: string) => LockstepKernel) {
    this.#kernelOf = kernelOf;
  }

  /** Rejects as `World.lockstep` does. */
  async of(world: World, known?: KnownJournal): Promise<EncodedHello> {
    const past = await world.lockstep(known);
    const image = past.image && {
      ...past.image,
      // On another thread: it takes as long as the rest of a hello.
      bytes: await deflated(past.image.bytes),
    };
    return this.#encoded(world, past, image ?? null);
  }

  #encoded(world: World, past: LockstepPast, image: LockstepHello['image']): EncodedHello {
    const { id, fleet } = world;
    const { seed, city, start, resumed, changes, changeCount, tick, seq, journal, watchers } = past;
    const { buffer, byteOffset, byteLength } = changes;
    const pulse = { tick, seq, journal, watchers };
    const hello: LockstepHello = {
      ...{ type: 'hello', world: id, rate_hz: RATE_HZ, fleet, ...this.#kernelOf(city) },
      ...{ seed, city, start, resumed, image },
      changes: new Uint8Array(buffer, byteOffset, byteLength),
      ...pulse,
    };
    return { pulse, bytes: encode(hello, 'msgpack') as Uint8Array, changeCount };
  }
}
