import { formatMs } from '../../bench/common/latencies.ts';
import { formatFailures } from '../../bench/common/loops.ts';
import { formatMiB } from '../usage-meter.ts';
import type { Achievement } from './achievement.ts';
import type { Met } from './healthy-users.ts';
import type { MachineDelay } from './reference.ts';

const GAP_P99_MS_MAX = 120;
const READ_P99_MS_MAX = 50;
/**
 * Or so many times what it was without an attack, or is meanwhile at a server that does nothing:
 * machines differ, and attackers take processor time of the machine too.
 */
const UNDISTURBED_RATIO_MAX = 1.5;
const REQUEST_MS_MAX = 500;
const MIB = 1024 * 1024;
export const RSS_BYTES_MAX = 700 * MIB;
const RSS_AFTER_RATIO_MAX = 1.1;
/** Fewer of the frames that were due than this: a stream stands still, and shows no gap yet. */
const FRAMES_RATIO_MIN = 0.5;

/** What became of a node and its healthy users in one case. */
export interface Outcome {
  undisturbed: Met;
  met: Met;
  machine: MachineDelay;
  /** Undefined `after`: the node has ended. */
  rssBytes: { before: number; peak: number; after: number | undefined };
  achieved: Achievement;
  /** Whether its memory need not return: it keeps the worlds that it let in. */
  keepsWorlds: boolean;
}

/** Why an attack was felt. Empty: it was not. */
export function faultsOf(outcome: Outcome): string[] {
  const { undisturbed, met, machine, rssBytes, achieved, keepsWorlds } = outcome;
  const { streams, reads, changes, failed } = met;
  const tooMuch = (value: number, max: number, before: number, elsewhere: number) =>
    value > Math.max(max, UNDISTURBED_RATIO_MAX * Math.max(before, elsewhere));
  const slowestMs = Math.max(reads.maxMs, changes.maxMs);
  const closed = Object.keys(streams.closed);
  const checks: readonly [isFault: boolean, text: string][] = [
    [achieved.fault !== undefined, `the attack failed: ${achieved.fault}`],
    [achieved.connections === 0, 'the attack reached nothing'],
    [rssBytes.after === undefined, 'THE NODE ENDED'],
    [Object.keys(failed).length > 0, `failed requests: ${formatFailures(failed)}`],
    [closed.length > 0, `streams closed with ${closed.join(', ')}`],
    [
      streams.frames < met.framesDue * FRAMES_RATIO_MIN,
      `${streams.frames} of ${met.framesDue} frames`,
    ],
    [
      tooMuch(streams.p99Ms, GAP_P99_MS_MAX, undisturbed.streams.p99Ms, machine.gapP99Ms),
      `gap p99 ${formatMs(streams.p99Ms)}`,
    ],
    [
      tooMuch(reads.p99Ms, READ_P99_MS_MAX, undisturbed.reads.p99Ms, machine.readP99Ms),
      `GET p99 ${formatMs(reads.p99Ms)}`,
    ],
    [slowestMs > REQUEST_MS_MAX, `a request of ${formatMs(slowestMs)}`],
    [rssBytes.peak > RSS_BYTES_MAX, `memory ${formatMiB(rssBytes.peak)}`],
    [
      !keepsWorlds && (rssBytes.after ?? 0) > rssBytes.before * RSS_AFTER_RATIO_MAX,
      `memory afterwards ${formatMiB(rssBytes.after ?? 0)} instead of ${formatMiB(rssBytes.before)}`,
    ],
  ];
  return checks.filter(([isFault]) => isFault).map(([, text]) => text);
}
