/**
 * Most bytes of a frame never change. They are kept as numbered runs and copied eight bytes at a
 * time, as doubles: that takes an eighth of the stores. NaN is the only double that an engine may
 * alter on the way, and no run holds one: its bits would be a byte 0x7f or 0xff behind one of 0xf0
 * or more, which neither UTF-8 nor the MessagePack formats in use produce.
 */
const WORD_BYTES = 8;

/** A copy ends at a whole word: so many bytes behind the end of a frame may be overwritten. */
export const OVERRUN_BYTES = WORD_BYTES - 1;

export class Runs {
  readonly #words: Float64Array;
  /** Per run its first word and its length in bytes. */
  readonly #index: Int32Array;

  constructor(runs: readonly Uint8Array[]) {
    const wordCounts = runs.map((run) => Math.ceil(run.length / WORD_BYTES));
    const bytes = new Uint8Array(WORD_BYTES * wordCounts.reduce((sum, count) => sum + count, 0));
    this.#words = new Float64Array(bytes.buffer);
    this.#index = new Int32Array(2 * runs.length);
    let start = 0;
    for (const [i, run] of runs.entries()) {
      this.#index.set([start, run.length], 2 * i);
      bytes.set(run, start * WORD_BYTES);
      start += wordCounts[i] ?? 0;
    }
  }

  /** Writes a run and returns where it ends. */
  copy(view: DataView, at: number, run: number): number {
    const words = this.#words;
    let word = this.#index[2 * run] as number;
    const end = at + (this.#index[2 * run + 1] as number);
    for (let to = at; to < end; to += WORD_BYTES) {
      view.setFloat64(to, words[word++] as number, true);
    }
    return end;
  }
}

let lastOut: Uint8Array | undefined;
let lastView: DataView = new DataView(new ArrayBuffer(0));

/** The same bytes as a view. All frames of a beat go into one buffer, so the last view is kept. */
export function viewOf(out: Uint8Array): DataView {
  if (out !== lastOut) {
    lastOut = out;
    lastView = new DataView(out.buffer, out.byteOffset, out.byteLength);
  }
  return lastView;
}
