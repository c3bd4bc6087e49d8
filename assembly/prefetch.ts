import {
  CAR_COUNT,
  C_LANE,
  C_STATION,
  C_TOW,
  L_POINTS_PER_M,
  L_POINT_FIRST,
  POINT_BYTES,
  PREFETCHED,
  T_POINTS,
} from './layout';
import { laneRecord } from './lanes';
import { getF, getI } from './memory';
const CACHE_LINE_BYTES = 64;

/**
 * Reads one byte of every cache line of what a world's cars need in most ticks, and of the lane points
 * around them. The processor then loads these lines in parallel; a world that has left the caches would
 * otherwise wait for one line after another.
 */
export function prefetch(slab: usize, city: usize): void {
  let sum = touched(slab, slab + C_TOW);
  const points = city + load<i32>(city + T_POINTS);
  for (let car = 0; car < CAR_COUNT; car++) {
    const lane = laneRecord(city, getI(slab, C_LANE, car));
    const ahead = <i32>(getF(slab, C_STATION, car) * load<f64>(lane + L_POINTS_PER_M));
    const point = points + <usize>(load<i32>(lane + L_POINT_FIRST) + ahead) * POINT_BYTES;
    sum += load<u8>(point) + load<u8>(point + 2 * POINT_BYTES);
  }
  store<u32>(PREFETCHED, sum);
}

@inline function touched(from: usize, to: usize): u32 {
  let sum: u32 = 0;
  for (let line = from; line < to; line += CACHE_LINE_BYTES) sum += load<u8>(line);
  return sum;
}
