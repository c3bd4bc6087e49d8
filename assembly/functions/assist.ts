import { CAR_COUNT, C_STATUS, STATUS_CRASHED } from '../layout';
import { getI } from '../memory';
import { assistAtCrossing } from './intersection-assist';

/** Lets the functions of each car act on what its sensors deliver, once a look. */
export function assist(slab: usize, city: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) continue;
    assistAtCrossing(slab, car);
  }
}
