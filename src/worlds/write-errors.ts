import { TwinError } from '../errors.ts';
import { StoreUnavailable } from '../store/contract.ts';

const RETRY_AFTER_S = 2;

/** A check of the commit failed: nothing was written. */
export class RefusedWrite extends TwinError {
  constructor() {
    super('store_unavailable', 'Another node serves this world; try again.', 1);
  }
}

/** It is unknown whether the store makes the write. */
export class UncertainWrite extends TwinError {
  /** Until it resolves, a read does not show the outcome. */
  readonly settled: Promise<void> | undefined;

  constructor(settled?: Promise<void>) {
    super('store_unavailable', 'The change may have been made: read it back.', RETRY_AFTER_S);
    this.settled = settled;
  }
}

/** Turns errors of the store into those that clients get. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    if (error.reason === 'unknown') throw new UncertainWrite(error.settled);
    throw new TwinError('store_unavailable', undefined, RETRY_AFTER_S);
  }
}
