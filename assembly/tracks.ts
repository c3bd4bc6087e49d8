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

/** A line of memory. Whole lines are aged or left: those that know nothing stay unwritten. */
const LINE_BYTES: usize = 64;
/** In each byte of a word: 1, the sign bit, all other bits. */
const ONES: u64 = 0x0101010101010101;
const HIGHS: u64 = 0x8080808080808080;
const LOWS: u64 = 0x7f7f7f7f7f7f7f7f;
const MISSED_ONCE = 1 << TRACK_MISSED_SHIFT;
/**
 * Missed scans at which a track is forgotten, as bits of it: four and two. The present scan is
 * counted before it sees anything: four misses are 5, and 6 is the first value with these two bits.
 */
const FORGOTTEN = 6 << TRACK_MISSED_SHIFT;

/** Ages all tracks by one scan. Tracks that were missed in more than four scans are forgotten. */
export function ageTracks(slab: usize): void {
  const end = slab + TRACKS + TRACKS_BYTES;
  for (let line = slab + TRACKS; line < end; line += LINE_BYTES) {
    if (ASC_FEATURE_SIMD) ageLine(line);
    else for (let word = line; word < line + LINE_BYTES; word += 8) age(word);
  }
}

/** Which tracks of a line are known is unpredictable, so there is no branch within it. */
@inline function ageLine(line: usize): void {
  const a = v128.load(line);
  const b = v128.load(line, 16);
  const c = v128.load(line, 32);
  const d = v128.load(line, 48);
  if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) return;
  v128.store(line, older(a));
  v128.store(line, older(b), 16);
  v128.store(line, older(c), 32);
  v128.store(line, older(d), 48);
}

@inline function older(tracks: v128): v128 {
  const unknown = i8x16.eq(tracks, i8x16.splat(0));
  const aged = i8x16.add(tracks, v128.andnot(i8x16.splat(<u8>MISSED_ONCE), unknown));
  const forgotten = i8x16.splat(<u8>FORGOTTEN);
  return v128.andnot(aged, i8x16.eq(v128.and(aged, forgotten), forgotten));
}

/** The same for eight tracks, without vectors. */
@inline function age(address: usize): void {
  const word = load<u64>(address);
  if (word == 0) return;
  const known = ((((word & LOWS) + LOWS) | word) & HIGHS) >> 7;
  const aged = word + (known << TRACK_MISSED_SHIFT);
  const forgotten = (aged >> 6) & (aged >> 5) & ONES;
  store<u64>(address, aged & ~(forgotten * 255));
}

/**
 * Sensors that saw an object in the previous scan, SEEN_. To be called before this scan sees it.
 */
export function lastSeen(slab: usize, car: i32, object: i32): i32 {
  const address = slab + TRACKS + <usize>(car * SENSOR_COUNT * OBJECT_MAX + object);
  return (
    (<i32>isFresh(load<u8>(address + CAMERA * OBJECT_MAX)) * SEEN_CAMERA) |
    (<i32>isFresh(load<u8>(address + RADAR * OBJECT_MAX)) * SEEN_RADAR) |
    (<i32>isFresh(load<u8>(address + CORNERS * OBJECT_MAX)) * SEEN_CORNERS)
  );
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
