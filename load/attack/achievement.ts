import { formatMiB } from '../usage-meter.ts';

/** What hostile clients reached so far. */
export interface Achievement {
  /** Connections that the node accepted. */
  connections: number;
  /** Connections that it did not. */
  refused: number;
  /** Connections that it ended. */
  closed: number;
  requests: number;
  sentBytes: number;
  receivedBytes: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Why an attack could not go on; undefined: it did. */
  fault: string | undefined;
}

export function noAchievement(): Achievement {
  return {
    connections: 0,
    refused: 0,
    closed: 0,
    requests: 0,
    sentBytes: 0,
    receivedBytes: 0,
    statuses: {},
    fault: undefined,
  };
}

/** What several hostile clients reached together. */
export function together(all: readonly Achievement[]): Achievement {
  const sum = noAchievement();
  for (const { statuses, fault, ...counts } of all) {
    for (const [name, count] of Object.entries(counts)) sum[name as keyof typeof counts] += count;
    for (const [status, count] of Object.entries(statuses)) {
      sum.statuses[status] = (sum.statuses[status] ?? 0) + count;
    }
    sum.fault ??= fault;
  }
  return sum;
}

export function formatAchievement(achieved: Achievement): string {
  const { connections, refused, closed, requests, sentBytes, receivedBytes } = achieved;
  const statuses = Object.entries(achieved.statuses).map(
    ([status, count]) => `${count} × ${status}`,
  );
  const parts = [
    `${connections} connections`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(closed > 0 ? [`${closed} closed by the node`] : []),
    `${requests} requests`,
    `${formatMiB(sentBytes)} sent`,
    `${formatMiB(receivedBytes)} received`,
    ...statuses,
  ];
  return parts.join(', ');
}
