import { readFileSync } from 'node:fs';
import { CAR_COUNT } from '../../assembly/layout.ts';
import type { CityNames } from '../city/names.ts';
import { FrameEncoder } from '../codec/frame-encoder.ts';
import { FrameModule } from '../codec/frame-module.ts';
import { worldIdOf } from '../twin/ids.ts';
import { vinOf } from '../twin/vin.ts';

const WASM = readFileSync(new URL('../../build/frames.wasm', import.meta.url));
/** The one of this thread. */
const frameModule = new FrameModule(new WebAssembly.Module(WASM));

/** What encodes the frames of one world. */
export type WorldEncoder = Pick<FrameEncoder, 'bytesMax' | 'write' | 'encode'>;

/** The encoder of the frames of one world. */
export function worldEncoder(world: number, city: CityNames): FrameEncoder {
  const vins = Array.from({ length: CAR_COUNT }, (_, car) => vinOf(world, car));
  return new FrameEncoder(frameModule, { worldId: worldIdOf(world), vins, city });
}
