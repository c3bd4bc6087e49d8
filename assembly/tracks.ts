/**
 * What each sensor of each car knows of each object, one byte each: the number of scans that saw it
 * (3 bits, at most 7), whether it was ever seen to move (1 bit), and the number of scans since it
 * was last seen (3 bits). 0: unknown.
 */
import {
  CONFIRM_SCANS,
  CONFIRM_STANDING_SCANS,
  OBJECT_MAX,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
  SENSOR_COUNT,
  TRACKS,
  TRACKS_BYTES,
  TRACK_MISSED_SHIFT,
  TRACK_MOVED,
  TRACK_SCANS,
} from './layout';

export const CAMERA = 0;
export const RADAR = 1;
export const CORNERS = 2;

/** In each byte of a word: 1, the sign bit, all other bits. */
const ONES: u64 = 0x0101010101010101;
const HIGHS: u64 = 0x8080808080808080;
const LOWS: u64 = 0x7f7f7f7f7f7f7f7f;

/**
 * Ages all tracks by one scan. Tracks that were missed in more than four scans are forgotten. Eight
 * bytes at a time; most are zero.
 */
export function ageTracks(slab: usize): void {
  const end = slab + TRACKS + TRACKS_BYTES;
  for (let address = slab + TRACKS; address < end; address += 16) {
    const first = load<u64>(address);
    const second = load<u64>(address + 8);
    if ((first | second) == 0) continue;
    if (first != 0) age(address, first);
    if (second != 0) age(address + 8, second);
  }
}

@inline function age(address: usize, word: u64): void {
  const known = ((((word & LOWS) + LOWS) | word) & HIGHS) >> 7;
  const older = word + (known << TRACK_MISSED_SHIFT);
  // The present scan is counted before it sees anything: four misses are 5, and 6 is the first
  // value with these two bits.
  const forgotten = (older >> 6) & (older >> 5) & ONES;
  store<u64>(address, older & ~(forgotten * 255));
}

/**
 * Sensors that saw an object in the previous scan, SEEN_. To be called before this scan sees it.
 */
export function lastSeen(slab: usize, car: i32, object: i32): i32 {
  const address = slab + TRACKS + <usize>(car * SENSOR_COUNT * OBJECT_MAX + object);
  let seen = 0;
  if (isFresh(load<u8>(address + CAMERA * OBJECT_MAX))) seen |= SEEN_CAMERA;
  if (isFresh(load<u8>(address + RADAR * OBJECT_MAX))) seen |= SEEN_RADAR;
  if (isFresh(load<u8>(address + CORNERS * OBJECT_MAX))) seen |= SEEN_CORNERS;
  return seen;
}

/** Whether a track was seen in the previous scan: it has been aged once since. */
@inline function isFresh(track: u32): bool {
  return track >> TRACK_MISSED_SHIFT == 1;
}

/** Notes that a sensor sees an object; returns whether the sensor has confirmed it. */
export function see(slab: usize, car: i32, sensor: i32, object: i32, moves: bool): bool {
  const address = slab + TRACKS + <usize>((car * SENSOR_COUNT + sensor) * OBJECT_MAX + object);
  const known = <i32>load<u8>(address);
  const count = known & TRACK_SCANS;
  const scans = count == TRACK_SCANS ? count : count + 1;
  const moved = (known & TRACK_MOVED) | (moves ? TRACK_MOVED : 0);
  store<u8>(address, <u8>(scans | moved));
  return scans >= (sensor == RADAR && moved == 0 ? CONFIRM_STANDING_SCANS : CONFIRM_SCANS);
}
