/**
 * The objects that a car's sensors may see, nearest first. Most near objects are behind every field
 * of view, or far away and do not come near.
 */
import {
  CAR_COUNT,
  CONTACT_ANIMAL,
  CONTACT_PERSON,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
  SIGHT,
} from './layout';
import {
  CAMERA_AHEAD,
  CAMERA_LEFT,
  CAMERA_LIVING_M,
  CAMERA_M,
  CORNERS_M,
  OUTWARD_AHEAD,
  OUTWARD_LEFT,
  WIDE_AHEAD,
  WIDE_LEFT,
} from './coverage';
import {
  allNear,
  NEAR_OBJECT,
  NEAR_RADIUS,
  NEAR_SENSORS,
  NEAR_X,
  NEAR_Y,
  nearF,
  nearRecord,
  setNearCount,
} from './near-objects';
import { OB_CLASS, OB_RADIUS, OB_VX, OB_VY, objectRecord } from './objects';
import { BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { CAMERA_BEHIND_M, CORNER_ASIDE_M } from './sensor-mounts';

/**
 * Objects further away than this, now and after so long, are not scanned unless they are straight
 * ahead, m, s, m.
 */
export const ATTENTION_M = 25.0;
const ATTENTION_S = 4.0;
const AHEAD_ASIDE_M = 6.0;

/**
 * Objects further behind the edges of the corner radars' views are in no field of view: radii, m.
 */
const BEHIND_RADII = 1.3;
const BEHIND_M = 1.5;
/** Margin for rounding, m. */
const SPARE_M = 0.05;

/** Sign of a word of NEAR_SENSORS: at least one sensor may see the object. */
const ANY: u64 = 0x8000000000000000;

// Each candidate: f64 distance² from the middle of the bumper, i32 index among the near objects.
const CANDIDATES: usize = SIGHT;
const CANDIDATE_BYTES: usize = 16;

/** Distance² of a candidate, m². */
@inline export function candidateSquared(place: i32): f64 {
  return load<f64>(CANDIDATES + <usize>place * CANDIDATE_BYTES);
}

/** Its index among the near objects. */
@inline export function candidateIndex(place: i32): i32 {
  return load<i32>(CANDIDATES + <usize>place * CANDIDATE_BYTES + 8);
}

/** Sensors that may see a near object, SEEN_. */
@inline export function sensorsFor(index: i32): i32 {
  return load<i32>(NEAR_SENSORS + ((<usize>index) << 3));
}

/**
 * Lists the near objects of a car, `cars` and the `actors` of spots, and the candidates among them;
 * returns their number. (px, py): middle of the bumper.
 */
export function listCandidates(
  car: i32,
  sensors: i32,
  cars: u32,
  actors: u32,
  px: f64,
  py: f64,
): i32 {
  const objects = <u64>cars | ((<u64>actors) << CAR_COUNT);
  setNearCount(<i32>popcnt(objects));
  const own = objectRecord(car);
  const found = ASC_FEATURE_SIMD
    ? gatherInPairs(own, objects, sensors, px, py)
    : gatherOneByOne(own, objects, sensors, px, py);
  let count = 0;
  for (let left = found & allNear(); left != 0; left &= left - 1) {
    const index = <i32>ctz(left);
    const dx = nearF(NEAR_X, index);
    const dy = nearF(NEAR_Y, index);
    const squared = dx * dx + dy * dy;
    if (isTooFar(index, squared)) continue;
    insert(index, squared, count);
    count++;
  }
  return count;
}

/** Fills the columns of the near objects; returns the mask of those that a sensor may see. */
@inline function gatherOneByOne(own: usize, objects: u64, sensors: i32, px: f64, py: f64): u64 {
  const hx = load<f64>(own + BOX_HX);
  const hy = load<f64>(own + BOX_HY);
  let found: u64 = 0;
  let index: usize = 0;
  for (let left = objects; left != 0; left &= left - 1, index++) {
    const record = objectRecord(<i32>ctz(left));
    const dx = load<f64>(record + BOX_X) - px;
    const dy = load<f64>(record + BOX_Y) - py;
    const radius = load<f64>(record + OB_RADIUS);
    store<f64>(NEAR_X + (index << 3), dx);
    store<f64>(NEAR_Y + (index << 3), dy);
    store<f64>(NEAR_RADIUS + (index << 3), radius);
    store<u64>(NEAR_OBJECT + (index << 3), ctz(left));
    const ahead = dx * hx + dy * hy;
    const aside = abs(dy * hx - dx * hy);
    if (ahead * OUTWARD_LEFT + aside * -OUTWARD_AHEAD < -BEHIND_RADII * radius - BEHIND_M) continue;
    const squared = dx * dx + dy * dy;
    if (aside > AHEAD_ASIDE_M && !comesNear(own, record, dx, dy, squared)) continue;
    const inView = sensors & sensorsTowards(ahead, aside, squared, radius);
    store<u64>(NEAR_SENSORS + (index << 3), inView);
    found |= (<u64>(inView != 0)) << index;
  }
  return found;
}

/**
 * Whether an object is near, or will be near soon if both continue, along the line between them.
 */
@inline function comesNear(own: usize, object: usize, dx: f64, dy: f64, squared: f64): bool {
  if (squared < ATTENTION_M * ATTENTION_M) return true;
  const nextX = dx + ATTENTION_S * (load<f64>(object + OB_VX) - load<f64>(own + OB_VX));
  const nextY = dy + ATTENTION_S * (load<f64>(object + OB_VY) - load<f64>(own + OB_VY));
  const along = dx * nextX + dy * nextY;
  return along < 0.0 || along * along < ATTENTION_M * ATTENTION_M * squared;
}

/** Sensors whose field of view a circle may reach. */
@inline function sensorsTowards(ahead: f64, aside: f64, squared: f64, radius: f64): i32 {
  let sensors = 0;
  if (aside * CAMERA_AHEAD - (ahead + CAMERA_BEHIND_M) * CAMERA_LEFT <= radius)
    sensors |= SEEN_CAMERA;
  if (aside * WIDE_AHEAD - ahead * WIDE_LEFT <= radius) sensors |= SEEN_RADAR;
  const corners = CORNERS_M + CORNER_ASIDE_M + radius;
  if (squared > corners * corners) return sensors;
  if (aside * OUTWARD_AHEAD - ahead * OUTWARD_LEFT <= radius + CORNER_ASIDE_M)
    sensors |= SEEN_CORNERS;
  return sensors;
}

/** The same for two objects at once, without branches: which of them pass is unpredictable. */
@inline function gatherInPairs(own: usize, objects: u64, sensors: i32, px: f64, py: f64): u64 {
  const hx = f64x2.splat(load<f64>(own + BOX_HX));
  const hy = f64x2.splat(load<f64>(own + BOX_HY));
  const vx = f64x2.splat(load<f64>(own + OB_VX));
  const vy = f64x2.splat(load<f64>(own + OB_VY));
  const camera = sensorWord(sensors, SEEN_CAMERA);
  const radar = sensorWord(sensors, SEEN_RADAR);
  const corners = sensorWord(sensors, SEEN_CORNERS);
  let found: u64 = 0;
  let index: usize = 0;
  for (let left = objects; left != 0; index += 2) {
    const first = ctz(left);
    left &= left - 1;
    const second = select<u64>(ctz(left), first, left != 0);
    left &= left - 1;
    const a = objectRecord(<i32>first);
    const b = objectRecord(<i32>second);
    const dx = f64x2.sub(both(a, b, BOX_X), f64x2.splat(px));
    const dy = f64x2.sub(both(a, b, BOX_Y), f64x2.splat(py));
    const radius = both(a, b, OB_RADIUS);
    const place = index << 3;
    v128.store(NEAR_X + place, dx);
    v128.store(NEAR_Y + place, dy);
    v128.store(NEAR_RADIUS + place, radius);
    store<u64>(NEAR_OBJECT + place, first);
    store<u64>(NEAR_OBJECT + place + 8, second);
    const ahead = f64x2.add(f64x2.mul(dx, hx), f64x2.mul(dy, hy));
    const aside = f64x2.abs(f64x2.sub(f64x2.mul(dy, hx), f64x2.mul(dx, hy)));
    const squared = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy));
    const wayX = f64x2.sub(both(a, b, OB_VX), vx);
    const wayY = f64x2.sub(both(a, b, OB_VY), vy);
    const concerns = v128.and(
      isNotBehind(ahead, aside, radius),
      v128.or(
        f64x2.le(aside, f64x2.splat(AHEAD_ASIDE_M)),
        bothComeNear(dx, dy, wayX, wayY, squared),
      ),
    );
    const towards = v128.or(
      v128.or(
        v128.and(camera, isTowardsCamera(ahead, aside, radius)),
        v128.and(radar, isTowardsRadar(ahead, aside, radius)),
      ),
      v128.and(corners, isTowardsCorners(ahead, aside, radius, squared)),
    );
    const inView = v128.and(concerns, towards);
    v128.store(NEAR_SENSORS + place, inView);
    found |= (<u64>i64x2.bitmask(inView)) << index;
  }
  return found;
}

/** A word of NEAR_SENSORS for each of two objects, if the car has the sensor. */
@inline function sensorWord(sensors: i32, sensor: i32): v128 {
  return i64x2.splat(sensors & sensor ? <u64>sensor | ANY : 0);
}

/** A field of two records. */
@inline function both(a: usize, b: usize, field: usize): v128 {
  return v128.load_lane<u64>(b + field, v128.load_zero<u64>(a + field), 1);
}

@inline function isNotBehind(ahead: v128, aside: v128, radius: v128): v128 {
  return f64x2.ge(
    f64x2.add(
      f64x2.mul(ahead, f64x2.splat(OUTWARD_LEFT)),
      f64x2.mul(aside, f64x2.splat(-OUTWARD_AHEAD)),
    ),
    f64x2.sub(f64x2.mul(f64x2.splat(-BEHIND_RADII), radius), f64x2.splat(BEHIND_M)),
  );
}

@inline function bothComeNear(dx: v128, dy: v128, wayX: v128, wayY: v128, squared: v128): v128 {
  const near = f64x2.splat(ATTENTION_M * ATTENTION_M);
  const nextX = f64x2.add(dx, f64x2.mul(f64x2.splat(ATTENTION_S), wayX));
  const nextY = f64x2.add(dy, f64x2.mul(f64x2.splat(ATTENTION_S), wayY));
  const along = f64x2.add(f64x2.mul(dx, nextX), f64x2.mul(dy, nextY));
  return v128.or(
    v128.or(f64x2.lt(squared, near), f64x2.lt(along, f64x2.splat(0.0))),
    f64x2.lt(f64x2.mul(along, along), f64x2.mul(near, squared)),
  );
}

@inline function isTowardsCamera(ahead: v128, aside: v128, radius: v128): v128 {
  return f64x2.le(
    f64x2.sub(
      f64x2.mul(aside, f64x2.splat(CAMERA_AHEAD)),
      f64x2.mul(f64x2.add(ahead, f64x2.splat(CAMERA_BEHIND_M)), f64x2.splat(CAMERA_LEFT)),
    ),
    radius,
  );
}

@inline function isTowardsRadar(ahead: v128, aside: v128, radius: v128): v128 {
  return f64x2.le(
    f64x2.sub(f64x2.mul(aside, f64x2.splat(WIDE_AHEAD)), f64x2.mul(ahead, f64x2.splat(WIDE_LEFT))),
    radius,
  );
}

@inline function isTowardsCorners(ahead: v128, aside: v128, radius: v128, squared: v128): v128 {
  const range = f64x2.add(f64x2.splat(CORNERS_M + CORNER_ASIDE_M), radius);
  return v128.and(
    f64x2.le(squared, f64x2.mul(range, range)),
    f64x2.le(
      f64x2.sub(
        f64x2.mul(aside, f64x2.splat(OUTWARD_AHEAD)),
        f64x2.mul(ahead, f64x2.splat(OUTWARD_LEFT)),
      ),
      f64x2.add(radius, f64x2.splat(CORNER_ASIDE_M)),
    ),
  );
}

/**
 * Whether an object is out of range of all sensors. The list of near actors goes by the range of cars.
 */
@inline function isTooFar(index: i32, squared: f64): bool {
  const kind = load<i32>(nearRecord(index) + OB_CLASS);
  const isLiving = kind == CONTACT_PERSON || kind == CONTACT_ANIMAL;
  const range = isLiving ? CAMERA_LIVING_M : CAMERA_M;
  const reach = range + CAMERA_BEHIND_M + SPARE_M + nearF(NEAR_RADIUS, index);
  return squared > reach * reach;
}

function insert(index: i32, squared: f64, count: i32): void {
  let place = CANDIDATES + <usize>count * CANDIDATE_BYTES;
  while (place > CANDIDATES && load<f64>(place - CANDIDATE_BYTES) > squared) {
    store<f64>(place, load<f64>(place - CANDIDATE_BYTES));
    store<u64>(place + 8, load<u64>(place - CANDIDATE_BYTES + 8));
    place -= CANDIDATE_BYTES;
  }
  store<f64>(place, squared);
  store<u64>(place + 8, <u64>index);
}
