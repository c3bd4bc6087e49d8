import type { LockstepHello } from '../../src/twin/lockstep.ts';
import type { AssetSource } from './city-assets.ts';
import { fetchAssets } from './fetch-assets.ts';
import { lockstepMessage } from './messages.ts';
import { openWebSocket } from './socket.ts';
import { TwinAddress, type WatchedWorld } from './twin-address.ts';

/**
 * The assets of a node, for the city of one of its worlds: kernel, table and types of cars as the world's
 * stream names them. Rejects if there is no such world, for another city, or if they cannot be had.
 */
export function nodeAssets(world: WatchedWorld): AssetSource {
  const address = new TwinAddress(world);
  return async (city) => {
    const assets = await fetchAssets(address, await firstHello(address));
    if (assets.map.city === city) return assets;
    throw new RangeError(`that world is in ${assets.map.city}, not in ${city}`);
  };
}

function firstHello(address: TwinAddress): Promise<LockstepHello> {
  return new Promise((resolve, reject) => {
    const socket = openWebSocket(address.stream({ encoding: 'lockstep' }), {
      received(content) {
        const message = lockstepMessage(content);
        if (message?.type !== 'hello') return;
        resolve(message);
        socket.close();
      },
      closed: (code) => reject(new Error(`the stream ended with ${code}`)),
    });
  });
}
