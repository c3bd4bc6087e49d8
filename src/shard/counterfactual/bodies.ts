import {
  A_HX,
  A_HY,
  A_STATE,
  A_X,
  A_Y,
  ACTOR_WAITS,
  B_CORNER,
  B_CORNERS,
  BLOCK_BYTES,
  C_HX,
  C_HY,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  HAZARD_BYTES,
  HAZARD_SPOT_BYTES,
  HAZARDS,
  HS_BODY_LENGTH,
  HS_BODY_WIDTH,
  T_BLOCKS,
  T_HAZARDS,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { realOf, type SlabArrays } from '../../kernel/slab-arrays.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import type { ContactFacts, PartyFacts } from '../../twin/incidents.ts';
import { boxCorners, type Polygon } from './separation.ts';

/** The current outline of a party of a contact; undefined while it is absent. */
type BodyNow = (world: SlabArrays) => Polygon | undefined;

/** The outlines of both parties. */
export type Bodies = readonly [BodyNow, BodyNow];

/** `table`: the city's table, as the kernel reads it. */
export function bodiesOf(contact: ContactFacts, table: ArrayBuffer): Bodies {
  const bodyOf = ({ car }: PartyFacts): BodyNow =>
    car < 0 ? strangerBody(contact, table) : (world) => carBody(world, car);
  const [first, second] = contact.parties;
  return [bodyOf(first), bodyOf(second)];
}

export function speedOf(world: SlabArrays, car: number): number {
  return Math.hypot(realOf(world, C_VX, car), realOf(world, C_VY, car));
}

function carBody(world: SlabArrays, car: number): Polygon {
  const type = at(CAR_TYPES, world.i32[C_TYPE / 4 + car] ?? 0);
  const hx = realOf(world, C_HX, car);
  const hy = realOf(world, C_HY, car);
  const x = realOf(world, C_X, car) + type.centreM * hx;
  const y = realOf(world, C_Y, car) + type.centreM * hy;
  return boxCorners(x, y, hx, hy, type.lengthM, type.widthM);
}

/** A party outside the fleet: a fixed obstacle or an actor. */
function strangerBody({ block, hazard }: ContactFacts, table: ArrayBuffer): BodyNow {
  const view = new DataView(table);
  if (block >= 0) {
    const polygon = blockPolygon(view, block);
    return () => polygon;
  }
  const spot = view.getInt32(T_HAZARDS, true) + hazard * HAZARD_SPOT_BYTES;
  const lengthM = view.getFloat64(spot + HS_BODY_LENGTH, true);
  const widthM = view.getFloat64(spot + HS_BODY_WIDTH, true);
  const actor = HAZARDS + hazard * HAZARD_BYTES;
  return ({ f64, i32 }) => {
    if (i32[(actor + A_STATE) / 4] === ACTOR_WAITS) return undefined;
    const [x = 0, y = 0] = [f64[(actor + A_X) / 8], f64[(actor + A_Y) / 8]];
    const [hx = 1, hy = 0] = [f64[(actor + A_HX) / 8], f64[(actor + A_HY) / 8]];
    return boxCorners(x, y, hx, hy, lengthM, widthM);
  };
}

function blockPolygon(view: DataView, block: number): Polygon {
  const start = view.getInt32(T_BLOCKS, true) + block * BLOCK_BYTES;
  const corners = view.getInt32(start + B_CORNERS, true);
  return Array.from({ length: 2 * corners }, (_, i) =>
    view.getFloat64(start + B_CORNER + i * 8, true),
  );
}
