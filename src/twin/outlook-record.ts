import { FRAME_TICKS } from '../../assembly/layout.ts';

/** What happens sooner is not told: nobody could wait for it, ticks (3 s). */
export const LEAD_TICKS = 150;
/** Interval at which the ways of the cars are known, ticks: twelve frames. */
export const WAY_TICKS = 12 * FRAME_TICKS;

/** What a world that was lived ahead has shown. */
export interface Outlook {
  /** The tick from which it was lived ahead. */
  fromTick: number;
  /**
   * Six numbers each: car, index of the feature, tick, spot or −1, consequence, way of the car in dm.
   * A car can lose its drive at any time: tick and way of that are not used.
   */
  rows: Int32Array;
  /** What each car has driven since `fromTick` at each later multiple of WAY_TICKS, m. */
  ways: Float32Array;
}
