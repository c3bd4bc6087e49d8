import type { MapBody } from '../api/types.ts';
import { hashOf } from './buildings.ts';
import { BODY_PLANS, carBody } from './car-body.ts';
import { at, beside, type Point, type Station } from './lines.ts';
import { MeshBuilder, type Size } from './mesh-builder.ts';
import type { Slot } from './palette.ts';
import { LEAVES, treeBody } from './trees.ts';

/** From farther away even a parked car is a few pixels only. */
const MADE_OUT_PER_PIXEL_M = 0.6;
/** A slim post is drawn thicker than it is, so that it is seen. */
const POST_MIN_M = 0.26;
/** From the ground up, with the reflector below the cap. */
const BANDS: readonly Slot[] = ['stripe', 'plate', 'stripe', 'lampHead', 'stripe'];
/** Nobody drives the cars that are parked: their colours are dull. */
const PAINTS: readonly Slot[] = ['rim', 'metal', 'roof3', 'solar'];
const BUSH_STEP_M = 0.9;
/** Below its bushes, a hedge is as dense as a wall. */
const DENSE = 0.85;
const BOARD_M = 0.1;
const STRIPE_M = 0.5;
const FOOT_EVERY_M = 2;

const footOf = ({ x, y, heading }: MapBody): Station => {
  return { x, y, hx: Math.cos(heading), hy: Math.sin(heading) };
};

/** The ground area of a body, counter-clockwise. */
export function outlineOf(body: MapBody): Point[] {
  const [l, w] = [body.length / 2, body.width / 2];
  const foot = footOf(body);
  return [beside(foot, -l, -w), beside(foot, l, -w), beside(foot, l, w), beside(foot, -l, w)];
}

/** Whether it is worth drawing what stands beside the road. */
export const isMadeOut = (perPixelM: number): boolean => perPixelM < MADE_OUT_PER_PIXEL_M;

/** What always stands beside the lanes of hazard spots. */
export function besideRoadOf(bodies: readonly MapBody[]): MeshBuilder {
  const mesh = new MeshBuilder();
  for (const [i, body] of bodies.entries()) {
    const { kind, length, width, height } = body;
    const foot = footOf(body);
    const put = (aheadM: number, z: number, size: Size, slot: Slot) =>
      mesh.box([...beside(foot, aheadM, 0), z], size, slot, [foot.hx, foot.hy]);
    switch (kind) {
      case 'parked car':
        addCar(mesh, body, foot, i);
        break;
      case 'bollard': {
        const [l, w] = [Math.max(length, POST_MIN_M), Math.max(width, POST_MIN_M)];
        const high = height / BANDS.length;
        for (const [band, slot] of BANDS.entries()) put(0, band * high, [l, w, high], slot);
        break;
      }
      case 'hedge':
        put(0, 0, [length, width, DENSE * height], 'leaf1');
        for (const ahead of steps(length, BUSH_STEP_M)) {
          const [x, y] = beside(foot, ahead, 0);
          addBush(mesh, body, { ...foot, x, y });
        }
        break;
      case 'hoarding':
        put(0, 0.1, [length, BOARD_M, height - 0.1], 'crate');
        for (const ahead of steps(length, FOOT_EVERY_M)) put(ahead, 0, [0.5, width, 0.2], 'kerb');
        for (const [stripe, ahead] of steps(length, STRIPE_M).entries()) {
          const slot = stripe % 2 === 0 ? 'stripe' : 'plate';
          put(ahead, height - 0.4, [STRIPE_M, BOARD_M + 0.04, 0.3], slot);
        }
        break;
      default:
        put(0, 0, [length, width, height], 'fence');
    }
  }
  return mesh;
}

/** Middles of equal pieces of a length, from its middle. */
function steps(lengthM: number, pieceM: number): number[] {
  const count = Math.round(lengthM / pieceM);
  return Array.from({ length: count }, (_, i) => ((i + 0.5) / count - 0.5) * lengthM);
}

/** Adds a mesh at a place, stretched, with other colours in the place of some. */
function addPart(
  mesh: MeshBuilder,
  part: MeshBuilder,
  foot: Station,
  [length, width, height]: Size,
  colours: Partial<Record<Slot, Slot>>,
): void {
  const first = mesh.count;
  for (const [corner, slot] of part.slots.entries()) {
    const [ahead = 0, left = 0, z = 0] = part.positions.slice(3 * corner, 3 * corner + 3);
    const [x, y] = beside(foot, ahead * length, left * width);
    mesh.corner(x, y, z * height, colours[slot] ?? slot, part.shades[corner]);
  }
  for (const index of part.indices) mesh.indices.push(first + index);
}

/** A car like those of the fleet, its lamps dark. */
function addCar(mesh: MeshBuilder, body: MapBody, foot: Station, i: number): void {
  const plans = Object.values(BODY_PLANS);
  const plan = at(plans, i % plans.length);
  const { length, width, height } = body;
  const size = [length / plan.lengthM, width / plan.widthM, height / plan.roofM] as const;
  const paint = at(PAINTS, i % PAINTS.length);
  addPart(mesh, carBody(plan), foot, size, { paint, lampHead: 'rim' });
}

/** A bush like a low tree. */
function addBush(mesh: MeshBuilder, { width, height }: MapBody, foot: Station): void {
  const size = hashOf(foot.x, foot.y);
  const paint = at(LEAVES, Math.floor(hashOf(foot.y, foot.x) * LEAVES.length));
  const radiusM = width * (0.65 + 0.15 * size);
  addPart(mesh, treeBody(), foot, [radiusM, radiusM, height * (0.9 + 0.2 * size)], { paint });
}
