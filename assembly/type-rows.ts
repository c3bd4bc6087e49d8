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
import { QUAD_ROW } from './quad';
import { DRY } from './road-grip';
import { PER_SHAPE } from './tyre-curve';

/**
 * Parameters of the types of a world's cars, car by car, in rows of DYNAMICS: so they are read as the values
 * of the cars are. They are written when `step` begins and hold until it ends.
 */

/** ½ ρ c_d A, N s²/m². */
export const AIR_DRAG = 0.4;

// Rows of f32, one per car, after those of the sub-steps; see CT_ for the units.
export const TR_FRONT: usize = QUAD_ROW * 23 + DYNAMICS;
export const TR_REAR: usize = QUAD_ROW * 24 + DYNAMICS;
export const TR_WHEELBASE: usize = QUAD_ROW * 25 + DYNAMICS;
export const TR_PER_WHEELBASE: usize = QUAD_ROW * 26 + DYNAMICS;
export const TR_HEIGHT: usize = QUAD_ROW * 27 + DYNAMICS;
export const TR_DRIVE_FRONT: usize = QUAD_ROW * 28 + DYNAMICS;
export const TR_BRAKE_FRONT: usize = QUAD_ROW * 29 + DYNAMICS;
/** Cornering stiffness of each axle ÷ (friction × load), 1/rad, times PER_SHAPE. */
export const TR_GRIP_FRONT: usize = QUAD_ROW * 30 + DYNAMICS;
export const TR_GRIP_REAR: usize = QUAD_ROW * 31 + DYNAMICS;
/** s²/m on a dry road. */
export const TR_UNDERSTEER: usize = QUAD_ROW * 32 + DYNAMICS;
/** ÷ mass, 1/m. */
export const TR_AIR_DRAG: usize = QUAD_ROW * 33 + DYNAMICS;
/** Mass ÷ yaw inertia, 1/m². */
export const TR_TURNING: usize = QUAD_ROW * 34 + DYNAMICS;
export const TYPE_ROWS_END: usize = QUAD_ROW * 35 + DYNAMICS;

/** Fills the rows for the cars of a world. */
export function lookUpTypes(slab: usize): void {
  for (let car = 0; car < CAR_COUNT; car++) {
    const type = typeOf(slab, car);
    const place = (<usize>car) << 2;
    put(TR_FRONT, place, load<f64>(type + CT_FRONT));
    put(TR_REAR, place, load<f64>(type + CT_REAR));
    put(TR_WHEELBASE, place, load<f64>(type + CT_WHEELBASE));
    put(TR_PER_WHEELBASE, place, load<f64>(type + CT_PER_WHEELBASE));
    put(TR_HEIGHT, place, load<f64>(type + CT_HEIGHT));
    put(TR_DRIVE_FRONT, place, load<f64>(type + CT_DRIVE_FRONT));
    put(TR_BRAKE_FRONT, place, load<f64>(type + CT_BRAKE_FRONT));
    put(TR_GRIP_FRONT, place, load<f64>(type + CT_STIFFNESS_FRONT) * PER_SHAPE);
    put(TR_GRIP_REAR, place, load<f64>(type + CT_STIFFNESS_REAR) * PER_SHAPE);
    put(TR_UNDERSTEER, place, load<f64>(type + CT_UNDERSTEER) * (1.0 / DRY));
    put(TR_AIR_DRAG, place, AIR_DRAG * load<f64>(type + CT_PER_MASS));
    put(TR_TURNING, place, load<f64>(type + CT_MASS) * load<f64>(type + CT_PER_INERTIA));
  }
}

@inline function put(row: usize, place: usize, value: f64): void {
  store<f32>(row + place, <f32>value);
}
