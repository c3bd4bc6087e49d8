import { decodeTable } from '../../src/city/table/table-coding.ts';
import type { LockstepKernel } from '../../src/twin/lockstep.ts';
import type { CityAssets } from './city-assets.ts';
import { type Caching, fetchInTime } from './fetch-in-time.ts';
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
    fetchInTime(address.ofWorld('/map'), (answer) => answered(answer).json()),
  ]);
  return { kernel: code, table: cityTable, carTypes, map } as CityAssets;
}

/** Rejects for bytes that are not those of the name, which lead to another world. */
async function fetchFile(address: TwinAddress, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(address, path, 'default');
  if (await isNamed(path, bytes)) return bytes;
  // A browser keeps such a file for ever, also one that is spoiled: this takes its place.
  const again = await readFile(address, path, 'reload');
  if (await isNamed(path, again)) return again;
  throw new Error(`${path} is spoiled`);
}

/** A node of another release may have other files: then the node of the world is asked. */
async function readFile(
  address: TwinAddress,
  path: string,
  cache: Caching,
): Promise<Uint8Array<ArrayBuffer>> {
  const isThere = async (answer: Response) =>
    answer.status === 404 ? undefined : await contentOf(answer);
  const content = await fetchInTime(address.rest(path), isThere, cache);
  return content ?? (await fetchInTime(address.ofWorld(path), contentOf, cache));
}

async function contentOf(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await answered(answer).arrayBuffer());
}

async function isNamed(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  // Pages that were not loaded by HTTPS do not have it, unless they are of this machine. Whoever could change
  // the files on their way to such a page could change the page as well.
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return true;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  const text = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const name = /([0-9a-f]+)\.[^/]*$/.exec(path)?.[1];
  return name !== undefined && text.startsWith(name);
}

function answered(answer: Response): Response {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer;
}
