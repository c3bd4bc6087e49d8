import { C_DECLARED, C_EFFECTIVE, EVENT_CONFIGURATION, FEATURE_COUNT } from './layout';
import { raise } from './events';
import { effective } from './features';
import { getI, setI } from './memory';

/**
 * Sets the features in `touched` of one car to their bits in `values`, while the state of `tick` is
 * formed. Raises one event per feature that changes.
 */
export function apply(slab: usize, tick: u32, car: i32, touched: i32, values: i32): void {
  const before = getI(slab, C_DECLARED, car);
  const after = (before & ~touched) | (values & touched);
  const changed = before ^ after;
  for (let feature = 0; feature < FEATURE_COUNT; feature++) {
    if ((changed >> feature) & 1)
      raise(slab, tick, EVENT_CONFIGURATION, car, feature, -1, (after >> feature) & 1, -1);
  }
  setI(slab, C_DECLARED, car, after);
  setI(slab, C_EFFECTIVE, car, effective(after));
}
