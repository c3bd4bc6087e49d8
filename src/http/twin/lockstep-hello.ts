import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import {
  listHead,
  NUMBERED_BYTES,
  withoutList,
  writtenChanges,
} from '../../codec/numbered-changes.ts';
import { TwinError } from '../../errors.ts';
import { Slices } from '../../slices.ts';
import type { Time } from '../../time.ts';
import { JournalHash } from '../../twin/journal-hash.ts';
import type {
  EncodedHello,
  KnownJournal,
  LockstepHello,
  LockstepKernel,
  PackedHello,
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

/** Changes that are written in one go: less than 64 KiB. */
const PIECE_CHANGES = 1024;

/** Makes hellos of worlds that this node serves, and of those of other nodes what its clients get. */
export class LockstepHellos {
  readonly #kernelOf: (city: string) => LockstepKernel;
  readonly #slices: Slices;

  constructor(kernelOf: (city: string) => LockstepKernel, time: Pick<Time, 'immediate'>) {
    this.#kernelOf = kernelOf;
    this.#slices = new Slices(time);
  }

  /** Rejects as `World.lockstep` does. */
  async of(world: World, known?: KnownJournal): Promise<PackedHello> {
    const past = await world.lockstep(known);
    const { image } = past;
    // On another thread: it takes as long as the rest of a hello.
    const bytes = image && (await deflated(image.bytes));
    // The clock has gone on meanwhile.
    const { tick, fraction } = world.pulse();
    const now = { ...past, tick, fraction };
    return this.#packed(world, now, image && bytes ? { ...image, bytes } : null);
  }

  #packed(world: World, past: LockstepPast, image: LockstepHello['image']): PackedHello {
    const { id, fleet } = world;
    const { seed, city, start, resumed, changes } = past;
    const { tick, fraction, seq, journal, watchers } = past;
    const { buffer, byteOffset, byteLength } = changes;
    const pulse = { tick, fraction, seq, journal, watchers };
    const hello: LockstepHello = {
      ...{ type: 'hello', world: id, rate_hz: RATE_HZ, fleet, ...this.#kernelOf(city) },
      ...{ seed, city, start, resumed, image, ...pulse },
      // The last field, since the changes take its place.
      changes: [],
    };
    return {
      pulse,
      bytes: encode(hello, 'msgpack') as Uint8Array,
      changes: new Uint8Array(buffer, byteOffset, byteLength),
    };
  }

  /** The hello as clients get it. Many changes take some turns of the event loop. */
  async whole({ pulse, bytes, changes }: PackedHello): Promise<EncodedHello> {
    if (changes.length === 0) return { pulse, bytes };
    const parts = [withoutList(bytes), listHead(changes.length / NUMBERED_BYTES)];
    const pieceBytes = PIECE_CHANGES * NUMBERED_BYTES;
    for (let start = 0; start < changes.length; start += pieceBytes) {
      if (start > 0) await this.#slices.next();
      parts.push(writtenChanges(changes.subarray(start, start + pieceBytes)));
    }
    return { pulse, bytes: Buffer.concat(parts) };
  }
}
