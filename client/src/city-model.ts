import { FRAMES_WASM } from '../../build/frames-module.js';
import { actorNameOf } from '../../src/city/actor-names.ts';
import type { CityNames } from '../../src/city/names.ts';
import type { Streets } from '../../src/city/place.ts';
import type { HazardKind } from '../../src/city/types.ts';
import { FrameModule } from '../../src/codec/frame-module.ts';
import { Kernel } from '../../src/kernel/kernel.ts';
import type { CityMap } from '../../src/twin/wire.ts';
import type { CityAssets } from './city-assets.ts';
import { SLABS_OF_KERNEL, SlabPool } from './slab-pool.ts';

/** A spot, as messages about it need it. */
interface NamedHazard {
  id: string;
  kind: HazardKind;
  site: { actor: { name: string } | null };
}

const models = new WeakMap<CityAssets, Promise<CityModel>>();
const kernels = new WeakMap<Uint8Array, Promise<WebAssembly.Module>>();
let frames: Promise<WebAssembly.Module> | undefined;

/** What all worlds of one city share in this thread. */
export class CityModel {
  readonly city: string;
  readonly table: ArrayBuffer;
  readonly names: CityNames;
  readonly streets: Streets;
  readonly hazards: readonly NamedHazard[];
  readonly frames: FrameModule;
  readonly slabs: SlabPool;

  private constructor(
    { table, carTypes, map }: CityAssets,
    kernel: WebAssembly.Module,
    frameCode: WebAssembly.Module,
  ) {
    this.city = map.city;
    this.table = table;
    this.names = namesOf(map);
    this.streets = streetsOf(map);
    this.hazards = map.hazards.map(({ id, kind }) => {
      const name = actorNameOf(kind);
      // The map of a release that has this kernel has no other kinds.
      return { id, kind: kind as HazardKind, site: { actor: name === null ? null : { name } } };
    });
    this.frames = new FrameModule(frameCode);
    const cityTables = [table];
    this.slabs = new SlabPool(
      () => new Kernel({ module: kernel, cityTables, carTypes, slabCount: SLABS_OF_KERNEL }),
    );
  }

  /** The one of these assets. Rejects if the kernel is of another version than this code. */
  static of(assets: CityAssets): Promise<CityModel> {
    const known = models.get(assets);
    if (known !== undefined) return known;
    const model = CityModel.#make(assets);
    models.set(assets, model);
    return model;
  }

  static async #make(assets: CityAssets): Promise<CityModel> {
    const { kernel: bytes } = assets;
    const compiled = kernels.get(bytes) ?? WebAssembly.compile(bytes);
    kernels.set(bytes, compiled);
    frames ??= WebAssembly.compile(fromBase64(FRAMES_WASM));
    return new CityModel(assets, await compiled, await frames);
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function namesOf(map: CityMap): CityNames {
  const id = (named: { id: string }) => named.id;
  return {
    roads: map.roads.map(id),
    junctions: map.junctions.map(id),
    lanes: map.lanes.map(id),
    lights: map.junctions.flatMap(({ lights }) => lights.map(id)),
    hazards: map.hazards.map(({ id, kind, x, y }) => ({ id, kind, x, y })),
  };
}

function streetsOf({ bounds, roads, lanes }: CityMap): Streets {
  const indices = new Map(roads.map(({ id }, index) => [id, index]));
  return {
    bounds: { minX: bounds.min_x, minY: bounds.min_y, maxX: bounds.max_x, maxY: bounds.max_y },
    roads: roads.map(({ id, name }) => ({ id, name })),
    lanes: lanes.map(({ road, polyline }) => ({
      road: road === null ? -1 : (indices.get(road) ?? -1),
      polyline,
    })),
  };
}
