import {
  AEB_EASES,
  AEB_NONE,
  AEB_WARN,
  CONTACT_ANIMAL,
  C_ANIMAL_STAGE,
  C_EFFECTIVE,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_FRONT_CAMERA,
  TG_CLASS,
  TG_OBJECT,
} from '../layout';
import { getI, setI } from '../memory';
import { targetRecord } from '../targets';
import { decelOf, stageFor } from './brake-ladder';
import { announce, credit, demand } from './intervention';

/** Animals are unpredictable: full braking begins at this share of the usual time. */
const READINESS = 0.9;

/** Brakes for animals that the front camera recognises; without brakes it only warns. */
export function brakeForAnimals(slab: usize, city: usize, car: i32, near: u32): void {
  const held = getI(slab, C_ANIMAL_STAGE, car);
  let stage = AEB_NONE;
  const features = getI(slab, C_EFFECTIVE, car);
  if (features & F_ANIMAL_DETECTION) {
    for (let left = near; left != 0; left &= left - 1) {
      const target = targetRecord(car, <i32>ctz(left));
      if (load<i32>(target + TG_CLASS) != CONTACT_ANIMAL) continue;
      let own = stageFor(slab, city, car, target, held, READINESS);
      if (own >= AEB_EASES) {
        if (features & F_BRAKES) act(slab, car, target, own, held);
        else own = AEB_WARN;
      }
      if (own > stage) stage = own;
    }
  }
  setI(slab, C_ANIMAL_STAGE, car, stage);
}

function act(slab: usize, car: i32, target: usize, stage: i32, held: i32): void {
  demand(slab, car, decelOf(slab, car, stage));
  if (held < AEB_EASES) announce(slab, car, F_ANIMAL_DETECTION, load<i32>(target + TG_OBJECT));
  credit(slab, car, F_ANIMAL_DETECTION | F_BRAKES | F_FRONT_CAMERA);
}
