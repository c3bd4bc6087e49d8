/** The greatest value of something, and where it was seen. */
export class Extreme {
  value = 0;
  where = '';

  note(value: number, where: string): void {
    this.value = value;
    this.where = where;
  }
}

const LATERAL_BIN_MPS2 = 0.01;
const LATERAL_BINS = 2000;
/** Number of examples that are kept of each violation. */
const EXAMPLES_MAX = 5;

/** Counts and sums of the worlds of one city. */
export class DrivingTally {
  carTicks = 0;
  /** Of cars that move: those that stand would flatter every mean. */
  movingTicks = 0;
  distanceM = 0;
  /** Outside junctions, of cars that move. */
  offsetSquares = 0;
  offsetTicks = 0;
  readonly offset = new Extreme();
  /** The kernel's offset against the distance to the lane's centre line. */
  readonly offsetError = new Extreme();
  readonly speedShare = new Extreme();
  readonly stoodTicks = new Extreme();

  /** Of cars that move, in bins of |lateral acceleration|. */
  readonly #lateral = new Uint32Array(LATERAL_BINS);
  readonly lateral = new Extreme();

  gapCount = 0;
  gapsInBand = 0;
  readonly narrowestGap = new Extreme();
  readonly widestGap = new Extreme();

  arrivals = 0;
  redCrossings = 0;
  choices = 0;
  goes = 0;
  wrongGoes = 0;
  wrongStops = 0;

  contacts = 0;
  overlaps = 0;
  respawns = 0;
  unfinishedLoops = 0;

  jumps = 0;
  notFinite = 0;
  readonly headingError = new Extreme();
  readonly distanceError = new Extreme();
  readonly headingLengthError = new Extreme();
  readonly turnError = new Extreme();

  readonly examples = new Map<string, string[]>();

  constructor() {
    this.narrowestGap.value = Number.POSITIVE_INFINITY;
  }

  addLateral(mps2: number): void {
    const bin = Math.min(LATERAL_BINS - 1, Math.floor(mps2 / LATERAL_BIN_MPS2));
    this.#lateral[bin] = (this.#lateral[bin] ?? 0) + 1;
  }

  /** The upper edge of the bin that `share` of all values lie below or in. */
  lateralPercentile(share: number): number {
    let left = this.movingTicks * share;
    const bin = this.#lateral.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return (bin + 1) * LATERAL_BIN_MPS2;
  }

  example(what: string, where: string): void {
    const known = this.examples.get(what);
    if (!known) this.examples.set(what, [where]);
    else if (known.length < EXAMPLES_MAX) known.push(where);
  }
}
