import { CAR_COUNT } from '../../assembly/layout.ts';
import { COLOURS } from './enumerations.ts';
import { draw, streamKey, uniform } from './seeded-random.ts';
import { vinOf } from './vin.ts';
import type { FleetEntry } from './wire.ts';

export interface CarType {
  model: string;
  lengthM: number;
  widthM: number;
  massKg: number;
  /** About the vertical axis through the centre of gravity. */
  yawInertiaKgM2: number;
  wheelbaseM: number;
  /** Centre of gravity to rear axle. */
  lrM: number;
  /** Height of the centre of gravity. */
  heightM: number;
  /** From the centre of gravity forward to the middle of the body. */
  centreM: number;
  /** Cornering stiffness of each axle ÷ (friction × load), 1/rad. */
  stiffnessFront: number;
  stiffnessRear: number;
  drive: 'front' | 'rear';
  /** Share of the brake force on the front axle. */
  brakeFront: number;
}

/**
 * Models of cars; the index is the type number of the kernel. Ordinary family cars: yaw inertia
 * about mass × lf × lr, understeer of 1.2 to 1.9° per g.
 */
export const CAR_TYPES: readonly CarType[] = [
  {
    model: 'Lumen City',
    lengthM: 4.06,
    widthM: 1.74,
    massKg: 1180,
    yawInertiaKgM2: 1840,
    wheelbaseM: 2.55,
    lrM: 1.54,
    heightM: 0.54,
    centreM: -0.24,
    stiffnessFront: 15,
    stiffnessRear: 24,
    drive: 'front',
    brakeFront: 0.68,
  },
  {
    model: 'Aurora Vela',
    lengthM: 4.32,
    widthM: 1.79,
    massKg: 1390,
    yawInertiaKgM2: 2340,
    wheelbaseM: 2.64,
    lrM: 1.56,
    heightM: 0.55,
    centreM: -0.22,
    stiffnessFront: 15,
    stiffnessRear: 24,
    drive: 'front',
    brakeFront: 0.67,
  },
  {
    model: 'Corvane S4',
    lengthM: 4.56,
    widthM: 1.82,
    massKg: 1520,
    yawInertiaKgM2: 2930,
    wheelbaseM: 2.78,
    lrM: 1.45,
    heightM: 0.53,
    centreM: -0.07,
    stiffnessFront: 16,
    stiffnessRear: 24,
    drive: 'rear',
    brakeFront: 0.64,
  },
  {
    model: 'Halden Terra',
    lengthM: 4.48,
    widthM: 1.85,
    massKg: 1690,
    yawInertiaKgM2: 3010,
    wheelbaseM: 2.68,
    lrM: 1.47,
    heightM: 0.58,
    centreM: -0.13,
    stiffnessFront: 14,
    stiffnessRear: 23,
    drive: 'front',
    brakeFront: 0.67,
  },
  {
    model: 'Solis Meridian',
    lengthM: 4.6,
    widthM: 1.85,
    massKg: 1820,
    yawInertiaKgM2: 3750,
    wheelbaseM: 2.87,
    lrM: 1.42,
    heightM: 0.54,
    centreM: 0.02,
    stiffnessFront: 16,
    stiffnessRear: 25,
    drive: 'rear',
    brakeFront: 0.64,
  },
];

/** Stream of the models, colours and plates; the kernel's purposes are below 1000. */
const PURPOSE_APPEARANCE = 1000;

/** Sixteen consonants, so that plates spell no words. */
const PLATE_LETTERS = 'BCDFGJKLMNPRTVWX';
const PLATE_COUNT = 16 ** 4 * 1000;

/** Indices of type, colour and plate: one draw per car, split like a number of mixed radix. */
function appearanceOf(seed: number, car: number) {
  const variants = PLATE_COUNT * COLOURS.length * CAR_TYPES.length;
  const variant = Math.floor(uniform(draw(streamKey(seed, PURPOSE_APPEARANCE, car), 0)) * variants);
  const paint = Math.floor(variant / CAR_TYPES.length);
  return {
    type: variant % CAR_TYPES.length,
    colour: paint % COLOURS.length,
    plate: Math.floor(paint / COLOURS.length),
  };
}

/** Index into `CAR_TYPES` of each car of a world with this seed. */
export function carTypesOf(seed: number): Int32Array {
  return Int32Array.from({ length: CAR_COUNT }, (_, car) => appearanceOf(seed, car).type);
}

/**
 * The fleet, car 0 first. Models, plates and colours depend only on the seed, VINs only on the
 * world number. All plates differ.
 */
export function fleetOf(seed: number, worldNumber: number): FleetEntry[] {
  const taken = new Set<number>();
  return Array.from({ length: CAR_COUNT }, (_, car) => {
    const { type, colour, plate: drawn } = appearanceOf(seed, car);
    let plate = drawn;
    while (taken.has(plate)) plate = (plate + 1) % PLATE_COUNT;
    taken.add(plate);
    return {
      vin: vinOf(worldNumber, car),
      model: CAR_TYPES[type]?.model ?? '',
      plate: plateText(plate),
      colour: COLOURS[colour] ?? '',
    };
  });
}

/** Like `KD 482 RM`. */
function plateText(plate: number): string {
  const letters = Math.floor(plate / 1000);
  const pair = (bits: number) =>
    PLATE_LETTERS.charAt((bits >> 4) & 15) + PLATE_LETTERS.charAt(bits & 15);
  return `${pair(letters >> 8)} ${String(plate % 1000).padStart(3, '0')} ${pair(letters)}`;
}
