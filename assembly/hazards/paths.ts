import {
  A_HX,
  A_HY,
  A_PIECE,
  A_STATION,
  A_X,
  A_Y,
  HAZARD_WET_CREST,
  HS_ACTOR_LENGTH,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  HS_KIND,
  HS_PATH_COUNT,
  HS_PATH_FIRST,
  HS_START_HX,
  HS_START_HY,
  HS_START_X,
  HS_START_Y,
  PATH_POINT_BYTES,
  PP_STATION,
  PP_X,
  PP_Y,
  T_PATHS,
} from '../layout';
import { BODY_COG_X, BODY_COG_Y } from '../body';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from '../overlap';
import { isSeen } from '../view';

/** Least cosine between the heading of an object and a path in the same direction. */
const SAME_WAY = 0.9;

/** Index of the piece of an actor's path that contains a station; the search begins at `piece`. */
export function pieceAt(city: usize, site: usize, station: f64, piece: i32): i32 {
  const points = pointsOf(city, site);
  const last = load<i32>(site + HS_PATH_COUNT) - 2;
  let index = piece;
  while (
    index < last &&
    load<f64>(points + <usize>(index + 1) * PATH_POINT_BYTES + PP_STATION) <= station
  )
    index++;
  return index;
}

@inline function pointsOf(city: usize, site: usize): usize {
  return (
    city + load<i32>(city + T_PATHS) + <usize>load<i32>(site + HS_PATH_FIRST) * PATH_POINT_BYTES
  );
}

/** Leaves place and heading at a station of a piece, as a box without size. */
export function placeAt(city: usize, site: usize, piece: i32, station: f64, box: usize): void {
  const from = pointsOf(city, site) + <usize>piece * PATH_POINT_BYTES;
  const to = from + PATH_POINT_BYTES;
  const start = load<f64>(from + PP_STATION);
  const perLength = 1.0 / (load<f64>(to + PP_STATION) - start);
  const hx = (load<f64>(to + PP_X) - load<f64>(from + PP_X)) * perLength;
  const hy = (load<f64>(to + PP_Y) - load<f64>(from + PP_Y)) * perLength;
  store<f64>(box + BOX_X, load<f64>(from + PP_X) + hx * (station - start));
  store<f64>(box + BOX_Y, load<f64>(from + PP_Y) + hy * (station - start));
  store<f64>(box + BOX_HX, hx);
  store<f64>(box + BOX_HY, hy);
}

/**
 * Station of an actor's path beside an object at most `aside` m away with the same heading; −1
 * none.
 */
export function stationBeside(
  city: usize,
  site: usize,
  x: f64,
  y: f64,
  hx: f64,
  hy: f64,
  aside: f64,
): f64 {
  let point = pointsOf(city, site);
  const end = point + <usize>(load<i32>(site + HS_PATH_COUNT) - 1) * PATH_POINT_BYTES;
  for (; point < end; point += PATH_POINT_BYTES) {
    const start = load<f64>(point + PP_STATION);
    const length = load<f64>(point + PATH_POINT_BYTES + PP_STATION) - start;
    const wx = load<f64>(point + PATH_POINT_BYTES + PP_X) - load<f64>(point + PP_X);
    const wy = load<f64>(point + PATH_POINT_BYTES + PP_Y) - load<f64>(point + PP_Y);
    const dx = x - load<f64>(point + PP_X);
    const dy = y - load<f64>(point + PP_Y);
    const along = dx * wx + dy * wy;
    if (along < 0.0 || along > length * length) continue;
    if (abs(dy * wx - dx * wy) > aside * length || hx * wx + hy * wy < SAME_WAY * length) continue;
    return start + along / length;
  }
  return -1.0;
}

/** Places an actor at its station; false beyond the end of its path. */
export function putOnPath(city: usize, site: usize, actor: usize): bool {
  const station = load<f64>(actor + A_STATION);
  if (station >= load<f64>(site + HS_ACTOR_LENGTH)) return false;
  const piece = pieceAt(city, site, station, load<i32>(actor + A_PIECE));
  store<i32>(actor + A_PIECE, piece);
  // An actor begins with the fields of a box.
  placeAt(city, site, piece, station, actor + A_X);
  return true;
}

/** Leaves the place at which an actor ends: beside the road where it rolled out, else the end of its path. */
export function placeAtEnd(city: usize, site: usize, box: usize): void {
  if (load<i32>(site + HS_KIND) == HAZARD_WET_CREST) placeAt(city, site, 0, 0.0, box);
  else
    placeAt(
      city,
      site,
      load<i32>(site + HS_PATH_COUNT) - 2,
      load<f64>(site + HS_ACTOR_LENGTH),
      box,
    );
}

export function putAtEnd(city: usize, site: usize, actor: usize): void {
  const isStart = load<i32>(site + HS_KIND) == HAZARD_WET_CREST;
  store<f64>(actor + A_STATION, isStart ? 0.0 : load<f64>(site + HS_ACTOR_LENGTH));
  placeAtEnd(city, site, actor + A_X);
}

/** Places an actor where it stands or waits. */
export function putAtStart(site: usize, actor: usize): void {
  store<f64>(actor + A_STATION, 0.0);
  store<i32>(actor + A_PIECE, 0);
  store<f64>(actor + A_X, load<f64>(site + HS_START_X));
  store<f64>(actor + A_Y, load<f64>(site + HS_START_Y));
  store<f64>(actor + A_HX, load<f64>(site + HS_START_HX));
  store<f64>(actor + A_HY, load<f64>(site + HS_START_HY));
}

/** Whether a car sees an actor, which then must neither appear nor vanish. */
export function isActorSeen(slab: usize, city: usize, site: usize, actor: usize): bool {
  return isSeen(
    slab,
    city,
    load<f64>(actor + A_X),
    load<f64>(actor + A_Y),
    load<f64>(actor + A_HX),
    load<f64>(actor + A_HY),
    0.5 * load<f64>(site + HS_BODY_LENGTH),
    -1,
  );
}

/** Body of an actor `back` s before, extrapolated from its present motion. */
export function actorBody(site: usize, actor: usize, speed: f64, back: f64, body: usize): void {
  const hx = load<f64>(actor + A_HX);
  const hy = load<f64>(actor + A_HY);
  const x = load<f64>(actor + A_X) - back * speed * hx;
  const y = load<f64>(actor + A_Y) - back * speed * hy;
  store<f64>(body + BOX_X, x);
  store<f64>(body + BOX_Y, y);
  store<f64>(body + BOX_HX, hx);
  store<f64>(body + BOX_HY, hy);
  store<f64>(body + BOX_HALF_LENGTH, 0.5 * load<f64>(site + HS_BODY_LENGTH));
  store<f64>(body + BOX_HALF_WIDTH, 0.5 * load<f64>(site + HS_BODY_WIDTH));
  store<f64>(body + BODY_COG_X, x);
  store<f64>(body + BODY_COG_Y, y);
}
