import {
  C_ACTED,
  C_DECLARED,
  C_X,
  CAR_COUNT,
  CAR_TYPE_BYTES,
  CAR_TYPE_MAX,
  CAR_TYPES,
  CITY_BASE,
  CITY_MAX,
  CONTACT_BYTES,
  CONTACT_RING,
  CONTACTS,
  DIRECTORY,
  E_ARG,
  E_CAR,
  E_FEATURE,
  E_HAZARD,
  E_KIND,
  E_OTHER,
  E_SEQ,
  E_TICK,
  EVENT_BYTES,
  EVENT_RING,
  EVENTS,
  F_ALL,
  H_CITY,
  H_CONTACT_COUNT,
  H_EVENT_COUNT,
  H_TICK,
  H_VERSION,
  IN_MASKS,
  IN_TYPES,
  LAYOUT_VERSION,
  OUT,
  OUT_LENGTH,
  SLAB_ALIGN,
  SLAB_BYTES,
} from '../../assembly/layout.ts';
import type { ContactRecord } from '../twin/contact-records.ts';
import type { RawEvent } from '../twin/events.ts';
import type { CarType } from '../twin/fleet.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import { carTypeFields } from './car-types.ts';
import { readRecord } from './contacts.ts';
import { type SlabArrays, slabArrays } from './slab-arrays.ts';

const PAGE_BYTES = 65536;

/** What the compiled kernel exports. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  layoutVersion(): number;
  slabBytes(): number;
  create(slab: number, city: number, seed: number, tick: number): void;
  step(slab: number, ticks: number): number;
  apply(slab: number, tick: number, car: number, touched: number, values: number): void;
  pack(slab: number): void;
  hash(slab: number): bigint;
  effective(declared: number): number;
}

export interface KernelOptions {
  /** The compiled kernel, which threads may share, or what stands in for an instance of it. */
  module: WebAssembly.Module | KernelExports;
  /** Binary tables from `packCity`; a world refers to its city by its position here. */
  cityTables: readonly ArrayBuffer[];
  carTypes: readonly CarType[];
  /** Number of worlds that fit in memory. */
  slabCount: number;
}

export interface NewWorld {
  cityIndex: number;
  seed: number;
  /** Type index of each car. */
  carTypes: Int32Array;
  tick?: number;
  /** Declared mask of each car; by default everything is on. */
  masks?: readonly number[];
}

/** The address of a slab in the kernel's memory; opaque to callers. */
export type Slab = number;

/**
 * One instance of the kernel. Its memory gets its size in the constructor and never grows. A trap
 * in `step` throws a WebAssembly.RuntimeError and makes that slab useless, but not the others.
 */
export class Kernel {
  readonly #exports: KernelExports;
  readonly #bytes: Uint8Array;
  readonly #u32: Uint32Array;
  readonly #view: DataView;
  readonly #out: Int32Array;
  readonly #free: Slab[] = [];
  readonly #carTypes: readonly CarType[];
  /** The last contacts and crash pulses of each world since it was created or restored here. */
  readonly #records = new Map<Slab, ContactRecord[]>();
  readonly #slabsAt: number;

  constructor(options: KernelOptions) {
    this.#exports = exportsOf(options.module);
    this.#checkLayout();
    const { memory } = this.#exports;
    const { addresses, end } = placeTables(options.cityTables);
    this.#slabsAt = end;
    const bytes = this.#slabsAt + options.slabCount * SLAB_BYTES;
    memory.grow(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)));
    this.#bytes = new Uint8Array(memory.buffer);
    this.#u32 = new Uint32Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
    this.#out = new Int32Array(memory.buffer, OUT, OUT_LENGTH);
    this.#writeTables(options.cityTables, addresses);
    this.#carTypes = options.carTypes;
    this.#writeCarTypes(options.carTypes);
    for (let i = options.slabCount - 1; i >= 0; i--) {
      this.#free.push(this.#slabsAt + i * SLAB_BYTES);
    }
  }

  #checkLayout(): void {
    const version = this.#exports.layoutVersion();
    const slabBytes = this.#exports.slabBytes();
    if (version !== LAYOUT_VERSION || slabBytes !== SLAB_BYTES) {
      throw new Error(
        `kernel has layout ${version} with slabs of ${slabBytes} bytes, the host expects ` +
          `${LAYOUT_VERSION} with ${SLAB_BYTES}: run npm run build:kernel`,
      );
    }
  }

  #writeTables(cityTables: readonly ArrayBuffer[], addresses: readonly number[]): void {
    for (const [i, table] of cityTables.entries()) {
      const address = addresses[i] ?? 0;
      this.#bytes.set(new Uint8Array(table), address);
      this.#view.setUint32(DIRECTORY + i * 4, address, true);
    }
  }

  #writeCarTypes(carTypes: readonly CarType[]): void {
    if (carTypes.length > CAR_TYPE_MAX) throw new RangeError('too many car types');
    for (const [i, type] of carTypes.entries()) {
      const at = CAR_TYPES + i * CAR_TYPE_BYTES;
      for (const [field, value] of carTypeFields(type)) {
        this.#view.setFloat64(at + field, value, true);
      }
    }
  }

  /** A copy of all memory below the slabs. */
  belowSlabs(): Uint8Array {
    return this.#bytes.slice(0, this.#slabsAt);
  }

  /** A free slab, or undefined if all are in use. */
  acquire(): Slab | undefined {
    return this.#free.pop();
  }

  /** Clears a slab and makes it free. */
  release(slab: Slab): void {
    this.#bytes.fill(0, slab, slab + SLAB_BYTES);
    this.#records.delete(slab);
    this.#free.push(slab);
  }

  /** Creates a new world in a slab. Its first state is that of `tick`. */
  create(slab: Slab, world: NewWorld): void {
    const { cityIndex, seed, carTypes, tick = 0, masks } = world;
    if (carTypes.length !== CAR_COUNT) throw new RangeError(`${CAR_COUNT} car types expected`);
    if (carTypes.some((type) => !(type in this.#carTypes)))
      throw new RangeError('no such car type');
    for (let car = 0; car < CAR_COUNT; car++) {
      this.#view.setInt32(IN_TYPES + car * 4, carTypes[car] ?? 0, true);
      this.#view.setInt32(IN_MASKS + car * 4, masks?.[car] ?? F_ALL, true);
    }
    this.#records.delete(slab);
    this.#exports.create(slab, cityIndex, seed, tick);
  }

  /**
   * Steps by `ticks`, or to the first tick with a record of a contact or crash pulse. Returns the
   * number of ticks.
   */
  step(slab: Slab, ticks: number): number {
    const before = this.contactCount(slab);
    const done = this.#exports.step(slab, ticks);
    if (this.contactCount(slab) !== before) this.#keepRecords(slab, before);
    return done;
  }

  /** Copies the new records, because the next step of any world may overwrite them. */
  #keepRecords(slab: Slab, from: number): void {
    const kept = this.#records.get(slab) ?? [];
    for (let number = from; number < this.contactCount(slab); number++) {
      kept.push(readRecord(this.#view, CONTACTS + (number % CONTACT_RING) * CONTACT_BYTES));
    }
    this.#records.set(slab, kept.slice(-CONTACT_RING));
  }

  /** Starts to collect the features that make a difference. */
  clearActed(slab: Slab): void {
    this.#u32.fill(0, (slab + C_ACTED) >>> 2, (slab + C_ACTED + CAR_COUNT * 4) >>> 2);
  }

  /** Mask of the features that made a difference to a car since `clearActed`. */
  acted(slab: Slab, car: number): number {
    return this.#u32[(slab + C_ACTED + car * 4) >>> 2] ?? 0;
  }

  /** Sets the features in `touched` of one car to their bits in `values` at `tick`. */
  apply(slab: Slab, tick: number, car: number, touched: number, values: number): void {
    this.#exports.apply(slab, tick, car, touched, values);
  }

  tick(slab: Slab): number {
    return this.#u32[(slab + H_TICK) >>> 2] ?? 0;
  }

  /** The packed public state, OUT_LENGTH integers, valid until the next `pack`. */
  pack(slab: Slab): Int32Array {
    this.#exports.pack(slab);
    return this.#out;
  }

  /** Of a whole world. The position of its city among the tables, which is the host's, does not count. */
  hash(slab: Slab): bigint {
    const at = (slab + H_CITY) >>> 2;
    const cityIndex = this.#u32[at] ?? 0;
    this.#u32[at] = 0;
    const hash = BigInt.asUintN(64, this.#exports.hash(slab));
    this.#u32[at] = cityIndex;
    return hash;
  }

  effectiveMask(declared: number): number {
    return this.#exports.effective(declared);
  }

  /** Declared masks of the 20 cars. */
  declared(slab: Slab): Uint16Array {
    return Uint16Array.from(
      { length: CAR_COUNT },
      (_, car) => this.#u32[(slab + C_DECLARED + car * 4) >>> 2] ?? 0,
    );
  }

  /**
   * Views of the world's memory, for measurements at every tick. They show each step, and stay
   * valid while the slab is in use.
   */
  view(slab: Slab): SlabArrays {
    return slabArrays(this.#view.buffer, slab);
  }

  /** A copy of a whole world, written to `into` if that is given. */
  image(slab: Slab, into: Uint8Array = new Uint8Array(SLAB_BYTES)): Uint8Array {
    into.set(this.#bytes.subarray(slab, slab + SLAB_BYTES));
    return into;
  }

  /**
   * Restores a whole world. Throws RangeError if the image has another layout.
   * @param cityIndex of its city here, if another kernel may have taken the image
   */
  restore(slab: Slab, image: Uint8Array, cityIndex?: number): void {
    const version = new DataView(image.buffer, image.byteOffset).getUint32(H_VERSION, true);
    if (image.length !== SLAB_BYTES || version !== LAYOUT_VERSION) {
      throw new RangeError('image is of another layout');
    }
    this.#records.delete(slab);
    this.#bytes.set(image, slab);
    if (cityIndex !== undefined) this.#view.setUint32(slab + H_CITY, cityIndex, true);
  }

  /** Number of records of contacts and crash pulses since the beginning of the world. */
  contactCount(slab: Slab): number {
    return this.#u32[(slab + H_CONTACT_COUNT) >>> 2] ?? 0;
  }

  /** Records from number `from` (from 0) on. Throws RangeError if some were overwritten. */
  records(slab: Slab, from: number): ContactRecord[] {
    const wanted = this.contactCount(slab) - from;
    const kept = this.#records.get(slab) ?? [];
    if (wanted > kept.length) throw new RangeError('contacts were overwritten unread');
    return kept.slice(kept.length - wanted);
  }

  /** The contacts among them, each with the crash pulses until then. */
  contacts(slab: Slab, from: number): ContactFacts[] {
    return this.records(slab, from).flatMap((each) => ('crashPulse' in each ? [] : [each]));
  }

  /** Number of events since the beginning of the world. */
  eventCount(slab: Slab): number {
    return this.#u32[(slab + H_EVENT_COUNT) >>> 2] ?? 0;
  }

  /** The last events, at most EVENT_RING, oldest first. */
  events(slab: Slab): RawEvent[] {
    const count = this.eventCount(slab);
    const shown = Math.min(count, EVENT_RING);
    return Array.from({ length: shown }, (_, i) => {
      const at = slab + EVENTS + ((count - shown + i) % EVENT_RING) * EVENT_BYTES;
      return {
        seq: this.#view.getUint32(at + E_SEQ, true),
        tick: this.#view.getUint32(at + E_TICK, true),
        kind: this.#view.getInt32(at + E_KIND, true),
        car: this.#view.getInt32(at + E_CAR, true),
        feature: this.#view.getInt32(at + E_FEATURE, true),
        hazard: this.#view.getInt32(at + E_HAZARD, true),
        arg: this.#view.getInt32(at + E_ARG, true),
        other: this.#view.getInt32(at + E_OTHER, true),
      };
    });
  }

  /** Makes a car's position NaN, so that the next step traps; for tests. */
  poison(slab: Slab): void {
    this.#view.setFloat64(slab + C_X, Number.NaN, true);
  }
}

function exportsOf(module: KernelOptions['module']): KernelExports {
  if (!(module instanceof WebAssembly.Module)) return module;
  return new WebAssembly.Instance(module, {}).exports as unknown as KernelExports;
}

/** Address of each city's table, and of the first slab. */
function placeTables(tables: readonly ArrayBuffer[]): { addresses: number[]; end: number } {
  if (tables.length > CITY_MAX) throw new RangeError('too many cities');
  let end = CITY_BASE;
  const addresses = tables.map((table) => {
    const address = end;
    end = Math.ceil((end + table.byteLength) / SLAB_ALIGN) * SLAB_ALIGN;
    return address;
  });
  return { addresses, end };
}
