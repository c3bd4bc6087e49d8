import {
  C_ROUTE_INDEX,
  DIRECTORY,
  H_CITY,
  LANE_BYTES,
  L_JUNCTION,
  L_LENGTH,
  L_POINTS_PER_M,
  L_POINT_COUNT,
  L_POINT_FIRST,
  POINT_BYTES,
  RL_EXIT_SPEED,
  RL_LANE,
  ROUTE_LANE_BYTES,
  T_HEADER_BYTES,
  T_POINTS,
  T_ROUTES,
  T_ROUTE_LANES,
} from './layout';
import { getI } from './memory';

/** Address of the table of a slab's city. */
@inline export function cityOf(slab: usize): usize {
  return <usize>load<u32>(<usize>DIRECTORY + ((<usize>load<u32>(slab + H_CITY)) << 2));
}

/** Address of a lane's record. */
@inline export function laneRecord(city: usize, lane: i32): usize {
  return city + T_HEADER_BYTES + <usize>lane * LANE_BYTES;
}

@inline export function laneLength(city: usize, lane: i32): f64 {
  return load<f64>(laneRecord(city, lane) + L_LENGTH);
}

/** Whether the lane leads through a junction. */
@inline export function isConnector(city: usize, lane: i32): bool {
  return load<i32>(laneRecord(city, lane) + L_JUNCTION) >= 0;
}

/** Number of lanes of a car's route. */
export function routeCount(city: usize, car: i32): i32 {
  return load<i32>(city + load<i32>(city + T_ROUTES) + ((<usize>car) << 3) + 4);
}

/**
 * Entry of a position of a car's route. A position wraps around once: a division would cost too
 * much.
 */
function routeEntry(city: usize, car: i32, position: i32): usize {
  const entry = city + load<i32>(city + T_ROUTES) + ((<usize>car) << 3);
  const count = load<i32>(entry + 4);
  let index = position;
  if (index < 0) index += count;
  if (index >= count) index -= count;
  return (
    city + load<i32>(city + T_ROUTE_LANES) + <usize>(load<i32>(entry) + index) * ROUTE_LANE_BYTES
  );
}

/** Lane at a position of a car's route. */
@inline export function routeLane(city: usize, car: i32, position: i32): i32 {
  return load<i32>(routeEntry(city, car, position) + RL_LANE);
}

/** Speed that the rest of the route allows at the end of the lane `ahead` places further, m/s. */
@inline export function exitSpeed(slab: usize, city: usize, car: i32, ahead: i32): f64 {
  return load<f32>(routeEntry(city, car, getI(slab, C_ROUTE_INDEX, car) + ahead) + RL_EXIT_SPEED);
}

/** The lane `ahead` places further on a car's route. */
@inline export function laneAhead(slab: usize, city: usize, car: i32, ahead: i32): i32 {
  return routeLane(city, car, getI(slab, C_ROUTE_INDEX, car) + ahead);
}

// A place on a lane's centre line is interpolated between two neighbouring points. Each field has a
// function of its own: WebAssembly returns one value, and the compiler shares the address.

@inline export function pointAt(city: usize, lane: i32, station: f64): usize {
  const record = laneRecord(city, lane);
  const last = load<i32>(record + L_POINT_COUNT) - 2;
  let index = <i32>(station * load<f64>(record + L_POINTS_PER_M));
  if (index < 0) index = 0;
  if (index > last) index = last;
  return (
    city +
    load<i32>(city + T_POINTS) +
    <usize>(load<i32>(record + L_POINT_FIRST) + index) * POINT_BYTES
  );
}

/** Share of the way from the point of `pointAt` to the next one, 0 to 1. */
@inline export function shareAt(city: usize, lane: i32, station: f64): f64 {
  const record = laneRecord(city, lane);
  const place = station * load<f64>(record + L_POINTS_PER_M);
  const last = load<i32>(record + L_POINT_COUNT) - 2;
  let index = <i32>place;
  if (index < 0) index = 0;
  if (index > last) index = last;
  const share = place - <f64>index;
  return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

/** Interpolated field of a point, PT_. */
@inline export function along(point: usize, field: usize, share: f64): f64 {
  const here = <f64>load<f32>(point + field);
  return here + (<f64>load<f32>(point + POINT_BYTES + field) - here) * share;
}
