import { type Figure, figure, formatFigure } from '../../bench/common/figures.ts';
import { systemTime } from '../../src/time.ts';
import type { Agreement } from '../cluster/cluster-load.ts';
import type { Met } from './probes.ts';
import type { Stage, StageOptions } from './stage.ts';

/** Clients ask for so long before a fault, and after it. */
const BEFORE_MS = 2000;
const AFTER_MS = 10_000;
/** After a fault of Redis. */
export const RECOVERED_MS_MAX = 5000;

/** A fault, and what clients must meet. */
export interface Row {
  name: string;
  /** Makes the fault; resolves when it is over, with what it alone has to be judged by. */
  fault(stage: Stage): Promise<readonly Figure[] | undefined>;
  judged(found: Found): Figure[];
}

/** Rows that happen one after the other on one stage. */
export interface Group {
  names: readonly string[];
  /** Throws UsageError where it cannot run on this machine. */
  check?(): void;
  on(
    options: StageOptions,
    work: (stage: Stage, rows: readonly Row[]) => Promise<void>,
  ): Promise<void>;
}

/** What a fault has led to. */
export interface Found extends Met, Agreement {
  /** Of all nodes. */
  lostPartitions: number;
  /** Leases that went from one node to another. */
  takeovers: number;
  endedStreams: number;
  ticksBack: number;
  own: readonly Figure[];
}

/** Makes a fault among clients that ask all the time, and compares all nodes afterwards. */
export async function observe(stage: Stage, { fault }: Pick<Row, 'fault'>): Promise<Found> {
  const { nodes, load, probes, leases } = stage;
  await load.beginChanges();
  load.watched();
  const lostBefore = await nodes.lostPartitions(nodes.living);
  const before = { ticksBack: load.ticksBackOfAll, takeovers: leases.takeoverCount };
  probes.startChanging();
  probes.begin();
  await systemTime.sleep(BEFORE_MS);
  const own = (await fault(stage)) ?? [];
  const healedMs = systemTime.now();
  await systemTime.sleep(AFTER_MS);
  const met = probes.met(healedMs);
  const { endedStreams } = load.watched();
  await probes.stopChanging();
  const agreement = await load.check(nodes.living);
  return {
    ...{ ...met, ...agreement, endedStreams, own },
    lostPartitions: (await nodes.lostPartitions(nodes.living)) - lostBefore,
    takeovers: leases.takeoverCount - before.takeovers,
    ticksBack: load.ticksBackOfAll - before.ticksBack,
  };
}

export const none = (name: string, count: number): Figure => figure(name, count, '', { atMost: 0 });

export const atMostMs = (name: string, ms: number, most: number): Figure =>
  figure(name, ms, 'ms', { atMost: most });

/** What must hold after any fault that does not take data from Redis. */
export function nothingLost(found: Found): Figure[] {
  return [
    ...found.own,
    none('acknowledged changes that were lost', found.lost),
    none('cars with another journal than answered', found.wrong),
    none('worlds that nodes tell differently', found.disagreeing),
    none('snapshots of another world', found.wrongSnapshots),
    none('ticks that went back', found.ticksBack),
    none('answers worse than 503', found.worse),
  ];
}

/** A line for the reader. */
export function formatFound(name: string, found: Found, judged: readonly Figure[]): string {
  const missed = judged.filter(({ target }) => target?.met === false);
  const verdict = missed.length === 0 ? 'pass' : 'FAIL';
  const counts =
    `${found.answers} answers, ${found.refused} refused, ${found.worse} worse, ` +
    `longest ${Math.round(found.longestMs)} ms, all served ${Math.round(found.recoveredMs)} ms after it, ` +
    `${found.right} cars as answered, ${found.lost} changes lost, ` +
    `${found.snapshots} snapshots, ${found.wrongSnapshots} wrong, ` +
    `${found.takeovers} leases changed hands, ${found.endedStreams} streams ended`;
  const last = missed.length > 0 && found.lastFailure ? `\n  last error: ${found.lastFailure}` : '';
  const why = missed.map((each) => `\n  ${each.name}: ${formatFigure(each)}`).join('');
  return `${verdict}  ${name}: ${counts}${why}${last}`;
}
