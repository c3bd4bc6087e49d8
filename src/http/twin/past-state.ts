import type { Encoding } from '../../codec/encoding.ts';
import { TwinError } from '../../errors.ts';
import type { PastState } from '../../twin-service.ts';
import { encode } from '../server/reply.ts';

/** What `tick=<integer>&hash=1` of a query asks for. */
export interface AskedState {
  /** Undefined: the current one. */
  tick: number | undefined;
  withHash: boolean;
}

/** Undefined: neither is asked for. Throws TwinError `invalid_value`. */
export function askedState(query: string): AskedState | undefined {
  if (query === '') return undefined;
  const params = new URLSearchParams(query);
  const [tick, hash] = [params.get('tick'), params.get('hash')];
  if (tick === null && hash === null) return undefined;
  if (tick !== null && !/^\d{1,10}$/.test(tick)) {
    throw new TwinError('invalid_value', 'Use tick=<integer from 0 to the current tick>.');
  }
  if (hash !== null && hash !== '1') throw new TwinError('invalid_value', 'Use hash=1.');
  return { tick: tick === null ? undefined : Number(tick), withHash: hash !== null };
}

/** The snapshot, with its hash as the last field. */
export function stateWithHash({ snapshot, hash }: PastState, encoding: Encoding): Uint8Array {
  if (encoding === 'json') {
    return Buffer.concat([snapshot.subarray(0, -1), Buffer.from(`,"hash":"${hash}"}`)]);
  }
  // The first byte of a map of up to 15 entries counts them.
  const [count = 0] = snapshot;
  const entry = ['hash', hash].map((text) => encode(text, 'msgpack') as Uint8Array);
  return Buffer.concat([Uint8Array.of(count + 1), snapshot.subarray(1), ...entry]);
}
