import { formatRequest } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import { systemTime } from '../../src/time.ts';
import type { CarChanges } from './car-changes.ts';

/** One of so many requests changes a car; the others read. */
const CHANGE_ONE_OF = 5;
const READS = ['/api/v1/vehicle', '/api/v1/vehicle/features', '/api/v1/vehicle/telemetry'];
const ANY_HOST = new URL('http://127.0.0.1');

export interface FailedRequest {
  atMs: number;
  /** That it asked for. Undefined: for none. */
  world: string | undefined;
  /** Undefined: the connection ended without an answer. */
  status: number | undefined;
  text: string;
}

/** What cars' clients ask: reads of one car after the other, and changes. */
export class MixedRequests {
  readonly failed: FailedRequest[] = [];
  readonly #changes: CarChanges;
  readonly #reads: readonly { world: string; request: Buffer }[];
  readonly #took: (atMs: number, ms: number) => void;

  /** @param took gets when each request that did not fail was answered, and how long it took */
  constructor(
    worlds: readonly MadeWorld[],
    changes: CarChanges,
    took: (atMs: number, ms: number) => void = () => {},
  ) {
    this.#changes = changes;
    this.#took = took;
    this.#reads = worlds.flatMap(({ id, vins }) =>
      READS.map((path, i) => ({
        world: id,
        request: formatRequest(ANY_HOST, 'GET', path, { 'X-VIN': vins[i] ?? '' }),
      })),
    );
  }

  readonly request = (index: number): Buffer =>
    isChange(index) ? this.#changes.request(index) : (this.#readOf(index)?.request as Buffer);

  #readOf(index: number): { world: string; request: Buffer } | undefined {
    return this.#reads[index % this.#reads.length];
  }

  readonly answered = (index: number, answer: Answer | undefined, tookMs: number): void => {
    const atMs = systemTime.now();
    const world = isChange(index) ? this.#changes.worldOf(index) : this.#readOf(index)?.world;
    if (isChange(index)) this.#changes.answered(index, answer);
    if (answer !== undefined && answer.status < 400) {
      this.#took(atMs, tookMs);
      return;
    }
    const text = answer === undefined ? 'no answer' : answer.body.toString().slice(0, 200);
    this.failed.push({ atMs, world, status: answer?.status, text });
  };
}

function isChange(index: number): boolean {
  return index % CHANGE_ONE_OF === 0;
}
