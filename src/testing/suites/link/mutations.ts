import { endOfValue } from '../../../link/msgpack-scan.ts';
import { unpack } from '../../../link/wire.ts';
import type { Dice } from '../../rigs/dice.ts';

type Mutation = (bytes: Uint8Array, dice: Dice) => Uint8Array;

const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, dice) {
    const flipped = new Uint8Array(bytes);
    const at = dice.below(bytes.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.below(8));
    return flipped;
  },
  function setByte(bytes, dice) {
    const set = new Uint8Array(bytes);
    set[dice.below(bytes.length)] = dice.below(256);
    return set;
  },
  function cutOff(bytes, dice) {
    return bytes.slice(0, dice.below(bytes.length));
  },
  function removeSome(bytes, dice) {
    const at = dice.below(bytes.length);
    return join(bytes.subarray(0, at), bytes.subarray(at + 1 + dice.below(4)));
  },
  function insertSome(bytes, dice) {
    const at = dice.below(bytes.length + 1);
    const some = Uint8Array.from({ length: 1 + dice.below(5) }, () => dice.below(256));
    return join(bytes.subarray(0, at), some, bytes.subarray(at));
  },
  function repeatSome(bytes, dice) {
    const at = dice.below(bytes.length);
    const end = at + 1 + dice.below(bytes.length - at);
    return join(bytes.subarray(0, end), bytes.subarray(at));
  },
  // Lengths, extensions and numbers: the tokens that others follow.
  function setToken(bytes, dice) {
    const set = new Uint8Array(bytes);
    set[dice.below(bytes.length)] = 0xc0 + dice.below(32);
    return set;
  },
];

/** Real traffic with something wrong in a few places. */
export function mutated(traffic: readonly Uint8Array[], dice: Dice): Uint8Array {
  let bytes =
    dice.below(4) === 0 ? join(dice.pick(traffic), dice.pick(traffic)) : dice.pick(traffic);
  for (let count = 1 + dice.below(3); count > 0 && bytes.length > 0; count -= 1) {
    bytes = dice.pick(MUTATIONS)(bytes, dice);
  }
  return bytes;
}

/** The messages in what came at once. */
export function messagesIn(bytes: Uint8Array): unknown[][] {
  const messages: unknown[][] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = endOfValue(bytes, start);
    messages.push(unpack(bytes, start, end) as unknown[]);
    start = end;
  }
  return messages;
}
