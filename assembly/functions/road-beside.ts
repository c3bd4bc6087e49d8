import {
  CT_WIDTH,
  C_STATION,
  L_HALF_WIDTH,
  L_POINT_COUNT,
  L_POINT_FIRST,
  L_ROAD,
  POINT_BYTES,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  T_LANE_COUNT,
  T_POINTS,
} from '../layout';
import { along, laneAhead, laneRecord, laneLength, pointAt, shareAt } from '../lanes';
import { getF, typeOf } from '../memory';

/** Least distance to the edge of the road, m. */
const EDGE_M = 0.1;
/** Greatest distance from a point to the centre line of the lane that contains it, m. */
const BESIDE_M = 0.6;
/** Twice the greatest distance between two points of a centre line, m. */
const NEAR_POINT_M = 2.0;

/**
 * Whether the road is wide enough, `ahead` m further on, to drive `offset` m left of the lane's
 * centre.
 */
export function hasRoadAt(slab: usize, city: usize, car: i32, ahead: f64, offset: f64): bool {
  let position = 0;
  let lane = laneAhead(slab, city, car, 0);
  let station = getF(slab, C_STATION, car) + ahead;
  while (station > laneLength(city, lane)) {
    station -= laneLength(city, lane);
    lane = laneAhead(slab, city, car, ++position);
  }
  const half = load<f64>(laneRecord(city, lane) + L_HALF_WIDTH);
  const edge = abs(offset) + 0.5 * load<f64>(typeOf(slab, car) + CT_WIDTH) + EDGE_M;
  if (edge <= half) return true;
  if (edge > 3.0 * half) return false;
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const left = offset > 0.0 ? 2.0 * half : -2.0 * half;
  const x = along(point, PT_X, share) - left * along(point, PT_TY, share);
  const y = along(point, PT_Y, share) + left * along(point, PT_TX, share);
  return isOnRoad(city, load<i32>(laneRecord(city, lane) + L_ROAD), x, y);
}

/**
 * Whether the centre line of any lane of a road passes a point. Needed once or twice per hour of
 * driving.
 */
function isOnRoad(city: usize, road: i32, x: f64, y: f64): bool {
  if (road < 0) return false;
  const points = city + load<i32>(city + T_POINTS);
  const lanes = load<i32>(city + T_LANE_COUNT);
  for (let lane = 0; lane < lanes; lane++) {
    const record = laneRecord(city, lane);
    if (load<i32>(record + L_ROAD) != road) continue;
    const count = load<i32>(record + L_POINT_COUNT);
    const first = points + <usize>load<i32>(record + L_POINT_FIRST) * POINT_BYTES;
    for (let i = 0; i < count; i++) {
      const point = first + <usize>i * POINT_BYTES;
      const dx = x - load<f32>(point + PT_X);
      const dy = y - load<f32>(point + PT_Y);
      const ahead = dx * load<f32>(point + PT_TX) + dy * load<f32>(point + PT_TY);
      const left = dy * load<f32>(point + PT_TX) - dx * load<f32>(point + PT_TY);
      if (abs(ahead) < NEAR_POINT_M && abs(left) < BESIDE_M) return true;
    }
  }
  return false;
}
