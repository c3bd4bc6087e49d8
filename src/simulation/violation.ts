/** What must hold in every run. */
export type Invariant =
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'I5'
  | 'I6'
  | 'I7'
  | 'I8'
  | 'I9'
  | 'I10'
  | 'I11'
  | 'I12'
  | 'I13'
  | 'I14'
  | 'no error';

export const INVARIANTS: Readonly<Record<Invariant, string>> = {
  I1: 'the writes of two grants of a partition never mix, and epochs rise',
  I2: 'every acknowledged change stays, unless the store has lost its last writes',
  I3: 'the ticks of a world rise over all answers, and so do the epochs',
  I4: 'nothing is acknowledged that the store did not accept, nothing is shown past its deadline',
  I5: 'every snapshot is that of the world lived from its seed and its journal',
  I6: 'after the last fault each partition has one holder soon, and worlds can be read',
  I7: 'where nothing fails a stream shows every frame once',
  I8: 'where nothing fails no request does',
  I9: 'two holders of a partition never show a world at the same time',
  I10: 'partitions are spread evenly, by few moves',
  I11: 'no world is deleted while it is watched, or before its idle time has passed',
  I12: 'once a log-out is answered, no node accepts the token',
  I13: 'where nothing fails no world stands still for over a second',
  I14: 'where nothing fails nothing goes to an older build while a newer one serves',
  'no error': 'no part throws what nobody handles',
};

/** An invariant does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: Invariant;

  constructor(invariant: Invariant, message: string) {
    super(`${invariant} (${INVARIANTS[invariant]}): ${message}`);
    this.invariant = invariant;
  }
}
