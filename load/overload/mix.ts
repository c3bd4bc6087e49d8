import { formatRequest } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';

export const KINDS = ['state', 'vehicle', 'change'] as const;
export type Kind = (typeof KINDS)[number];

/** Of ten requests seven read a state, two are calls of a car and one is a change. */
const ORDER = [
  ...['state', 'state', 'vehicle', 'state', 'state'],
  ...['change', 'state', 'state', 'vehicle', 'state'],
] as readonly Kind[];
const CAR_READS = ['/telemetry', '/features'];
const FEATURES = '/api/v1/vehicle/features';

/** What the users of many worlds ask, in a fixed order. */
export class Mix {
  readonly #requests: Readonly<Record<Kind, readonly Buffer[]>>;

  constructor(url: URL, worlds: readonly MadeWorld[]) {
    const vins = worlds.flatMap((world) => world.vins);
    const read = (vin: string, path: string) =>
      formatRequest(url, 'GET', `/api/v1/vehicle${path}`, { 'X-VIN': vin });
    const change = (vin: string, aeb: boolean) =>
      formatRequest(url, 'PATCH', FEATURES, { 'X-VIN': vin }, JSON.stringify({ aeb }));
    this.#requests = {
      state: worlds.map(({ id }) => formatRequest(url, 'GET', `/api/v1/worlds/${id}/state`)),
      vehicle: vins.flatMap((vin) => CAR_READS.map((path) => read(vin, path))),
      // All off, then all on: so each request changes something.
      change: [false, true].flatMap((aeb) => vins.map((vin) => change(vin, aeb))),
    };
  }

  kindOf(index: number): Kind {
    return ORDER[index % ORDER.length] as Kind;
  }

  request(index: number): Buffer {
    const kind = this.kindOf(index);
    const requests = this.#requests[kind];
    const before = ORDER.slice(0, index % ORDER.length);
    const number = Math.floor(index / ORDER.length) * countOf(kind, ORDER) + countOf(kind, before);
    return requests[number % requests.length] as Buffer;
  }
}

function countOf(kind: Kind, kinds: readonly Kind[]): number {
  return kinds.filter((each) => each === kind).length;
}
