import {
  A_STATE,
  A_X,
  A_Y,
  ACTOR_WAITS,
  AEB_PARTIAL,
  C_ACCEL,
  C_AEB_STAGE,
  C_ANIMAL_STAGE,
  C_ASSIST_STAGE,
  C_CLAIM,
  C_EVADE_TICK,
  C_GAP,
  C_HX,
  C_HY,
  C_LIGHT_CHOICE,
  C_STATUS,
  C_VX,
  C_WAIT_TICK,
  C_X,
  C_Y,
  CAR_COUNT,
  CHOICE_STOP,
  CONFIRM_SCANS,
  CONFIRM_STANDING_SCANS,
  H_TICK,
  HAZARD_BYTES,
  HAZARDS,
  OBJECT_MAX,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
  SENSOR_COUNT,
  STATUS_CRASHED,
  TRACK_MISSED_SHIFT,
  TRACK_MOVED,
  TRACK_SCANS,
  TRACKS,
} from '../../assembly/layout.ts';
import type { Detection, IntentName, PerceptionRecord } from '../twin/perception-record.ts';
import { realOf, type SlabArrays } from './slab-arrays.ts';

/** A track is forgotten after so many scans that missed it. */
const FORGOTTEN_SCANS = 6;
/** In the order of the tracks. */
const SEEN = [SEEN_CAMERA, SEEN_RADAR, SEEN_CORNERS] as const;
const RADAR = 1;

/** A car that brakes by more than this does so on purpose, m/s². */
const BRAKING_MPS2 = 0.7;
const STANDING_MPS = 0.3;
/** A vehicle ahead matters to a driver within so much time, and so far at any speed: s, m. */
const FOLLOWED_S = 2.5;
const FOLLOWED_M = 8;
/** What a car reacts to is ahead within this cone: m beside it where it is, and more per m ahead. */
const BESIDE_M = 3;
const BESIDE_PER_M = 0.4;
/** Half the lengths of a car and of what it follows, from a box to a lorry, m. */
const LENGTHS_M = 5.5;
const LENGTHS_SPARE_M = 3.5;

/** What a car's sensors know and what it does, from a slab. */
export function perceivedBy(world: SlabArrays, car: number): PerceptionRecord {
  const detections = detectionsOf(world, car);
  const intent = intentOf(world, car);
  const isAbout = intent === 'emergency_braking' || intent === 'evading';
  const gapM = intent === 'following' ? realOf(world, C_GAP, car) : undefined;
  const about =
    isAbout || gapM !== undefined ? nearestAhead(world, car, detections, gapM) : undefined;
  return { detections, intent, about };
}

function detectionsOf(world: SlabArrays, car: number): Detection[] {
  const { buffer, byteOffset, byteLength } = world.i32;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const found: Detection[] = [];
  for (let object = 0; object < OBJECT_MAX; object++) {
    if (!isThere(world, object)) continue;
    let [sensors, confidence] = [0, 0];
    for (const [sensor, seen] of SEEN.entries()) {
      const at = TRACKS + (car * SENSOR_COUNT + sensor) * OBJECT_MAX + object;
      const part = confidenceOf(bytes[at] ?? 0, sensor);
      if (part === 0) continue;
      sensors |= seen;
      confidence = Math.max(confidence, part);
    }
    if (sensors !== 0) found.push({ object, sensors, confidence });
  }
  return found;
}

/** The share of the scans that confirm an object, less for each scan since it was last seen. */
function confidenceOf(track: number, sensor: number): number {
  const isStanding = sensor === RADAR && (track & TRACK_MOVED) === 0;
  const needed = isStanding ? CONFIRM_STANDING_SCANS : CONFIRM_SCANS;
  const missed = track >> TRACK_MISSED_SHIFT;
  return Math.min(1, (track & TRACK_SCANS) / needed) * (1 - missed / FORGOTTEN_SCANS);
}

function isThere({ i32 }: SlabArrays, object: number): boolean {
  if (object < CAR_COUNT) return true;
  return i32[(actorOf(object) + A_STATE) / 4] !== ACTOR_WAITS;
}

const actorOf = (object: number): number => HAZARDS + (object - CAR_COUNT) * HAZARD_BYTES;

function intentOf(world: SlabArrays, car: number): IntentName {
  const { i32 } = world;
  const whole = (row: number) => i32[row / 4 + car] ?? 0;
  const real = (row: number) => realOf(world, row, car);
  if (whole(C_STATUS) === STATUS_CRASHED) return 'crashed';
  if (whole(C_EVADE_TICK) !== 0) return 'evading';
  const stages = [C_AEB_STAGE, C_ANIMAL_STAGE, C_ASSIST_STAGE].map(whole);
  if (Math.max(...stages) >= AEB_PARTIAL) return 'emergency_braking';
  const speed = real(C_VX);
  const isStanding = speed < STANDING_MPS;
  const isBraking = real(C_ACCEL) < -BRAKING_MPS2;
  const gap = real(C_GAP);
  const isBehind = gap >= 0 && gap < FOLLOWED_M + FOLLOWED_S * Math.max(0, speed);
  if ((isStanding || isBraking) && !(isBehind && gap < FOLLOWED_M)) {
    if (whole(C_LIGHT_CHOICE) === CHOICE_STOP) return 'stopping_for_light';
    const since = whole(C_WAIT_TICK) >>> 0;
    const isAsking = since !== 0 && since <= (i32[H_TICK / 4] ?? 0) >>> 0;
    if (isAsking && whole(C_CLAIM) < 0) return 'yielding';
  }
  if (isBehind) return 'following';
  if (isStanding) return 'standing';
  return isBraking ? 'braking' : 'driving';
}

/**
 * The nearest known object in the cone ahead of a car.
 * @param gapM to what it follows: its middle is so far ahead and half of both lengths
 */
function nearestAhead(
  world: SlabArrays,
  car: number,
  detections: readonly Detection[],
  gapM?: number,
): number | undefined {
  const real = (row: number, of = car) => realOf(world, row, of);
  let [nearest, leastM]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const { object } of detections) {
    const actor = actorOf(object);
    const [x, y] =
      object < CAR_COUNT
        ? [real(C_X, object), real(C_Y, object)]
        : [realOf(world, actor + A_X, 0), realOf(world, actor + A_Y, 0)];
    const [dx, dy] = [x - real(C_X), y - real(C_Y)];
    const aheadM = dx * real(C_HX) + dy * real(C_HY);
    const asideM = Math.abs(dy * real(C_HX) - dx * real(C_HY));
    if (gapM !== undefined && Math.abs(Math.hypot(dx, dy) - gapM - LENGTHS_M) > LENGTHS_SPARE_M)
      continue;
    if (aheadM < 0 || aheadM > leastM || asideM > BESIDE_M + BESIDE_PER_M * aheadM) continue;
    [nearest, leastM] = [object, aheadM];
  }
  return nearest;
}
