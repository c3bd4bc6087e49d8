import { expect, test } from 'vitest';
import { LatestFrame } from './latest-frame.ts';

const ALL = { json: true, msgpack: true, packed: true };
/** The memory of a frame batch, which the next one overwrites. */
const memory = new Uint8Array(new SharedArrayBuffer(4096));

function frameOf(
  tick: number,
  json: string | undefined,
  msgpack: number[] | undefined,
  isPacked: boolean,
) {
  const bytes = json === undefined ? undefined : new TextEncoder().encode(json);
  const packed = new Int32Array(memory.buffer, 2048, 3);
  packed.fill(tick);
  if (bytes) memory.set(bytes, 0);
  if (msgpack) memory.set(msgpack, 1024);
  return {
    tick,
    json: bytes && memory.subarray(0, bytes.length),
    msgpack: msgpack && memory.subarray(1024, 1024 + msgpack.length),
    packed: isPacked ? packed : undefined,
  };
}

function shown({ tick, json, msgpack, packed }: LatestFrame) {
  return {
    tick,
    json: json && new TextDecoder().decode(json),
    msgpack: msgpack && [...msgpack],
    packed: packed && [...packed],
  };
}

test('the newest frame survives the next batch in the same memory, at any length', () => {
  const latest = new LatestFrame();
  const long = 'x'.repeat(900);
  for (const [tick, json, msgpack] of [
    [4, 'four', [1, 2, 3]],
    [8, 'eight', [4, 5]],
    [12, long, undefined],
    [16, undefined, [6, 7, 8, 9]],
    [20, 'v', [1]],
  ] as const) {
    const isPacked = tick % 16 !== 0;
    latest.take(frameOf(tick, json, msgpack && [...msgpack], isPacked), ALL);
    memory.fill(0xee);
    expect(shown(latest)).toEqual({
      tick,
      json,
      msgpack,
      packed: isPacked ? [tick, tick, tick] : undefined,
    });
  }
});

test('what only watchers need is not kept', () => {
  const latest = new LatestFrame();
  latest.take(frameOf(4, 'four', [4], true), ALL);
  latest.take(frameOf(8, 'eight', [8], false), { json: false, msgpack: true, packed: false });
  expect(shown(latest)).toEqual({ tick: 8, json: undefined, msgpack: [8], packed: undefined });
  latest.take(frameOf(12, 'twelve', [12], false), { json: true, msgpack: false, packed: false });
  expect(shown(latest)).toEqual({
    tick: 12,
    json: 'twelve',
    msgpack: undefined,
    packed: undefined,
  });
});
