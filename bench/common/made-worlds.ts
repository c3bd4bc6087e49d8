import { formatRequest, HttpPool } from './http-pool.ts';
import type { Answer } from './response-parser.ts';

const CONNECTION_COUNT = 32;

/** A world that a load created. */
export interface MadeWorld {
  id: string;
  vins: string[];
  /** Moment of its tick 0 by the wall clock. */
  createdAtMs: number;
}

/**
 * Creates `count` worlds, the i-th with the body `optionsOf(i)`. Throws where one is refused.
 */
export async function makeWorlds(
  url: URL,
  count: number,
  optionsOf?: (i: number) => object,
): Promise<MadeWorld[]> {
  const pool = await HttpPool.open(url, Math.min(count, CONNECTION_COUNT));
  try {
    const asked = Array.from({ length: count }, async (_, i) => {
      const body = optionsOf === undefined ? '' : JSON.stringify(optionsOf(i));
      return madeWorld(await pool.ask(formatRequest(url, 'POST', '/api/v1/worlds', {}, body)));
    });
    return await Promise.all(asked);
  } finally {
    pool.close();
  }
}

/** The world in the answer of its creation. Throws where it is a refusal. */
export function madeWorld({ status, body }: Answer): MadeWorld {
  if (status !== 201) throw new Error(`no world was made: ${status} ${body.toString()}`);
  const world = JSON.parse(body.toString()) as {
    id: string;
    fleet: { vin: string }[];
    created_at: string;
  };
  return {
    id: world.id,
    vins: world.fleet.map(({ vin }) => vin),
    createdAtMs: Date.parse(world.created_at),
  };
}
