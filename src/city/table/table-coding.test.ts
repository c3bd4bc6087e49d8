import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  B_CORNER,
  BLOCK_BYTES,
  POINT_BYTES,
  T_BLOCKS,
  T_LIGHTS,
  T_POINTS,
} from '../../../assembly/layout.ts';
import { loadCities } from '../../load-cities.ts';
import { CITIES } from '../catalogue.ts';
import { BUILT_CITIES } from '../city-set.ts';
import { at } from '../geometry.ts';
import { CODING_VERSION, decodeTable, encodeTable } from './table-coding.ts';

/** If one changes although its table does not, programs that read this version get an error. */
const SHA256_OF_CODED: Readonly<Record<string, string>> = {
  grid: '8a093b3d78ed8915d48b0b7fb484e10aaa8a72e54b35cce4e3f70003e58a7cfc',
  'old-town': '61b9aefb14da122b8a4a54abab65d745204512d7cc48939e358a3880598e8b9c',
  'mixed-town': '0d661ea9dff781e3d1af06b50173d4bb7efde42074e932a5fc11559427567a58',
};
/** What a client gets of a table at most, compressed. */
const SENT_BYTES_MAX = { br: 180_000, gz: 200_000 };

const { tables } = loadCities();
const grid = at(tables, 0);
const codedGrid = built('grid.coded');

function built(file: string): Buffer {
  return readFileSync(new URL(file, BUILT_CITIES));
}

const sameBytes = (a: ArrayBuffer, b: ArrayBuffer) => Buffer.from(a).equals(Buffer.from(b));

// main.test.ts proves that the coded tables are those of the sources.
describe.each(CITIES.map(({ name }, i) => [name, at(tables, i)] as const))(
  'the table of %s',
  (name, table) => {
    test('comes out of its coded form to the bit', () => {
      expect(sameBytes(decodeTable(built(`${name}.coded`)), table)).toBe(true);
    });

    test('is small when it is sent', () => {
      const coded = built(`${name}.coded`);
      const [br, gz] = [built(`${name}.coded.br`), built(`${name}.coded.gz`)];
      expect(brotliDecompressSync(br).equals(coded), 'run npm run build').toBe(true);
      expect(gunzipSync(gz).equals(coded), 'run npm run build').toBe(true);
      expect(br.byteLength).toBeLessThan(SENT_BYTES_MAX.br);
      expect(gz.byteLength).toBeLessThan(SENT_BYTES_MAX.gz);
    });

    test(`has the coded form of version ${CODING_VERSION}`, () => {
      const hash = createHash('sha256')
        .update(built(`${name}.coded`))
        .digest('hex');
      expect(hash, 'with the same table: raise CODING_VERSION').toBe(SHA256_OF_CODED[name]);
    });
  },
);

describe('any table', () => {
  const view = () => new DataView(grid.slice(0));

  test('comes out of its coded form, whatever its numbers are', () => {
    const changed = view();
    const [points, blocks] = [T_POINTS, T_BLOCKS].map((field) => changed.getInt32(field, true));
    const strange = [Number.NaN, -0, Number.POSITIVE_INFINITY, -1e30, 5e-324, 1e-45, 1 / 3];
    for (const [i, value] of strange.entries()) {
      for (let field = 0; field < POINT_BYTES; field += 4) {
        changed.setFloat32((points ?? 0) + 40 * i * POINT_BYTES + field, value, true);
      }
      changed.setFloat64((blocks ?? 0) + i * BLOCK_BYTES + B_CORNER, value, true);
    }
    // Another NaN than the one that engines make.
    changed.setUint32((points ?? 0) + 300 * POINT_BYTES, 0xffc12345, true);
    expect(sameBytes(changed.buffer, grid)).toBe(false);
    expect(sameBytes(decodeTable(encodeTable(changed.buffer)), changed.buffer)).toBe(true);
  });

  test('has all of its bytes in its records, or is refused', () => {
    const changed = view();
    const [blocks = 0, lights = 0] = [T_BLOCKS, T_LIGHTS].map((field) =>
      changed.getInt32(field, true),
    );
    expect((lights - blocks) % BLOCK_BYTES).toBeGreaterThan(0);
    changed.setUint8(lights - 1, 1);
    expect(() => encodeTable(changed.buffer)).toThrow('gives another table than was coded');
  });
});

describe('a coded table', () => {
  const changedAt = (offset: number) => {
    const changed = new Uint8Array(codedGrid);
    changed[offset] = (changed[offset] ?? 0) ^ 0x10;
    return changed;
  };

  test('is refused if it is damaged anywhere', () => {
    const { byteLength } = codedGrid;
    const offsets = [4, 8, 11, 12, 15, 16, 17, 5000, 100_001, byteLength - 2, byteLength - 1];
    for (const offset of offsets) {
      expect(() => decodeTable(changedAt(offset)), `${offset}`).toThrow(
        'the coded table is damaged',
      );
    }
    for (const length of [16, 100, 5000, byteLength - 1]) {
      const cut = codedGrid.subarray(0, length);
      expect(() => decodeTable(cut), `${length}`).toThrow('the coded table is damaged');
    }
  });

  test('is refused if it has another version, or is none', () => {
    const { byteLength } = codedGrid;
    expect(byteLength).toBeGreaterThan(16);
    const other = new Uint8Array(codedGrid);
    other[0] = CODING_VERSION + 1;
    expect(() => decodeTable(other)).toThrow(
      `the table has coding ${CODING_VERSION + 1} where ${CODING_VERSION} can be read`,
    );
    for (const none of [new Uint8Array(grid), new Uint8Array(15), new Uint8Array(1000)]) {
      expect(() => decodeTable(none)).toThrow('this is no coded table');
    }
  });

  test('may lie anywhere in memory', () => {
    const memory = new Uint8Array(codedGrid.byteLength + 3);
    memory.set(codedGrid, 3);
    expect(sameBytes(decodeTable(memory.subarray(3)), grid)).toBe(true);
  });
});
