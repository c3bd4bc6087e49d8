import {
  A_STATE,
  ACTOR_ACTS,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  FRAME_TICKS,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { HazardKind } from '../../city/types.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { cities, makeOneWorld } from './kernel.ts';
import { SpotStage } from './spot-stage.ts';

export const MODEL_WIDTH_M = at(CAR_TYPES, 2).widthM;

/** Features of a car that drives and reacts to nothing. */
export const ACTUATORS = F_STEERING | F_BRAKES | F_THROTTLE;

/** The first spot of a kind in the city of that name, or in the first city that has one. */
export function stageOf(kind: HazardKind, seed = 1, name?: string): SpotStage {
  const cityIndex = cities.cities.findIndex(
    (city) => city.name === (name ?? city.name) && city.hazards.some((h) => h.kind === kind),
  );
  const city = at(cities.cities, cityIndex);
  const { kernel, slab } = makeOneWorld(seed, cityIndex);
  kernel.step(slab, 104);
  const spot = city.hazards.findIndex((hazard) => hazard.kind === kind);
  return new SpotStage(kernel, slab, city, spot);
}

/** Steps from scan to scan until the condition holds; false if it does not within `ticks`. */
export function stepUntil(stage: SpotStage, isSo: () => boolean, ticks: number): boolean {
  const end = stage.tick + ticks;
  while (!isSo()) {
    if (stage.tick >= end) return false;
    stage.kernel.step(stage.slab, FRAME_TICKS - (stage.tick % FRAME_TICKS));
  }
  return true;
}

export const acts = (stage: SpotStage) => () => stage.i32(A_STATE) === ACTOR_ACTS;

export function contactOf(stage: SpotStage, ticks: number): ContactFacts | undefined {
  stepUntil(stage, () => stage.contactCount > 0, ticks);
  return stage.kernel.contacts(stage.slab, 0)[0];
}

/** From the middle of the car's front to where it was hit, m to the left. */
export function frontOffset({ parties: [{ impactX, impactY }] }: ContactFacts): number {
  return (impactY / impactX) * (at(CAR_TYPES, 2).lengthM / 2);
}
