/** Which sensors of a car cover an object: range, field of view and free rays. */
import {
  CONTACT_ANIMAL,
  CONTACT_PERSON,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
  ZONE_DUSK,
  ZONE_FOG,
} from './layout';
import { least } from './math';
import { OB_CLASS, OB_CREST, OB_RADIUS, OB_SIGHT, OB_VX, OB_VY, OB_ZONES } from './objects';
import { BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { CAMERA_BEHIND_M, CORNER_ASIDE_M } from './sensor-mounts';
import { aim, cameraSees, FROM_X, FROM_Y, isInSector, radarSees } from './sight';

// Ranges by class of object, m.
export const CAMERA_M = 120.0;
const CAMERA_DUSK_M = 80.0;
export const CAMERA_LIVING_M = 60.0;
const CAMERA_LIVING_DUSK_M = 35.0;
const RADAR_M = 100.0;
const RADAR_WIDE_M = 70.0;
const RADAR_PERSON_M = 40.0;
export const CORNERS_M = 80.0;
const CORNERS_PERSON_M = 25.0;
/**
 * Range in fog with a visibility of V = 30 m: contrast ½ falls to 0.1, which a camera just
 * resolves, at V ln 5 ÷ 3 (Koschmieder).
 */
const CAMERA_FOG_M = 16.094;
/** A radar detects a person only if its radial speed is above this, m/s. */
const RADIAL_MPS = 0.5;

// Left edges of the fields of view as unit vectors (ahead, left).
/** Camera: ±50°. */
export const CAMERA_AHEAD = 0.6427876;
export const CAMERA_LEFT = 0.7660444;
/** Front radar: ±45° at short range, ±10° at long range. */
export const WIDE_AHEAD = 0.7071068;
export const WIDE_LEFT = 0.7071068;
const RADAR_AHEAD = 0.9848078;
const RADAR_LEFT = 0.1736482;
/** Left corner radar: from −25° to 115°. */
const INWARD_AHEAD = 0.9063078;
const INWARD_LEFT = 0.4226183;
export const OUTWARD_AHEAD = -0.4226183;
export const OUTWARD_LEFT = 0.9063078;
/** Sector that the two corner radars cover together wherever the object is: ±60°. */
const FRONT_AHEAD = 0.5;
const FRONT_LEFT = 0.8660254;

/**
 * Sensors, of those given, that see an object. `isOpen`: nothing occludes it. (px, py): middle of
 * the bumper.
 */
export function seenBy(
  own: usize,
  object: usize,
  px: f64,
  py: f64,
  sensors: i32,
  isOpen: bool,
): i32 {
  const hx = load<f64>(own + BOX_HX);
  const hy = load<f64>(own + BOX_HY);
  let seen = 0;
  if (sensors & SEEN_CAMERA) {
    const cx = px - CAMERA_BEHIND_M * hx;
    const cy = py - CAMERA_BEHIND_M * hy;
    const range = cameraRange(own, object);
    if (isOpen && isWellInside(object, cx, cy, hx, hy, range, CAMERA_AHEAD, CAMERA_LEFT))
      seen |= SEEN_CAMERA;
    else if (aim(object, cx, cy, hx, hy) && cameraCovers(range) && (isOpen || cameraSees()))
      seen |= SEEN_CAMERA;
  }
  // Radars do not detect animals.
  const kind = load<i32>(object + OB_CLASS);
  if (kind == CONTACT_ANIMAL) return seen;
  if (sensors & SEEN_RADAR) {
    const isPlain = isOpen && kind != CONTACT_PERSON;
    if (
      isPlain &&
      isWellInside(object, px, py, hx, hy, radarRange(object, RADAR_WIDE_M), WIDE_AHEAD, WIDE_LEFT)
    )
      seen |= SEEN_RADAR;
    else if (aim(object, px, py, hx, hy) && frontRadarCovers(object) && (isOpen || radarSees()))
      seen |= SEEN_RADAR;
  }
  if (sensors & SEEN_CORNERS && cornersSee(object, px, py, hx, hy, isOpen)) seen |= SEEN_CORNERS;
  return seen;
}

/** Whether a whole object, in any orientation, lies within range and field of view of a sensor. */
@inline function isWellInside(
  object: usize,
  px: f64,
  py: f64,
  hx: f64,
  hy: f64,
  range: f64,
  edgeAhead: f64,
  edgeLeft: f64,
): bool {
  const dx = load<f64>(object + BOX_X) - px;
  const dy = load<f64>(object + BOX_Y) - py;
  const aside = abs(dy * hx - dx * hy);
  if (aside * edgeAhead - (dx * hx + dy * hy) * edgeLeft > -load<f64>(object + OB_RADIUS))
    return false;
  return dx * dx + dy * dy < range * range;
}

@inline function cameraCovers(range: f64): bool {
  return isInSector(range, CAMERA_AHEAD, -CAMERA_LEFT, CAMERA_AHEAD, CAMERA_LEFT);
}

/** Range of a car's camera for an object, m. */
function cameraRange(own: usize, object: usize): f64 {
  const kind = load<i32>(object + OB_CLASS);
  const zones = load<i32>(own + OB_ZONES) | load<i32>(object + OB_ZONES);
  const isDark = (zones & (1 << ZONE_DUSK)) != 0;
  const isLiving = kind == CONTACT_PERSON || kind == CONTACT_ANIMAL;
  let range = isDark ? CAMERA_DUSK_M : CAMERA_M;
  if (isLiving) range = isDark ? CAMERA_LIVING_DUSK_M : CAMERA_LIVING_M;
  if (zones & (1 << ZONE_FOG)) range = least(range, CAMERA_FOG_M);
  const sight = <f64>load<f32>(object + OB_SIGHT);
  if (sight > 0.0) range = least(range, sight);
  return radarRange(object, range);
}

/** A crest limits the range of every sensor. */
@inline function radarRange(object: usize, range: f64): f64 {
  const crest = <f64>load<f32>(object + OB_CREST);
  return crest > 0.0 ? least(range, crest) : range;
}

function frontRadarCovers(object: usize): bool {
  const isPerson = load<i32>(object + OB_CLASS) == CONTACT_PERSON;
  if (isPerson && !isRadial(object)) return false;
  const wide = radarRange(object, isPerson ? RADAR_PERSON_M : RADAR_WIDE_M);
  if (isInSector(wide, WIDE_AHEAD, -WIDE_LEFT, WIDE_AHEAD, WIDE_LEFT)) return true;
  return (
    !isPerson &&
    isInSector(radarRange(object, RADAR_M), RADAR_AHEAD, -RADAR_LEFT, RADAR_AHEAD, RADAR_LEFT)
  );
}

function cornersSee(object: usize, px: f64, py: f64, hx: f64, hy: f64, isOpen: bool): bool {
  const isPerson = load<i32>(object + OB_CLASS) == CONTACT_PERSON;
  const range = radarRange(object, isPerson ? CORNERS_PERSON_M : CORNERS_M);
  const ax = -CORNER_ASIDE_M * hy;
  const ay = CORNER_ASIDE_M * hx;
  // One of the two covers any place in the front sector out to 65°.
  const plain = range - CORNER_ASIDE_M;
  if (isOpen && !isPerson && isWellInside(object, px, py, hx, hy, plain, FRONT_AHEAD, FRONT_LEFT))
    return true;
  const dx = load<f64>(object + BOX_X) - px;
  const dy = load<f64>(object + BOX_Y) - py;
  // The radar on the side of the object is more likely to see it.
  const side = dy * hx - dx * hy < 0.0 ? -1.0 : 1.0;
  return (
    cornerSees(object, px + side * ax, py + side * ay, hx, hy, range, side, isOpen) ||
    cornerSees(object, px - side * ax, py - side * ay, hx, hy, range, -side, isOpen)
  );
}

/** `side`: 1 the left radar, −1 the right one. */
function cornerSees(
  object: usize,
  px: f64,
  py: f64,
  hx: f64,
  hy: f64,
  range: f64,
  side: f64,
  isOpen: bool,
): bool {
  aim(object, px, py, hx, hy);
  if (load<i32>(object + OB_CLASS) == CONTACT_PERSON && !isRadial(object)) return false;
  const isCovered =
    side > 0.0
      ? isInSector(range, INWARD_AHEAD, -INWARD_LEFT, OUTWARD_AHEAD, OUTWARD_LEFT)
      : isInSector(range, OUTWARD_AHEAD, -OUTWARD_LEFT, INWARD_AHEAD, INWARD_LEFT);
  return isCovered && (isOpen || radarSees());
}

/** Whether an object moves radially fast enough for the radar that is aimed at it. */
function isRadial(object: usize): bool {
  const dx = load<f64>(object + BOX_X) - load<f64>(FROM_X);
  const dy = load<f64>(object + BOX_Y) - load<f64>(FROM_Y);
  const along = load<f64>(object + OB_VX) * dx + load<f64>(object + OB_VY) * dy;
  return along * along > RADIAL_MPS * RADIAL_MPS * (dx * dx + dy * dy);
}
