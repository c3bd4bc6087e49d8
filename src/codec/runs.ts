/**
 * Most bytes of a frame never change. They are kept as numbered runs and copied eight bytes at a
 * time, as doubles: that takes an eighth of the stores. No run holds the bits of a NaN, the only
 * doubles that an engine may alter on the way.
 */
const WORD_BYTES = 8;

/** A copy ends at a whole word: so many bytes behind the end of a frame may be overwritten. */
export const OVERRUN_BYTES = WORD_BYTES - 1;

export class Runs {
  readonly #words: Float64Array;
  readonly #starts: Int32Array;
  readonly #byteCounts: Int32Array;

  constructor(runs: readonly Uint8Array[]) {
    const wordCounts = runs.map((run) => Math.ceil(run.length / WORD_BYTES));
    const total = wordCounts.reduce((sum, count) => sum + count, 0);
    const bytes = new Uint8Array(total * WORD_BYTES);
    this.#words = new Float64Array(bytes.buffer);
    this.#starts = new Int32Array(runs.length);
    this.#byteCounts = Int32Array.from(runs, (run) => run.length);
    let start = 0;
    for (const [index, run] of runs.entries()) {
      this.#starts[index] = start;
      bytes.set(run, start * WORD_BYTES);
      start += wordCounts[index] ?? 0;
    }
  }

  /** Writes a run and returns where it ends. */
  copy(view: DataView, at: number, run: number): number {
    const words = this.#words;
    const end = at + (this.#byteCounts[run] as number);
    let word = this.#starts[run] as number;
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
