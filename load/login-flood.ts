import { DEMO_CUSTOMER, loginRequest } from '../bench/common/dealer-client.ts';
import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { Latencies, type LatencySummary } from '../bench/common/latencies.ts';
import { openLoop } from '../bench/common/loops.ts';
import type { Answer } from '../bench/common/response-parser.ts';
import { type StopTimer, systemTime } from '../src/time.ts';

/** More than the log-ins that a node lets wait and run, so that some are refused. */
const CONNECTIONS = 256;
const RETRY_AFTER = /\r\nretry-after: *[1-9]\d*(\r|$)/i;
const VERIFIED = [200, 401];
const REFUSED = 503;

export interface FloodResult {
  sent: number;
  /** Log-ins whose password was verified. */
  looked: number;
  lookedLatency: LatencySummary;
  refused: number;
  refusedLatency: LatencySummary;
  withoutRetryAfter: number;
  /** By status; `lost`: without an answer. */
  other: Record<string, number>;
}

/** Log-ins at a fixed rate, by a customer with the right password and by unknown names in turn. */
export class LoginFlood {
  readonly #url: URL;
  readonly #pool: HttpPool;
  readonly #plan: { rate: number; seconds: number };
  readonly #sentMs: number[] = [];
  readonly #looked = new Latencies();
  readonly #refused = new Latencies();
  readonly #other: Record<string, number> = {};
  readonly #done = Promise.withResolvers<FloodResult>();
  #withoutRetryAfter = 0;

  static async open(url: URL, plan: { rate: number; seconds: number }): Promise<LoginFlood> {
    return new LoginFlood(url, plan, await HttpPool.open(url, CONNECTIONS));
  }

  private constructor(url: URL, plan: { rate: number; seconds: number }, pool: HttpPool) {
    this.#url = url;
    this.#plan = plan;
    this.#pool = pool;
  }

  /** The result, once the flood is over. */
  get done(): Promise<FloodResult> {
    return this.#done.promise;
  }

  run(): void {
    const { rate: ratePerS, seconds } = this.#plan;
    openLoop(this.#pool, {
      ratePerS,
      seconds,
      request: (index) => this.#request(index),
      answered: (index, answer) => this.#answered(index, answer),
    }).then(({ sent }) => this.#done.resolve(this.#result(sent)), this.#done.reject);
  }

  #request(index: number): Buffer {
    this.#sentMs[index] = systemTime.now();
    const isNobody = index % 2 === 1;
    const login = isNobody ? { ...DEMO_CUSTOMER, username: `nobody${index}` } : DEMO_CUSTOMER;
    return loginRequest(this.#url, login);
  }

  #answered(index: number, answer: Answer | undefined): void {
    const tookMs = systemTime.now() - (this.#sentMs[index] ?? 0);
    if (answer && VERIFIED.includes(answer.status)) {
      this.#looked.record(tookMs);
    } else if (answer?.status === REFUSED) {
      this.#refused.record(tookMs);
      if (!RETRY_AFTER.test(answer.head)) this.#withoutRetryAfter += 1;
    } else {
      const reason = String(answer?.status ?? 'lost');
      this.#other[reason] = (this.#other[reason] ?? 0) + 1;
    }
  }

  #result(sent: number): FloodResult {
    const [lookedLatency, refusedLatency] = [this.#looked.summary(), this.#refused.summary()];
    return {
      sent,
      looked: lookedLatency.count,
      lookedLatency,
      refused: refusedLatency.count,
      refusedLatency,
      withoutRetryAfter: this.#withoutRetryAfter,
      other: this.#other,
    };
  }

  progress(): string {
    const { looked, refused } = this.#result(0);
    return `${this.#sentMs.length} log-ins sent, ${looked} verified, ${refused} refused`;
  }

  close(): void {
    this.#pool.close();
  }
}

const LOOK_MS = 100;

/** Most passwords at a time. */
export interface HashesSeen {
  looks: number;
  running: number;
  waiting: number;
}

/** Polls the metrics for the number of passwords that are hashed or wait. */
export class HashWatch {
  readonly #pool: HttpPool;
  readonly #request: Buffer;
  readonly #stopAsking: StopTimer;
  readonly #seen: HashesSeen = { looks: 0, running: 0, waiting: 0 };

  /** Undefined where the address is unknown. */
  static async open(opsUrl: URL | undefined): Promise<HashWatch | undefined> {
    return opsUrl && new HashWatch(opsUrl, await HttpPool.open(opsUrl, 1));
  }

  private constructor(opsUrl: URL, pool: HttpPool) {
    this.#pool = pool;
    this.#request = formatRequest(opsUrl, 'GET', '/metrics');
    this.#stopAsking = systemTime.every(LOOK_MS, () => {
      pool.send(this.#request, (answer) => answer && this.#note(answer.body.toString()));
    });
  }

  #note(metrics: string): void {
    const seen = this.#seen;
    seen.looks += 1;
    seen.running = Math.max(seen.running, gaugeOf(metrics, 'passwords_hashing'));
    seen.waiting = Math.max(seen.waiting, gaugeOf(metrics, 'passwords_waiting'));
  }

  close(): HashesSeen {
    this.#stopAsking();
    this.#pool.close();
    return this.#seen;
  }
}

/** The value of a gauge without labels in the text of Prometheus. NaN where there is none. */
export function gaugeOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
}
