import {
  CAR_COUNT,
  CT_BRAKE_FRONT,
  CT_DRIVE_FRONT,
  CT_FRONT,
  CT_HEIGHT,
  CT_MASS,
  CT_PER_INERTIA,
  CT_PER_MASS,
  CT_PER_WHEELBASE,
  CT_REAR,
  CT_STIFFNESS_FRONT,
  CT_STIFFNESS_REAR,
  CT_UNDERSTEER,
  CT_WHEELBASE,
  DYNAMICS,
} from './layout';
import { typeOf } from './memory';
import { ROW } from './pair';
import { QUAD_ROW } from './quad';
import { DRY } from './road-grip';
import { PER_SHAPE } from './tyre-curve';

/**
 * Parameters of the types of a world's cars, car by car, in rows of DYNAMICS: so they are read as the values
 * of the cars are. They are written when `step` begins and hold until it ends.
 */

/** ½ ρ c_d A, N s²/m². */
export const AIR_DRAG = 0.4;

// Rows of f32, one per car, after those of the sub-steps.
export const TQ_FRONT: usize = QUAD_ROW * 23 + DYNAMICS;
export const TQ_REAR: usize = QUAD_ROW * 24 + DYNAMICS;
/** Cornering stiffness of each axle ÷ (friction × load), 1/rad, times PER_SHAPE. */
export const TQ_GRIP_FRONT: usize = QUAD_ROW * 25 + DYNAMICS;
export const TQ_GRIP_REAR: usize = QUAD_ROW * 26 + DYNAMICS;
/** ÷ mass, 1/m. */
export const TQ_AIR_DRAG: usize = QUAD_ROW * 27 + DYNAMICS;
/** Mass ÷ yaw inertia, 1/m². */
export const TQ_TURNING: usize = QUAD_ROW * 28 + DYNAMICS;
const QUAD_END: usize = QUAD_ROW * 29 + DYNAMICS;

// Rows of f64, one per car, see CT_.
export const TR_FRONT: usize = ROW * 0 + QUAD_END;
export const TR_REAR: usize = ROW * 1 + QUAD_END;
export const TR_WHEELBASE: usize = ROW * 2 + QUAD_END;
export const TR_PER_WHEELBASE: usize = ROW * 3 + QUAD_END;
export const TR_HEIGHT: usize = ROW * 4 + QUAD_END;
export const TR_DRIVE_FRONT: usize = ROW * 5 + QUAD_END;
export const TR_BRAKE_FRONT: usize = ROW * 6 + QUAD_END;
/** s²/m on a dry road. */
export const TR_UNDERSTEER: usize = ROW * 7 + QUAD_END;
/** ÷ mass, 1/m. */
export const TR_AIR_DRAG: usize = ROW * 8 + QUAD_END;
export const TYPE_ROWS_END: usize = ROW * 9 + QUAD_END;

/** Fills the rows for the cars of a world. */
export function lookUpTypes(slab: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    const type = typeOf(slab, car);
    const place = (<usize>car) << 3;
    copy(type, CT_FRONT, TR_FRONT, place);
    copy(type, CT_REAR, TR_REAR, place);
    copy(type, CT_WHEELBASE, TR_WHEELBASE, place);
    copy(type, CT_PER_WHEELBASE, TR_PER_WHEELBASE, place);
    copy(type, CT_HEIGHT, TR_HEIGHT, place);
    copy(type, CT_DRIVE_FRONT, TR_DRIVE_FRONT, place);
    copy(type, CT_BRAKE_FRONT, TR_BRAKE_FRONT, place);
    store<f64>(TR_UNDERSTEER + place, load<f64>(type + CT_UNDERSTEER) * (1.0 / DRY));
    const drag = AIR_DRAG * load<f64>(type + CT_PER_MASS);
    store<f64>(TR_AIR_DRAG + place, drag);
    narrow(TQ_FRONT, place, load<f64>(type + CT_FRONT));
    narrow(TQ_REAR, place, load<f64>(type + CT_REAR));
    narrow(TQ_GRIP_FRONT, place, load<f64>(type + CT_STIFFNESS_FRONT) * PER_SHAPE);
    narrow(TQ_GRIP_REAR, place, load<f64>(type + CT_STIFFNESS_REAR) * PER_SHAPE);
    narrow(TQ_AIR_DRAG, place, drag);
    narrow(TQ_TURNING, place, load<f64>(type + CT_MASS) * load<f64>(type + CT_PER_INERTIA));
  }
}

@inline function copy(type: usize, field: usize, row: usize, place: usize): void {
  store<f64>(row + place, load<f64>(type + field));
}

@inline function narrow(row: usize, place: usize, value: f64): void {
  store<f32>(row + (place >> 1), <f32>value);
}
