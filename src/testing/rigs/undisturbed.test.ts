import { beforeEach, expect, test } from 'vitest';
import {
  A_STATE,
  A_X,
  ACTOR_ACTS,
  C_EMERGENCY,
  C_FLAGS,
  C_X,
  CAR_COUNT,
  FLAG_BRAKING,
  FLAG_ESC,
  HAZARD_BYTES,
  HAZARDS,
  SLAB_BYTES,
} from '../../../assembly/layout.ts';
import { type SlabArrays, slabArrays } from '../../kernel/slab-arrays.ts';
import { setReal } from './slab-editor.ts';
import { Undisturbed } from './undisturbed.ts';

/** Cars stand 100 m apart; nobody is out at any spot. */
let slab: SlabArrays;
let undisturbed: Undisturbed;
beforeEach(() => {
  slab = slabArrays(new ArrayBuffer(SLAB_BYTES));
  for (let car = 0; car < CAR_COUNT; car++) setReal(slab, C_X, car, 100 * car);
  undisturbed = new Undisturbed(slab, 2);
});

const undisturbedCars = (): number[] =>
  Array.from({ length: CAR_COUNT }, (_, car) => car).filter((car) =>
    undisturbed.isUndisturbed(car),
  );

test('all are undisturbed where nothing happens, and while they brake as drivers do', () => {
  slab.i32[C_FLAGS / 4 + 3] = FLAG_BRAKING;
  undisturbed.look(1);
  expect(undisturbedCars()).toHaveLength(CAR_COUNT);
});

test('a car is not undisturbed from an intervention until five seconds after it', () => {
  slab.i32[C_FLAGS / 4 + 3] = FLAG_ESC;
  setReal(slab, C_EMERGENCY, 5, 4);
  undisturbed.look(10);
  slab.i32[C_FLAGS / 4 + 3] = 0;
  setReal(slab, C_EMERGENCY, 5, 0);
  undisturbed.look(259);
  expect([
    undisturbed.isUndisturbed(3),
    undisturbed.isUndisturbed(5),
    undisturbed.isUndisturbed(4),
  ]).toEqual([false, false, true]);
  undisturbed.look(260);
  expect([undisturbed.isUndisturbed(3), undisturbed.isUndisturbed(5)]).toEqual([true, true]);
});

test('who is out at a spot concerns the cars within 60 m, for five seconds beyond', () => {
  const actor = HAZARDS + HAZARD_BYTES;
  slab.i32[(actor + A_STATE) / 4] = ACTOR_ACTS;
  setReal(slab, actor + A_X, 0, 250);
  undisturbed.look(1);
  // Cars 2 and 3 are 50 m from it, all others 150 m or more.
  expect([
    undisturbed.isUndisturbed(1),
    undisturbed.isUndisturbed(2),
    undisturbed.isUndisturbed(3),
    undisturbed.isUndisturbed(4),
  ]).toEqual([true, false, false, true]);
  slab.i32[(actor + A_STATE) / 4] = 0;
  undisturbed.look(251);
  expect(undisturbedCars()).toHaveLength(CAR_COUNT);
});
