import { type Figure, figure } from '../bench/common/figures.ts';
import { FRAME_MS } from '../src/limits.ts';
import { FRAMES_PER_S, type FrameSummary } from './frame-tally.ts';

/** A stream may have so many frames more or fewer than are due in a minute. */
const OFF_PER_MINUTE_MAX = 8;
/** In a shorter time one at its beginning and one at its end. */
const OFF_MAX_MIN = 2;
const MEDIAN_OFF_MS_MAX = 2;
const GAP_P99_MS_MAX = 120;
/** Or so many times what it is without what is measured: a busy machine delays both. */
const ELSEWHERE_RATIO_MAX = 1.5;

/**
 * What streams must get for 12.5 frames a second.
 * @param elsewhereP99Ms of gaps from an empty server, or before what is measured
 */
export function judgedFrames(found: FrameSummary, elsewhereP99Ms: number): Figure[] {
  const due = found.seconds * FRAMES_PER_S;
  const off = Math.max(due - found.fewest, found.most - due);
  const offMax = Math.max(OFF_MAX_MIN, (OFF_PER_MINUTE_MAX * found.seconds) / 60);
  const gapMsMax = Math.max(GAP_P99_MS_MAX, ELSEWHERE_RATIO_MAX * elsewhereP99Ms);
  return [
    figure('frames that a stream had too many or too few, at most', off, 'frames', {
      atMost: rounded(offMax),
    }),
    figure('frames out of order', found.disordered, 'frames', { atMost: 0 }),
    figure(`median gap, off ${FRAME_MS} ms`, Math.abs(found.p50Ms - FRAME_MS), 'ms', {
      atMost: MEDIAN_OFF_MS_MAX,
    }),
    figure('gap, p99', found.p99Ms, 'ms', { atMost: rounded(gapMsMax) }),
  ];
}

const rounded = (value: number) => Number(value.toPrecision(3));
