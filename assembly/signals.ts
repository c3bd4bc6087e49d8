import {
  H_TICK,
  JUNCTION_BYTES,
  J_CYCLE,
  LIGHT_AMBER,
  LIGHT_BYTES,
  LIGHT_GREEN,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  LT_AMBER,
  LT_GREEN,
  LT_GREEN_FROM,
  LT_JUNCTION,
  LT_RED_AMBER,
  SIGNALS,
  T_JUNCTIONS,
  T_LIGHTS,
} from './layout';
import { getI } from './memory';

/**
 * Present state of a light. Fixed-time control: a function of the tick and of the offset of its
 * junction, which each world draws from its seed.
 */
export function lightState(slab: usize, city: usize, light: i32): i32 {
  const record = lightRecord(city, light);
  const cycle = cycleOf(city, record);
  const since = ticksSinceGreen(slab, record, cycle);
  const green = load<i32>(record + LT_GREEN);
  if (since < green) return LIGHT_GREEN;
  if (since < green + load<i32>(record + LT_AMBER)) return LIGHT_AMBER;
  if (since >= cycle - load<i32>(record + LT_RED_AMBER)) return LIGHT_RED_AMBER;
  return LIGHT_RED;
}

/**
 * For how many ticks a light will have been red `ticks` from now, −1 if it will not be. Red-amber
 * counts as red.
 */
export function redAge(slab: usize, city: usize, light: i32, ticks: i32): i32 {
  const record = lightRecord(city, light);
  const since =
    (ticksSinceGreen(slab, record, cycleOf(city, record)) + ticks) % cycleOf(city, record);
  const red = since - load<i32>(record + LT_GREEN) - load<i32>(record + LT_AMBER);
  return red < 0 ? -1 : red;
}

/** Whether a light will be green `ticks` from now. */
export function isGreenIn(slab: usize, city: usize, light: i32, ticks: i32): bool {
  const record = lightRecord(city, light);
  return (
    (ticksSinceGreen(slab, record, cycleOf(city, record)) + ticks) % cycleOf(city, record) <
    load<i32>(record + LT_GREEN)
  );
}

/** Ticks since the last green phase began. */
export function greenAge(slab: usize, city: usize, light: i32): i32 {
  const record = lightRecord(city, light);
  return ticksSinceGreen(slab, record, cycleOf(city, record));
}

/** Ticks until a light that shows green or amber turns red. */
export function ticksToRed(slab: usize, city: usize, light: i32): i32 {
  const record = lightRecord(city, light);
  return (
    load<i32>(record + LT_GREEN) +
    load<i32>(record + LT_AMBER) -
    ticksSinceGreen(slab, record, cycleOf(city, record))
  );
}

/** Duration of amber, ticks. */
export function amberTicks(city: usize, light: i32): i32 {
  return load<i32>(lightRecord(city, light) + LT_AMBER);
}

@inline function lightRecord(city: usize, light: i32): usize {
  return city + load<i32>(city + T_LIGHTS) + <usize>light * LIGHT_BYTES;
}

@inline function cycleOf(city: usize, record: usize): i32 {
  return load<i32>(
    city +
      load<i32>(city + T_JUNCTIONS) +
      <usize>load<i32>(record + LT_JUNCTION) * JUNCTION_BYTES +
      J_CYCLE,
  );
}

@inline function ticksSinceGreen(slab: usize, record: usize, cycle: i32): i32 {
  const offset = <u32>getI(slab, SIGNALS, load<i32>(record + LT_JUNCTION));
  const since =
    <i32>((load<u32>(slab + H_TICK) + offset) % <u32>cycle) - load<i32>(record + LT_GREEN_FROM);
  return since < 0 ? since + cycle : since;
}
