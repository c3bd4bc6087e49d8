import {
  CT_BRAKE_FRONT,
  CT_CENTRE,
  CT_DRIVE_FRONT,
  CT_FRONT,
  CT_HEIGHT,
  CT_INERTIA,
  CT_LENGTH,
  CT_MASS,
  CT_PER_INERTIA,
  CT_PER_MASS,
  CT_PER_WHEELBASE,
  CT_REAR,
  CT_STIFFNESS_FRONT,
  CT_STIFFNESS_REAR,
  CT_UNDERSTEER,
  CT_WHEELBASE,
  CT_WIDTH,
} from '../../assembly/layout.ts';
import type { CarType } from '../twin/fleet.ts';

const GRAVITY_MPS2 = 9.81;

/** The record of a car type in the kernel: offset and value of each field. */
export function carTypeFields(type: CarType): (readonly [field: number, value: number])[] {
  const { stiffnessFront, stiffnessRear } = type;
  return [
    [CT_LENGTH, type.lengthM],
    [CT_WIDTH, type.widthM],
    [CT_MASS, type.massKg],
    [CT_WHEELBASE, type.wheelbaseM],
    [CT_REAR, type.lrM],
    [CT_FRONT, type.wheelbaseM - type.lrM],
    [CT_INERTIA, type.yawInertiaKgM2],
    [CT_HEIGHT, type.heightM],
    [CT_CENTRE, type.centreM],
    [CT_STIFFNESS_FRONT, stiffnessFront],
    [CT_STIFFNESS_REAR, stiffnessRear],
    [CT_DRIVE_FRONT, type.drive === 'front' ? 1 : 0],
    [CT_BRAKE_FRONT, type.brakeFront],
    [CT_PER_MASS, 1 / type.massKg],
    [CT_PER_INERTIA, 1 / type.yawInertiaKgM2],
    [CT_PER_WHEELBASE, 1 / type.wheelbaseM],
    [CT_UNDERSTEER, (1 / stiffnessFront - 1 / stiffnessRear) / GRAVITY_MPS2],
  ];
}
