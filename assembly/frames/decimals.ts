/**
 * Writes integers as the decimals that `JSON.stringify` prints for a quotient of them: without a
 * point if there is no fraction, without trailing zeros, without −0.
 *
 * Digits come from tables, up to three in one store. An entry holds the characters in its lower
 * three bytes, the first one lowest, and their number in the uppermost byte. Bytes stored beyond
 * them are overwritten by what follows.
 */
const MINUS: u32 = 45;
const POINT: u32 = 46;
const ZERO: u32 = 48;

/** 0 to 999, without leading zeros. */
const SHORT = memory.data(4000);
/** 0 to 999, always three digits. */
const PADDED = memory.data(4000);
/** 0 to 99 hundredths behind a whole number: nothing, `.5` or `.25`. */
const FRACTION = memory.data(400);
/** 0 to 99 hundredths with further digits behind them: `.05`. */
const OPEN_FRACTION = memory.data(400);
/** 0 to 99 ten-thousandths behind hundredths: `5` or `25`. */
const CLOSING = memory.data(400);

function entry(count: u32, first: u32, second: u32, third: u32): u32 {
  return first | (second << 8) | (third << 16) | (count << 24);
}

function fillTables(): void {
  for (let value: u32 = 0; value < 1000; value++) {
    const ones = ZERO + (value % 10);
    const tens = ZERO + ((value / 10) % 10);
    const hundreds = ZERO + value / 100;
    const short =
      value < 10
        ? entry(1, ones, 0, 0)
        : value < 100
          ? entry(2, tens, ones, 0)
          : entry(3, hundreds, tens, ones);
    store<u32>(SHORT + ((<usize>value) << 2), short);
    store<u32>(PADDED + ((<usize>value) << 2), entry(3, hundreds, tens, ones));
    if (value >= 100) continue;
    const open = entry(3, POINT, tens, ones);
    const fraction = value == 0 ? 0 : ones == ZERO ? entry(2, POINT, tens, 0) : open;
    store<u32>(FRACTION + ((<usize>value) << 2), fraction);
    store<u32>(OPEN_FRACTION + ((<usize>value) << 2), open);
    store<u32>(
      CLOSING + ((<usize>value) << 2),
      ones == ZERO ? entry(1, tens, 0, 0) : entry(2, tens, ones, 0),
    );
  }
}

fillTables();

@inline
function writeEntry(address: usize, table: usize, value: u32): usize {
  const entry = load<u32>(table + ((<usize>value) << 2));
  store<u32>(address, entry);
  return address + (entry >> 24);
}

export function writeInteger(address: usize, value: u32): usize {
  if (value < 1000) return writeEntry(address, SHORT, value);
  const thousands = value / 1000;
  const end =
    thousands < 1000 ? writeEntry(address, SHORT, thousands) : writeInteger(address, thousands);
  return writeEntry(end, PADDED, value - thousands * 1000);
}

/** Writes the sign of a value; the caller writes its absolute value. */
@inline
function writeSign(address: usize, value: i32): usize {
  store<u8>(address, MINUS);
  return address + <usize>(<u32>value >> 31);
}

@inline
function sizeOf(value: i32): u32 {
  return value < 0 ? 0 - <u32>value : <u32>value;
}

/** Hundredths that are not negative. */
export function writeUnsignedHundredths(address: usize, hundredths: u32): usize {
  const whole = hundredths / 100;
  return writeEntry(writeInteger(address, whole), FRACTION, hundredths - whole * 100);
}

export function writeHundredths(address: usize, value: i32): usize {
  return writeUnsignedHundredths(writeSign(address, value), sizeOf(value));
}

export function writeTenThousandths(address: usize, value: i32): usize {
  const size = sizeOf(value);
  const hundredths = size / 100;
  const whole = hundredths / 100;
  const upper = hundredths - whole * 100;
  const lower = size - hundredths * 100;
  const end = writeInteger(writeSign(address, value), whole);
  if (lower == 0) return writeEntry(end, FRACTION, upper);
  return writeEntry(writeEntry(end, OPEN_FRACTION, upper), CLOSING, lower);
}
