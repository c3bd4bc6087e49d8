import { Ranges, type RangesDependencies } from '../cluster/ranges.ts';
import type { Claims } from '../store/contract.ts';

/** The partitions of a node in a run that uses some of them: new worlds are made in these. */
export class UsedRanges extends Ranges {
  readonly #used: ReadonlySet<number>;

  constructor(claims: Claims, dependencies: RangesDependencies, used: readonly number[]) {
    super(claims, dependencies);
    this.#used = new Set(used);
  }

  override shown(): readonly number[] {
    return super.shown().filter((partition) => this.#used.has(partition));
  }
}
