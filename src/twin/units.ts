import { TICK_MS } from '../../assembly/layout.ts';

const TICKS_PER_SECOND = 1000 / TICK_MS;

/** Seconds of world time. The quotient is the double nearest to the decimal, so it prints short. */
export function timeS(tick: number): number {
  return tick / TICKS_PER_SECOND;
}

/** To hundredths: metres to the centimetre, m/s, money. Never −0. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

/** To 1e-4: radians and probabilities. Never −0. */
export function tenThousandths(value: number): number {
  return Math.round(value * 10_000) / 10_000 + 0;
}
