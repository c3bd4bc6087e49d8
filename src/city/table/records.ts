import * as layout from '../../../assembly/layout.ts';
import { KINDS, type Kind } from './number-kinds.ts';

/** One number of each of some records. */
export interface Column {
  kind: Kind;
  /** Offset of the first of them. */
  start: number;
  stride: number;
  count: number;
  /**
   * What the number of a record is expected to be, from all that earlier columns have and this one has in
   * records before.
   */
  expected: (index: number) => number;
}

/** A part of a table. */
export interface Section {
  start: number;
  end: number;
}

/** Records of equal length in a table that is filled column by column. */
export class Records {
  readonly #view: DataView;
  readonly #start: number;
  readonly #stride: number;
  readonly count: number;

  constructor(view: DataView, { start, end }: Section, stride: number) {
    this.#view = view;
    this.#start = start;
    this.#stride = stride;
    this.count = Math.floor((end - start) / stride);
  }

  // Numbers of a record; 0 before the first.

  u16(field: number, index: number): number {
    return index < 0 ? 0 : this.#view.getUint16(this.#offset(field, index), true);
  }

  i32(field: number, index: number): number {
    return index < 0 ? 0 : this.#view.getInt32(this.#offset(field, index), true);
  }

  f32(field: number, index: number): number {
    return index < 0 ? 0 : this.#view.getFloat32(this.#offset(field, index), true);
  }

  f64(field: number, index: number): number {
    return index < 0 ? 0 : this.#view.getFloat64(this.#offset(field, index), true);
  }

  #offset(field: number, index: number): number {
    return this.#start + index * this.#stride + field;
  }

  /** By default a number is expected to be that of the record before. */
  column(
    kind: Kind,
    field: number,
    expected: Column['expected'] = (i) => this[kind](field, i - 1),
  ): Column {
    return { kind, start: this.#start + field, stride: this.#stride, count: this.count, expected };
  }

  columns(kind: Kind, fields: readonly number[]): Column[] {
    return fields.map((field) => this.column(kind, field));
  }

  /** All of the records, as words. */
  words(): Column[] {
    const { bytes } = KINDS.i32;
    const count = this.#stride / bytes;
    return this.columns(
      'i32',
      Array.from({ length: count }, (_, i) => i * bytes),
    );
  }
}

/** In the header of a table: where each section begins. */
const STARTS = [
  ...[layout.T_LANES, layout.T_POINTS, layout.T_JUNCTIONS, layout.T_ROUTES, layout.T_ROUTE_LANES],
  ...[layout.T_BLOCKS, layout.T_LIGHTS, layout.T_HAZARDS, layout.T_ZONES, layout.T_CONFLICTS],
  ...[layout.T_PATHS, layout.T_GRID, layout.T_GRID_BOXES, layout.T_ROADSIDE],
];

/** The sections of a table. */
export class Sections {
  readonly view: DataView;
  readonly #starts: readonly number[];
  readonly #end: number;

  /** @param view the table, of which the header is there, and what may be behind it */
  constructor(view: DataView, tableBytes: number) {
    this.view = view;
    this.#starts = STARTS.map((field) => view.getInt32(field, true));
    this.#end = tableBytes;
  }

  /** Up to the next one. */
  section(field: number): Section {
    const start = this.view.getInt32(field, true);
    return { start, end: Math.min(this.#end, ...this.#starts.filter((each) => each > start)) };
  }

  records(field: number, stride: number): Records {
    return new Records(this.view, this.section(field), stride);
  }
}
