import { compared, type Figure } from './common/figures.ts';
import { askOnce, formatRequest } from './common/http-pool.ts';
import { median } from './common/report.ts';
import { type Server, startEmptyServer, startNode } from './common/server.ts';
import { type Drive, drive, hasWrk, type Request } from './wrk.ts';

const ROUNDS = 3;
const ROUND_S = 2;
const WARM_UP_S = 1;

/**
 * Medians of requests to the node and to the empty server. Both and `beside` take turns, so that a
 * drift of the machine affects all.
 */
export async function measure(
  each: Readonly<Record<'own' | 'empty', readonly Request[]>>,
  node: URL,
  { url: empty }: Server,
  beside: () => Promise<number> = async () => 0,
) {
  const useWrk = hasWrk();
  const others: number[] = [];
  const measured: Record<'own' | 'empty', Drive[]> = { own: [], empty: [] };
  await drive(useWrk, node, each.own, WARM_UP_S);
  await drive(useWrk, empty, each.empty, WARM_UP_S);
  for (let round = 0; round < ROUNDS; round += 1) {
    measured.own.push(await drive(useWrk, node, each.own, ROUND_S));
    measured.empty.push(await drive(useWrk, empty, each.empty, ROUND_S));
    others.push(await beside());
  }
  const medianOf = (drives: readonly Drive[], key: keyof Drive) =>
    median(drives.map((each) => each[key]));
  return {
    own: { perS: medianOf(measured.own, 'perS'), p99Ms: medianOf(measured.own, 'p99Ms') },
    reference: { name: 'empty uWebSockets.js', value: medianOf(measured.empty, 'perS') },
    beside: median(others),
  };
}

/** Starts a node and the empty server for one use. */
export async function besideEmptyServer<T>(
  use: (node: Server, empty: Server) => Promise<T>,
): Promise<T> {
  const node = await startNode();
  const empty = await startEmptyServer();
  try {
    return await use(node, empty);
  } finally {
    await Promise.all([node.stop(), empty.stop()]);
  }
}

export interface Read {
  name: string;
  path: string;
  headers?: Record<string, string>;
  /** Ratio to the empty server. */
  atLeast?: number;
}

/** Reads, each beside an empty server that sends as many bytes. Throws where the node refuses one. */
export async function readFigures(
  reads: readonly Read[],
  node: URL,
  empty: Server,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, path, headers = {}, atLeast } of reads) {
    const { status, body } = await askOnce(node, formatRequest(node, 'GET', path, headers));
    if (status >= 400) throw new Error(`${path} was answered ${status}`);
    const get = (of: string): Request[] => [{ method: 'GET', path: of, headers }];
    const emptyPath = status === 304 ? '/not-modified' : `/bytes/${body.length}`;
    const each = { own: get(path), empty: get(emptyPath) };
    const { own, reference } = await measure(each, node, empty);
    const bound = atLeast === undefined ? undefined : { atLeast };
    figures.push(compared(name, own.perS, '/s', reference, bound));
  }
  return figures;
}

/** PATCH requests that set a field of every car to false and then to true: each changes something. */
export function togglingRequests(
  field: string,
  vins: readonly string[],
  requestOf: (vin: string) => Pick<Request, 'path' | 'headers'>,
): Request[] {
  return [false, true].flatMap((value) => {
    const body = JSON.stringify({ [field]: value });
    return vins.map((vin) => ({ method: 'PATCH', ...requestOf(vin), body }));
  });
}
