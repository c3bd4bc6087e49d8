import { encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import {
  clientFrame,
  FrameParser,
  OPCODE_BINARY,
  OPCODE_PING,
  OPCODE_PONG,
  OPCODE_TEXT,
  tickOf,
} from './frame-parser.ts';

function serverFrame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) {
    head[1] = payload.length;
    return Buffer.concat([head.subarray(0, 2), payload]);
  }
  if (payload.length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
    return Buffer.concat([head.subarray(0, 4), payload]);
  }
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

function parse(chunks: Buffer[]): [opcode: number, bytes: number, first: number][] {
  const messages: [number, number, number][] = [];
  const parser = new FrameParser((opcode, payload) => {
    messages.push([opcode, payload.length, payload[0] ?? -1]);
  });
  for (const chunk of chunks) {
    const received = Buffer.from(chunk);
    parser.push(received);
    // The next chunk is read into the same memory.
    received.fill(0xff);
  }
  return messages;
}

const STREAM = Buffer.concat([
  serverFrame(OPCODE_TEXT, Buffer.alloc(3, 7)),
  serverFrame(OPCODE_PING, Buffer.alloc(0)),
  serverFrame(OPCODE_BINARY, Buffer.alloc(300, 8)),
  serverFrame(OPCODE_BINARY, Buffer.alloc(125, 9)),
]);
const MESSAGES = [
  [OPCODE_TEXT, 3, 7],
  [OPCODE_PING, 0, -1],
  [OPCODE_BINARY, 300, 8],
  [OPCODE_BINARY, 125, 9],
];

test('messages are the same wherever the network cuts them', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    expect(parse([STREAM.subarray(0, cut), STREAM.subarray(cut)])).toEqual(MESSAGES);
  }
  expect(parse([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(MESSAGES);
});

test('a message longer than 64 KiB has an eight-byte length', () => {
  const long = serverFrame(OPCODE_BINARY, Buffer.alloc(70_000, 5));
  expect(parse([long.subarray(0, 9), long.subarray(9)])).toEqual([[OPCODE_BINARY, 70_000, 5]]);
});

test('masked, split and compressed messages are refused', () => {
  expect(() => parse([clientFrame(OPCODE_PONG, Buffer.from('x'))])).toThrow('masked');
  expect(() => parse([Buffer.from([0x01, 0x00])])).toThrow('in pieces');
  expect(() => parse([Buffer.from([0xc1, 0x00])])).toThrow('extension');
});

test('a client message unmasks to what was sent', () => {
  const frame = clientFrame(OPCODE_PONG, Buffer.from('beat'));
  const mask = frame.subarray(2, 6);
  const payload = frame.subarray(6).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  expect([frame[0], frame[1], payload.toString()]).toEqual([0x8a, 0x84, 'beat']);
});

test('the tick of a snapshot is read in both encodings', () => {
  for (const tick of [0, 4, 127, 128, 252, 256, 65_532, 65_536, 90_000, 4_294_967_292]) {
    const snapshot = { type: 'snapshot', world: '0123456789', tick, time: tick / 50, vehicles: [] };
    expect(tickOf(OPCODE_TEXT, Buffer.from(JSON.stringify(snapshot)))).toBe(tick);
    expect(tickOf(OPCODE_BINARY, Buffer.from(encode(snapshot)))).toBe(tick);
  }
});

test('a message without a tick has none', () => {
  expect(tickOf(OPCODE_TEXT, Buffer.from('{"tick":null}'))).toBe(-1);
  expect(tickOf(OPCODE_TEXT, Buffer.from('{}'))).toBe(-1);
  expect(tickOf(OPCODE_BINARY, Buffer.from(encode({ tick: null })))).toBe(-1);
});
