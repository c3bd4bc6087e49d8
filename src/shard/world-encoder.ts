import { readFileSync } from 'node:fs';
import { CAR_COUNT } from '../../assembly/layout.ts';
import type { CityNames } from '../city/names.ts';
import { FrameEncoder } from '../codec/frame-encoder.ts';
import { FrameModule } from '../codec/frame-module.ts';
import { worldIdOf } from '../twin/ids.ts';
import { vinOf } from '../twin/vin.ts';

const WASM = readFileSync(new URL('../../build/frames.shared.wasm', import.meta.url));
/** As in its asconfig.json. Nothing is used of what is not written to. */
const PAGES = { initial: 512, maximum: 1024 };
/** The one of this thread. The main thread reads its memory. */
const frameModule = new FrameModule(
  new WebAssembly.Module(WASM),
  new WebAssembly.Memory({ ...PAGES, shared: true }),
);

/** What encodes the frames of one world. */
export type WorldEncoder = Pick<FrameEncoder, 'prepare' | 'bytesMax' | 'write' | 'encode'>;

/** Shared memory to which encoders of this thread write in place. It is never given back. */
export function frameMemory(bytes: number): Uint8Array<SharedArrayBuffer> {
  return frameModule.allocate(bytes) as Uint8Array<SharedArrayBuffer>;
}

/** The encoder of the frames of one world. */
export function worldEncoder(world: number, city: CityNames): FrameEncoder {
  const vins = Array.from({ length: CAR_COUNT }, (_, car) => vinOf(world, car));
  return new FrameEncoder(frameModule, { worldId: worldIdOf(world), vins, city });
}
