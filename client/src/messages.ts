import { decode } from '@msgpack/msgpack';
import type { LockstepHello, LockstepMessage } from '../../src/twin/lockstep.ts';
import type { Hello, Snapshot } from './types.ts';

/** A message of a stream of frames. */
export type FrameMessage = Hello | Snapshot;

const LOCKSTEP_TYPES: readonly unknown[] = ['hello', 'change', 'pulse', 'incident'];
const FRAME_TYPES: readonly unknown[] = ['hello', 'snapshot'];

/** Undefined for what later versions may send. */
export function lockstepMessage(content: string | Uint8Array): LockstepMessage | undefined {
  const message = contentOf(content);
  return LOCKSTEP_TYPES.includes(message?.type) ? (message as LockstepMessage) : undefined;
}

export function frameMessage(content: string | Uint8Array): FrameMessage | undefined {
  const message = contentOf(content);
  return FRAME_TYPES.includes(message?.type) ? (message as FrameMessage) : undefined;
}

function contentOf(content: string | Uint8Array): { type?: unknown } | undefined {
  const value: unknown = typeof content === 'string' ? JSON.parse(content) : decode(content);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The state image of a hello; undefined if it has none. */
export async function imageOf({ image }: LockstepHello) {
  if (image === null) return undefined;
  const { tick, seq, bytes } = image;
  const inflated = new Blob([bytes.slice()])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  return { tick, seq, bytes: new Uint8Array(await new Response(inflated).arrayBuffer()) };
}
