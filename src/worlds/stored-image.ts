import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import type { StateImage } from '../shard/protocol.ts';

/** A state image as the store has it. */
export interface StoredImage extends StateImage {
  kernel: string;
  crc: number;
}

/** Checksum of an image: of its bytes, tick and seq. */
export function imageCrc({ tick, seq, bytes }: StateImage): number {
  return crc32(bytes, crc32(`${tick} ${seq}`));
}

export function sealed(image: Omit<StoredImage, 'crc'>): StoredImage {
  return { ...image, crc: imageCrc(image) };
}

/** A stored image if it is whole, and of a kernel and of a world that began at a tick under that. */
export function whole(
  image: StoredImage | undefined,
  { kernel, from }: { kernel: string; from: { tick: number } },
): StoredImage | undefined {
  if (image?.kernel !== kernel || image.bytes?.length !== SLAB_BYTES) return undefined;
  return image.crc === imageCrc(image) && image.tick >= from.tick ? image : undefined;
}

/** As it is stored if there are many: a third as long, which takes half a millisecond. */
export function deflated(image: StoredImage): StoredImage {
  return { ...image, bytes: deflateRawSync(image.bytes, { level: 1 }) };
}

/** Undefined if it is damaged. */
export function inflated(image: StoredImage | undefined): StoredImage | undefined {
  if (!(image?.bytes instanceof Uint8Array)) return undefined;
  try {
    const bytes = inflateRawSync(image.bytes, { maxOutputLength: SLAB_BYTES });
    return { ...image, bytes: new Uint8Array(bytes) };
  } catch {
    return undefined;
  }
}
