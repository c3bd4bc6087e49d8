import { systemTime } from '../../time.ts';

/** Counts what is done in one turn of the event loop. */
export class TurnCount {
  /** The most that was done in one turn. */
  most = 0;
  total = 0;
  #inTurn = 0;

  add(): void {
    if (this.#inTurn === 0) systemTime.immediate(() => (this.#inTurn = 0));
    this.#inTurn++;
    this.total++;
    this.most = Math.max(this.most, this.#inTurn);
  }
}
