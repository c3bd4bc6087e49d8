/**
 * Vehicle identification numbers. A VIN holds its world and its car:
 *
 *   position  1 2 3   4 5 6 7 8   9    10   11    12 13 14 15 16 17
 *             D T W   d d d d d   c    T    N     d  d  d  d  d  d
 *             maker   digits      check year plant  digits
 *
 * The eleven digits d, base 33, most significant first, are `((world number × 32 + car) × a + b)
 * mod 33^11`. The map is affine, so it has an inverse. With this `a`, any two cars of a world
 * differ in at least ten of the eleven digits, so a single typing error never leads to another car
 * of the fleet.
 *
 * 33^11 exceeds the exact integers of a double, so numbers are three limbs of base 33^4. Sums of
 * their products stay below 2^43.
 */
import { CAR_COUNT } from '../../assembly/layout.ts';
import { WORLD_NUMBER_END } from './ids.ts';

interface CarAddress {
  world: number;
  car: number;
}

/** Digits and capitals without I, O and Q, which look like 1 and 0. */
const ALPHABET = '0123456789ABCDEFGHJKLMNPRSTUVWXYZ';
/** Value of each character in the check sum (49 CFR 565.15, table III). */
const COUNTS_AS = [...'012345678912345678123457923456789'].map(Number);
/** Weight of each position (49 CFR 565.15, table IV). */
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VIN_LENGTH = 17;
const CHECK_POSITION = 8;
/** Maker DTW, model year T (2026), plant N. */
const TEMPLATE = 'DTW......TN......';
const FIXED_POSITIONS = [0, 1, 2, 9, 10];
const DIGIT_POSITIONS = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16];

const DIGIT_OF_CODE = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) {
  const character = ALPHABET.charAt(digit);
  DIGIT_OF_CODE[character.charCodeAt(0)] = digit;
  DIGIT_OF_CODE[character.toLowerCase().charCodeAt(0)] = digit;
}

type Limbs = readonly [low: number, mid: number, high: number];

const LIMB = 33 ** 4;
const HIGH_LIMB = 33 ** 3;
/** a = 19972003438330159 and b = 49939369239121485. */
const MIX = { factor: [859360, 844119, 14200], offset: [811824, 516073, 35508] } as const;
/** The inverse: 1/a and −b/a modulo 33^11. */
const UNMIX = { factor: [333187, 449902, 8489], offset: [402276, 1095071, 20533] } as const;

/** `x × factor + offset` modulo 33^11. */
function affine(x: Limbs, { factor, offset }: { factor: Limbs; offset: Limbs }): Limbs {
  const low = x[0] * factor[0] + offset[0];
  const mid = x[0] * factor[1] + x[1] * factor[0] + offset[1] + Math.floor(low / LIMB);
  const high =
    x[0] * factor[2] + x[1] * factor[1] + x[2] * factor[0] + offset[2] + Math.floor(mid / LIMB);
  return [low % LIMB, mid % LIMB, high % HIGH_LIMB];
}

/** `world × 32 + car` as limbs, computed without the 55-bit product. */
function limbsOf(world: number, car: number): Limbs {
  const rest = (world % LIMB) * 32 + car;
  const upper = Math.floor(world / LIMB) * 32 + Math.floor(rest / LIMB);
  return [rest % LIMB, upper % LIMB, Math.floor(upper / LIMB)];
}

function addressOf([low, mid, high]: Limbs): CarAddress | undefined {
  const upper = high * LIMB + mid;
  const rest = (upper % 32) * LIMB + low;
  const world = Math.floor(upper / 32) * LIMB + Math.floor(rest / 32);
  const car = rest % 32;
  return world < WORLD_NUMBER_END && car < CAR_COUNT ? { world, car } : undefined;
}

/** Codes of the characters of a VIN that is being made. */
const codes = Array.from(TEMPLATE, (character) => character.charCodeAt(0));

/** The VIN of a car: 17 capitals and digits. */
export function vinOf(world: number, car: number): string {
  const [low, mid, high] = affine(limbsOf(world, car), MIX);
  putDigits(high, 0, 3);
  putDigits(mid, 3, 7);
  putDigits(low, 7, 11);
  let sum = 0;
  for (let i = 0; i < VIN_LENGTH; i++) sum += weighed(i, codes[i] ?? 0);
  codes[CHECK_POSITION] = checkCharacter(sum).charCodeAt(0);
  return String.fromCharCode(...codes);
}

/** The digits of a limb, at these of the digits' positions. */
function putDigits(limb: number, from: number, to: number): void {
  let rest = limb;
  for (let i = to - 1; i >= from; i--) {
    codes[DIGIT_POSITIONS[i] ?? 0] = ALPHABET.charCodeAt(rest % 33);
    rest = Math.floor(rest / 33);
  }
}

/** What a character adds to the check sum. The check digit itself has weight 0. */
function weighed(position: number, code: number): number {
  return (WEIGHTS[position] ?? 0) * (COUNTS_AS[DIGIT_OF_CODE[code] ?? 0] ?? 0);
}

function checkCharacter(sum: number): string {
  return sum % 11 === 10 ? 'X' : String(sum % 11);
}

/** −1 for characters outside the alphabet. */
function digitAt(vin: string, position: number): number {
  return DIGIT_OF_CODE[vin.charCodeAt(position)] ?? -1;
}

/**
 * World and car of a VIN, in either case, with blanks around it. Undefined if a character, the
 * check digit, maker, year or plant is wrong, or the number belongs to no car.
 */
export function parseVin(text: string): CarAddress | undefined {
  const vin = text.trim();
  if (vin.length !== VIN_LENGTH) return undefined;
  for (let i = 0; i < VIN_LENGTH; i++) if (digitAt(vin, i) < 0) return undefined;
  for (const i of FIXED_POSITIONS) {
    if (digitAt(vin, i) !== digitAt(TEMPLATE, i)) return undefined;
  }
  let sum = 0;
  for (let i = 0; i < VIN_LENGTH; i++) sum += weighed(i, vin.charCodeAt(i));
  if (digitAt(vin, CHECK_POSITION) !== digitAt(checkCharacter(sum), 0)) return undefined;
  return addressOf(affine(mixedLimbs(vin), UNMIX));
}

function mixedLimbs(vin: string): Limbs {
  const limb = (from: number, to: number): number => {
    let value = 0;
    for (let i = from; i < to; i++) value = value * 33 + digitAt(vin, DIGIT_POSITIONS[i] ?? 0);
    return value;
  };
  return [limb(7, 11), limb(3, 7), limb(0, 3)];
}
