/**
 * Integers as the decimals that `JSON.stringify` prints for a quotient of them: no point where
 * there is no fraction, no zeros at its end, no −0.
 *
 * Digits come from tables, up to three of them in one 32-bit store. An entry holds the characters
 * in its lower three bytes, first one lowest, and how many count in the uppermost; whatever is
 * stored beyond those is overwritten by what follows the number.
 */
const MINUS = 45;

/** 0 to 999, without leading zeros. */
const SHORT = table(1000, (value) => String(value));
/** 0 to 999, always three digits. */
const PADDED = table(1000, (value) => String(value).padStart(3, '0'));
/** 0 to 99 hundredths behind a whole number: nothing, `.5` or `.25`. */
const FRACTION = table(100, (value) =>
  (value / 100)
    .toFixed(2)
    .slice(1)
    .replace(/\.?0+$/, ''),
);
/** 0 to 99 hundredths with further digits behind them: `.05`. */
const OPEN_FRACTION = table(100, (value) => (value / 100).toFixed(2).slice(1));
/** 1 to 99 ten-thousandths behind hundredths: `5` or `25`. */
const CLOSING = table(100, (value) => String(value).padStart(2, '0').replace(/0$/, ''));

function table(length: number, spell: (value: number) => string): Int32Array {
  return Int32Array.from({ length }, (_, value) => {
    const characters = [...spell(value)].map((character) => character.charCodeAt(0));
    const packed = characters.reduce((word, code, i) => word | (code << (8 * i)), 0);
    return packed | (characters.length << 24);
  });
}

function writeEntry(view: DataView, at: number, entry: number): number {
  view.setInt32(at, entry, true);
  return at + (entry >> 24);
}

/** An integer from 0 to 2^32. */
export function writeInteger(view: DataView, at: number, value: number): number {
  if (value < 1000) return writeEntry(view, at, SHORT[value] as number);
  const thousands = (value / 1000) | 0;
  const end = writeInteger(view, at, thousands);
  return writeEntry(view, end, PADDED[value - thousands * 1000] as number);
}

/** An integer between −2^32 and 2^32 as hundredths. */
export function writeHundredths(view: DataView, at: number, value: number): number {
  const start = writeSign(view, at, value);
  const size = Math.abs(value);
  const whole = (size / 100) | 0;
  const end = writeInteger(view, start, whole);
  return writeEntry(view, end, FRACTION[size - whole * 100] as number);
}

/** An integer between −2^32 and 2^32 as ten-thousandths. */
export function writeTenThousandths(view: DataView, at: number, value: number): number {
  const start = writeSign(view, at, value);
  const size = Math.abs(value);
  const hundredths = (size / 100) | 0;
  const whole = (hundredths / 100) | 0;
  const upper = hundredths - whole * 100;
  const lower = size - hundredths * 100;
  const end = writeInteger(view, start, whole);
  if (lower === 0) return writeEntry(view, end, FRACTION[upper] as number);
  return writeEntry(
    view,
    writeEntry(view, end, OPEN_FRACTION[upper] as number),
    CLOSING[lower] as number,
  );
}

function writeSign(view: DataView, at: number, value: number): number {
  if (value >= 0) return at;
  view.setUint8(at, MINUS);
  return at + 1;
}
