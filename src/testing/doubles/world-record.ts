import { CAR_COUNT, F_ALL } from '../../../assembly/layout.ts';
import type { WorldRecord } from '../../worlds/records.ts';

/** The record of a world as it is made by default: from tick 0, with everything on. */
export function worldRecord(fields: Partial<WorldRecord> = {}): WorldRecord {
  const masks = Array.from({ length: CAR_COUNT }, () => F_ALL);
  return {
    ...{ seed: 1, city: 'grid', createdAtMs: 0, kernel: 'k', exact: true, due: 0 },
    ...{ livedCount: 0, masks, maskSeq: 0, maskTick: 0 },
    from: { tick: 0, seq: 0, masks },
    ...fields,
  };
}
