import { DEMO_CUSTOMER, loginRequest } from '../bench/common/dealer-client.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { Latencies } from '../bench/common/latencies.ts';
import { openLoop } from '../bench/common/loops.ts';
import type { Answer } from '../bench/common/response-parser.ts';
import { systemTime } from '../src/time.ts';

/** More than the log-ins that a node lets wait and run, so that some are refused. */
const CONNECTIONS = 256;
const RETRY_AFTER = /\r\nretry-after: *[1-9]\d*(\r|$)/i;
const VERIFIED_STATUSES = [200, 401];
/** 429: too many of one name at once. */
const REFUSED_STATUSES = [503, 429];

/** Log-ins at a fixed rate, by a customer with the right password and by unknown names in turn. */
export async function openFlood(url: URL, plan: { rate: number; seconds: number }) {
  const pool = await HttpPool.open(url, CONNECTIONS);
  const [verified, refused] = [new Latencies(), new Latencies()];
  const other: Record<string, number> = {};
  let sent = 0;
  let withoutRetryAfter = 0;
  const request = (index: number): Buffer => {
    sent += 1;
    const isNobody = index % 2 === 1;
    const login = isNobody ? { ...DEMO_CUSTOMER, username: `nobody${index}` } : DEMO_CUSTOMER;
    return loginRequest(url, login);
  };
  const answered = (_: number, answer: Answer | undefined, tookMs: number): void => {
    if (answer && VERIFIED_STATUSES.includes(answer.status)) {
      verified.record(tookMs);
    } else if (answer && REFUSED_STATUSES.includes(answer.status)) {
      refused.record(tookMs);
      if (!RETRY_AFTER.test(answer.head)) withoutRetryAfter += 1;
    } else {
      const reason = answer?.status ?? 'lost';
      other[reason] = (other[reason] ?? 0) + 1;
    }
  };
  const result = () => {
    const [verifiedLatency, refusedLatency] = [verified.summary(), refused.summary()];
    return {
      sent,
      /** Log-ins whose password was verified. */
      verified: verifiedLatency.count,
      verifiedLatency,
      refused: refusedLatency.count,
      refusedLatency,
      withoutRetryAfter,
      /** By status; `lost`: without an answer. */
      other,
    };
  };
  return {
    run: () => openLoop(pool, { ratePerS: plan.rate, seconds: plan.seconds, request, answered }),
    result,
    close: () => pool.close(),
  };
}

/** What has become of the log-ins of a flood. */
export type Flooded = ReturnType<Awaited<ReturnType<typeof openFlood>>['result']>;

const POLL_MS = 100;

/**
 * Polls the metrics for the number of passwords that are hashed or wait. Returns a function that ends
 * this and returns the highest numbers; they are undefined where the address is unknown.
 */
export async function watchHashes(opsUrl: URL | undefined) {
  if (opsUrl === undefined) return () => undefined;
  const pool = await HttpPool.open(opsUrl, 1);
  const request = formatRequest(opsUrl, 'GET', '/metrics');
  const seen = { polls: 0, running: 0, waiting: 0 };
  const stopAsking = systemTime.every(POLL_MS, () => {
    pool.send(request, (answer) => {
      if (!answer) return;
      const metrics = answer.body.toString();
      seen.polls += 1;
      seen.running = Math.max(seen.running, gaugeOf(metrics, 'twin_passwords_hashing'));
      seen.waiting = Math.max(seen.waiting, gaugeOf(metrics, 'twin_passwords_waiting'));
    });
  });
  return () => {
    stopAsking();
    pool.close();
    return seen;
  };
}

/** The value of a gauge without labels in the text of Prometheus. NaN where there is none. */
export function gaugeOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
}
