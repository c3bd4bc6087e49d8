import { compared, type Figure, figure } from '../../bench/common/figures.ts';
import type { MachineDelay } from '../attack/reference.ts';
import type { Asked } from './users.ts';

const ACCEPTED_RATIO_MAX = 4;
/**
 * Or so long: a refusal costs a quarter of an answer, so who waits for the main thread is answered. The
 * wait is as long as the connections are many.
 */
const ACCEPTED_MS_MAX = 250;
const REFUSAL_MS_MAX = 50;
const GOODPUT_RATIO_MIN = 0.8;
const RECOVERY_S_MAX = 5;
const RSS_RATIO_MAX = 1.1;
/**
 * Or so many times what users of a server that does nothing meet meanwhile: on a machine with too few
 * processors the load tool delays both.
 */
const ELSEWHERE_RATIO_MAX = 1.5;
const MIB = 1024 * 1024;

/** What became of a node and of the requests that it got. */
export interface Measured {
  /** The highest rate at which requests were accepted. */
  highestPerS: number;
  unloaded: Asked;
  overloaded: Asked;
  /** What users of a server that does nothing met during the overload. */
  machine: MachineDelay;
  /** Seconds until requests were answered as before. */
  recoveredS: number;
  rssBytes: { before: number; after: number };
}

/** Each figure of the promise, with its bound. */
export function judgeOverload(measured: Measured): Figure[] {
  const { highestPerS, unloaded, overloaded, machine, recoveredS, rssBytes } = measured;
  const elsewhereMs = ELSEWHERE_RATIO_MAX * machine.readP99Ms;
  const usualMs = unloaded.latency.p99Ms;
  const acceptedMs = Math.max(ACCEPTED_MS_MAX, elsewhereMs);
  const acceptedRatioMax = Math.max(ACCEPTED_RATIO_MAX, round(acceptedMs / usualMs));
  const refusalMsMax = Math.max(REFUSAL_MS_MAX, round(elsewhereMs));
  const none = { atMost: 0 };
  return [
    compared(
      'accepted requests, p99',
      overloaded.latency.p99Ms,
      'ms',
      { name: 'without load', value: usualMs },
      { atMost: acceptedRatioMax },
    ),
    compared(
      'accepted requests',
      overloaded.okPerS,
      '/s',
      { name: 'highest rate', value: highestPerS },
      { atLeast: GOODPUT_RATIO_MIN },
    ),
    figure('refused requests, p99', overloaded.refused.p99Ms, 'ms', { atMost: refusalMsMax }),
    figure('refused without Retry-After', overloaded.withoutRetryAfter, 'requests', none),
    figure('neither accepted nor refused', overloaded.failed, 'requests', none),
    figure('found all connections waiting', overloaded.unsent, 'requests'),
    figure('as before after', recoveredS, 's', { atMost: RECOVERY_S_MAX }),
    compared(
      'memory afterwards',
      rssBytes.after / MIB,
      'MiB',
      { name: 'before', value: rssBytes.before / MIB },
      { atMost: RSS_RATIO_MAX },
    ),
  ];
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
