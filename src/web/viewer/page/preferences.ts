import { readStored, store } from '../../common/storage.ts';

/** Flags that this browser remembers of a visitor. */

const YES = 'yes';

export function readFlag(key: string): boolean {
  return readStored('localStorage', key) === YES;
}

export function storeFlag(key: string, isSet: boolean): void {
  store('localStorage', key, isSet ? YES : null);
}
