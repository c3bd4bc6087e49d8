import type { Dice } from '../../src/testing/rigs/dice.ts';

/** What parsers of requests, URLs, JSON and UTF-8 trip over. */
const TOKENS = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\n\n', ' ', '\t', '\0', ':', ',', ';', ';a=b', '%', '%00'],
  ...['%ff', '%2f', '%2e%2e', '%c0%af', '/', '//', '/../', '?', '??', '#', '&', '=', '{}', '{id}'],
  ...['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', ' HTTP/9.9', '0\r\n\r\n', 'ffffffffffffffff', '-1', '+1'],
  ...['\xff', '\xc0\x80', '\xed\xa0\x80', '\xef\xbb\xbf', '\x7f', '\x80', '"', '\\', '[', '{', ']'],
  ...['}', '\\ud800', '__proto__', 'null', 'NaN', '1e999', '99999999999999999999', '-0', '0x10'],
] as const;
const LONG = [100, 1000, 4096, 5000, 20_000] as const;

type Mutate = (text: string, dice: Dice) => string;

const cut = (text: string, at: number, end: number, instead = '') =>
  text.slice(0, at) + instead + text.slice(end);

const MUTATIONS: readonly Mutate[] = [
  // flips a bit
  (text, dice) => {
    const at = dice.below(text.length);
    return cut(text, at, at + 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << dice.below(8))));
  },
  // any byte
  (text, dice) => {
    const at = dice.below(text.length + 1);
    return cut(text, at, at + dice.below(2), String.fromCharCode(dice.below(256)));
  },
  (text, dice) => {
    const at = dice.below(text.length + 1);
    return cut(text, at, at + dice.below(2), dice.pick(TOKENS));
  },
  (text, dice) => {
    const at = dice.below(text.length + 1);
    return cut(text, at, at, dice.pick(TOKENS).repeat(dice.pick(LONG) / 20));
  },
  // removes
  (text, dice) => {
    const at = dice.below(text.length);
    return cut(text, at, at + 1 + dice.below(20));
  },
  (text, dice) => text.slice(0, dice.below(text.length)),
  // repeats
  (text, dice) => {
    const at = dice.below(text.length);
    const end = at + 1 + dice.below(40);
    return cut(text, end, end, text.slice(at, end).repeat(1 + dice.below(3)));
  },
  (text, dice) => {
    const at = dice.below(text.length + 1);
    return cut(text, at, at, 'a'.repeat(dice.pick(LONG)));
  },
];

/** Changes a text of bytes at a few places. */
export function mutated(text: string, dice: Dice): string {
  let changed = text;
  for (let left = 1 + dice.below(3); left > 0 && changed !== ''; left -= 1) {
    changed = dice.pick(MUTATIONS)(changed, dice);
  }
  return changed;
}

/** Cuts a text into one to four parts. */
export function inParts(text: string, dice: Dice): string[] {
  const count = dice.below(3) > 0 ? 1 : 2 + dice.below(3);
  const cuts = Array.from({ length: count - 1 }, () => dice.below(text.length + 1));
  const at = [0, ...cuts.sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}
