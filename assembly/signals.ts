import {
  H_TICK, J_CYCLE, JUNCTION_BYTES, LIGHT_AMBER, LIGHT_BYTES, LIGHT_GREEN, LIGHT_RED, LIGHT_RED_AMBER, LT_AMBER, LT_GREEN,
  LT_GREEN_FROM, LT_JUNCTION, LT_RED_AMBER, SIGNALS, T_JUNCTIONS, T_LIGHTS,
} from './layout';
import { getI } from './memory';

/**
 * State of a light now. Fixed-time control: a pure function of the tick and of its junction's
 * offset, which each world draws from its seed.
 */
export function lightState(slab: usize, city: usize, light: i32): i32 {
  const at = city + load<i32>(city + T_LIGHTS) + <usize>light * LIGHT_BYTES;
  const junction = load<i32>(at + LT_JUNCTION);
  const cycle = load<i32>(city + load<i32>(city + T_JUNCTIONS) + <usize>junction * JUNCTION_BYTES + J_CYCLE);
  const now = <i32>((load<u32>(slab + H_TICK) + <u32>getI(slab, SIGNALS, junction)) % <u32>cycle);
  let sinceGreen = now - load<i32>(at + LT_GREEN_FROM);
  if (sinceGreen < 0) sinceGreen += cycle;
  const green = load<i32>(at + LT_GREEN);
  if (sinceGreen < green) return LIGHT_GREEN;
  if (sinceGreen < green + load<i32>(at + LT_AMBER)) return LIGHT_AMBER;
  if (sinceGreen >= cycle - load<i32>(at + LT_RED_AMBER)) return LIGHT_RED_AMBER;
  return LIGHT_RED;
}
