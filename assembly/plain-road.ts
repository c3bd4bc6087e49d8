/** Road on which a car may appear: straight and dry, under it and on its next seconds in the lane. */
import { L_ZONES, PT_CURVATURE, PT_X, PT_Y } from './layout';
import { along, laneLength, laneRecord, pointAt, shareAt } from './lanes';
import { least } from './math';
import { isSlippery } from './road-grip';

/** A car appears with the lateral motion and the grip of such a road: it needs this long of it, s. */
const PLAIN_S = 2.0;
/** The body reaches less than this far from the centre of gravity, m. */
const BODY_M = 3.0;
const STEP_M = 1.0;
/** Curvature up to which a road counts as straight, 1/m: 0.3 m/s² at 60 km/h. */
const STRAIGHT = 0.001;

/** Whether a lane is plain road at a station and from there as far as a car drives in 2 s at `speed` m/s in it. */
export function isPlainRoad(city: usize, lane: i32, station: f64, speed: f64): bool {
  const record = laneRecord(city, lane);
  const zones = load<u32>(record + L_ZONES);
  const reach = BODY_M + PLAIN_S * speed;
  const end = least(station + reach, laneLength(city, lane));
  for (let at = station - BODY_M; at < end; at += STEP_M) {
    const point = pointAt(city, lane, at);
    const share = shareAt(city, lane, at);
    if (abs(along(point, PT_CURVATURE, share)) > STRAIGHT) return false;
    if (zones != 0 && isSlippery(city, zones, along(point, PT_X, share), along(point, PT_Y, share)))
      return false;
  }
  return true;
}
