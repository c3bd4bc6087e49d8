import { formatRequest, HttpPool } from './http-client.ts';
import type { Answer } from './http-parser.ts';

const CONNECTION_COUNT = 32;

/** What a load needs to know of a world that it made. */
export interface MadeWorld {
  id: string;
  vins: string[];
}

/** Makes so many worlds. Throws where one is refused. */
export async function makeWorlds(url: URL, count: number): Promise<MadeWorld[]> {
  const pool = await HttpPool.open(url, Math.min(count, CONNECTION_COUNT));
  try {
    const request = formatRequest(url, 'POST', '/api/v1/worlds');
    const asked = Array.from({ length: count }, async () => madeWorld(await pool.ask(request)));
    return await Promise.all(asked);
  } finally {
    pool.close();
  }
}

function madeWorld({ status, body }: Answer): MadeWorld {
  if (status !== 201) throw new Error(`no world was made: ${status} ${body.toString()}`);
  const world = JSON.parse(body.toString()) as { id: string; fleet: { vin: string }[] };
  return { id: world.id, vins: world.fleet.map(({ vin }) => vin) };
}
