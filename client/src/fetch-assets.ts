import { decodeTable } from '../../src/city/table/table-coding.ts';
import type { LockstepKernel } from '../../src/twin/lockstep.ts';
import type { CityAssets } from './city-assets.ts';
import { fetchInTime } from './fetch-in-time.ts';
import type { TwinAddress } from './twin-address.ts';

/** What a stream's hello says of the assets of its world. */
export type NamedAssets = Pick<LockstepKernel, 'assets'>;
export type FetchAssets = (address: TwinAddress, named: NamedAssets) => Promise<CityAssets>;

/** The assets of this thread. Their names are hashes of their contents. */
const known = new Map<string, Promise<CityAssets>>();

/** Loads the assets that a hello names, each city once. Rejects if one cannot be had now. */
export const fetchAssets: FetchAssets = (address, { assets }) => {
  const key = [assets.kernel, assets.table, assets.car_types].join(' ');
  const before = known.get(key);
  if (before !== undefined) return before;
  const fetched = fetchAll(address, assets);
  known.set(key, fetched);
  // So that the next one tries again.
  fetched.catch(() => known.delete(key));
  return fetched;
};

async function fetchAll(
  address: TwinAddress,
  { kernel, table, car_types }: NamedAssets['assets'],
): Promise<CityAssets> {
  const [code, cityTable, carTypes, map] = await Promise.all([
    fetchFile(address, kernel),
    fetchFile(address, table).then(decodeTable),
    fetchFile(address, car_types).then((bytes) => JSON.parse(new TextDecoder().decode(bytes))),
    answered(fetchInTime(address.ofWorld('/map'))).then((answer) => answer.json()),
  ]);
  return { kernel: code, table: cityTable, carTypes, map } as CityAssets;
}

/** A node of another release may have other files: then the node of the world is asked. */
async function fetchFile(address: TwinAddress, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetchInTime(address.rest(path));
  const found = await answered(answer.status === 404 ? fetchInTime(address.ofWorld(path)) : answer);
  const bytes = new Uint8Array(await found.arrayBuffer());
  await checkName(path, bytes);
  return bytes;
}

/** Rejects for bytes that are not those of the name, which lead to another world. */
async function checkName(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  // Pages that were not loaded by HTTPS do not have it, unless they are of this machine.
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  const text = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const name = /([0-9a-f]+)\.[^/]*$/.exec(path)?.[1];
  if (name === undefined || !text.startsWith(name)) throw new Error(`${path} is spoiled`);
}

async function answered(asked: Response | Promise<Response>): Promise<Response> {
  const answer = await asked;
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer;
}
