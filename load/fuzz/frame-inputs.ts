import type { Dice } from '../../src/testing/rigs/dice.ts';
import { type Input, WORLD_ID } from './input.ts';
import { inParts, mutated } from './mutations.ts';

/** RFC 6455, 5.2. */
const [FIN, MASKED] = [0x80, 0x80];
const OPCODES = [0, 1, 2, 8, 9, 10, 3, 7, 11, 15] as const;
const USUAL_OPCODES = 6;
/** Around the bounds of control frames, of what a client may send, and of each form of a length. */
const LENGTHS = [0, 1, 2, 124, 125, 126, 127, 1000, 1024, 1025] as const;
const LONG = [16_384, 16_385, 65_536] as const;
const MASK = [1, 2, 3, 4] as const;
const TEXTS = ['{}', '\xff\xfe', '\xed\xa0\x80', '\0', 'é', '\xf0\x9f\x98', '{"type":"ping"}'];
/** 7.4 and beyond: codes that a client may send, and codes that it may not. */
const CLOSE_CODES = [1000, 1001, 1002, 3000, 4999, 0, 999, 1004, 1005, 1006, 1015, 5000, 65_535];
const UPGRADE = [
  ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];
const EXTRAS = [
  ...['Sec-WebSocket-Protocol: a, b', 'Sec-WebSocket-Protocol: ', 'Origin: http://x'],
  ...['Sec-WebSocket-Extensions: permessage-deflate', 'Content-Length: 5', 'Accept: a/b'],
];

function payloadOf(opcode: number, dice: Dice): string {
  if (opcode === 8 && dice.below(4) > 0) {
    const code = dice.pick(CLOSE_CODES);
    return String.fromCharCode(code >> 8, code & 0xff) + dice.pick(['', 'bye', '\xff']);
  }
  if (dice.below(2) > 0) return dice.pick(TEXTS);
  return 'x'.repeat(dice.pick(dice.below(20) > 0 ? LENGTHS : LONG));
}

/** How a frame says its length: 7 bits, or 16 or 64 more. Longer than needed is forbidden. */
function lengthBytes(length: number, dice: Dice): number[] {
  const form = dice.below(12) === 0 ? dice.below(3) : length < 126 ? 0 : length < 65_536 ? 1 : 2;
  if (form === 0) return [length & 0x7f];
  const bytes = form === 1 ? 2 : 8;
  const high = dice.below(30) === 0 ? 0xff : 0;
  const digits = Array.from({ length: bytes }, (_, i) => {
    const shift = 8 * (bytes - 1 - i);
    return shift > 24 ? high : (length >>> shift) & 0xff;
  });
  return [form === 1 ? 126 : 127, ...digits];
}

function frame(dice: Dice): string {
  const opcode = OPCODES[dice.below(dice.below(8) > 0 ? USUAL_OPCODES : OPCODES.length)] ?? 0;
  const first = (dice.below(4) > 0 ? FIN : 0) | (dice.below(16) > 0 ? 0 : 0x40) | opcode;
  const payload = payloadOf(opcode, dice);
  const [short = 0, ...more] = lengthBytes(payload.length, dice);
  const isMasked = dice.below(16) > 0;
  const head = String.fromCharCode(first, (isMasked ? MASKED : 0) | short, ...more);
  if (!isMasked) return head + payload;
  const masked = Buffer.from(payload, 'latin1');
  for (let i = 0; i < masked.length; i += 1) masked[i] = (masked[i] ?? 0) ^ (MASK[i % 4] ?? 0);
  return head + String.fromCharCode(...MASK) + masked.toString('latin1');
}

function upgrade(dice: Dice): string {
  const query = dice.pick(['', '', '?encoding=msgpack', '?encoding=json', '?encoding=x', '?%']);
  const lines = [...UPGRADE];
  if (dice.below(8) === 0) lines.splice(dice.below(lines.length), 1);
  if (dice.below(4) === 0) lines.push(dice.pick(EXTRAS));
  const text = `GET /ws/worlds/${WORLD_ID}${query} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return dice.below(16) === 0 ? mutated(text, dice) : text;
}

/** The upgrade to a stream, and messages that break the protocol in a few places. */
export function frameInput(dice: Dice): Input {
  const frames = Array.from({ length: 1 + dice.below(6) }, () => frame(dice)).join('');
  const sent = dice.below(3) === 0 ? mutated(frames, dice) : frames;
  const service = dice.below(12) > 0 ? 'twin' : 'dealer';
  const [first = '', ...others] = inParts(sent, dice);
  const begin = upgrade(dice);
  // Messages may come with the request.
  const parts = dice.below(4) === 0 ? [begin + first, ...others] : [begin, first, ...others];
  return { service, parts, leaves: dice.below(8) === 0 };
}
