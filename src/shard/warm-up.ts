import { FRAME_TICKS } from '../../assembly/layout.ts';
import { Kernel } from '../kernel/kernel.ts';
import { CAR_TYPES, carTypesOf } from '../twin/fleet.ts';
import type { ShardStart } from './protocol.ts';
import { worldEncoder } from './world-encoder.ts';

/** After these V8 has optimised what steps a world. */
const TICKS = 400;
const WORLD = 1;

/**
 * Steps a world of each city that nobody sees, and encodes its frames. V8 compiles a function at its first
 * call, and optimises it after many calls; the texts of a city are made with its first frame. Whoever watches the
 * first worlds of a thread would wait for all that, the longest where many come from another node at once.
 */
export function warmUp({ wasm, cities }: Pick<ShardStart, 'wasm' | 'cities'>): void {
  const module = new WebAssembly.Module(wasm);
  const { tables: cityTables, names: cityNames } = cities;
  const kernel = new Kernel({ module, cityTables, carTypes: CAR_TYPES, slabCount: 1 });
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('a new kernel has no free slab');
  for (const [cityIndex, names] of cityNames.entries()) {
    kernel.create(slab, { cityIndex, seed: WORLD, carTypes: carTypesOf(WORLD) });
    const encoder = worldEncoder(WORLD, names);
    while (kernel.tick(slab) < TICKS) {
      kernel.step(slab, FRAME_TICKS);
      const packed = kernel.pack(slab);
      encoder.encode('json', packed);
      encoder.encode('msgpack', packed);
    }
  }
}
