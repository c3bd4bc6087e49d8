import type { MapBody } from '../api/types.ts';
import { hashOf } from './buildings.ts';
import { BODY_PLANS, carBody } from './car-body.ts';
import { at, beside, type Point, type Station } from './lines.ts';
import type { MeshBuilder, Size } from './mesh-builder.ts';
import type { Slot } from './palette.ts';
import type { Tree } from './trees.ts';

/** A slim post is drawn thicker than it is, so that it is seen. */
const POST_MIN_M = 0.26;
/** From the ground up, with the reflector below the cap. */
const BANDS: readonly Slot[] = ['stripe', 'plate', 'stripe', 'lampHead', 'stripe'];
/** Nobody drives the cars that are parked: their colours are dull. */
const PAINTS: readonly Slot[] = ['rim', 'metal', 'roof3', 'solar'];
const BUSH_STEP_M = 0.9;
/** Below its bushes, a hedge is as dense as a wall. */
const DENSE = 0.72;
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

/** Adds what always stands beside the lanes of hazard spots. */
export function addBesideRoad(mesh: MeshBuilder, bodies: readonly MapBody[]): void {
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
}

/** Middles of equal pieces of a length, from its middle. */
function steps(lengthM: number, pieceM: number): number[] {
  const count = Math.round(lengthM / pieceM);
  return Array.from({ length: count }, (_, i) => ((i + 0.5) / count - 0.5) * lengthM);
}

/** A car like those of the fleet, as large as the body. */
function addCar(mesh: MeshBuilder, body: MapBody, foot: Station, i: number): void {
  const plans = Object.values(BODY_PLANS);
  const plan = at(plans, i % plans.length);
  const car = carBody(plan);
  // Its lamps are dark.
  const own: Partial<Record<Slot, Slot>> = {
    paint: at(PAINTS, i % PAINTS.length),
    lampHead: 'rim',
  };
  const first = mesh.count;
  for (const [corner, slot] of car.slots.entries()) {
    const [ahead = 0, left = 0, z = 0] = car.positions.slice(3 * corner, 3 * corner + 3);
    const [x, y] = beside(
      foot,
      (ahead * body.length) / plan.lengthM,
      (left * body.width) / plan.widthM,
    );
    const high = (z * body.height) / plan.roofM;
    mesh.corner(x, y, high, own[slot] ?? slot, car.shades[corner]);
  }
  for (const index of car.indices) mesh.indices.push(first + index);
}

const LEAVES: readonly Slot[] = ['leaf0', 'leaf1', 'leaf2'];

/** The bushes of the hedges. */
export function bushesOf(bodies: readonly MapBody[]): Tree[] {
  const hedges = bodies.filter(({ kind }) => kind === 'hedge');
  return hedges.flatMap((hedge) =>
    steps(hedge.length, BUSH_STEP_M).map((ahead): Tree => {
      const [x, y] = beside(footOf(hedge), ahead, 0);
      const size = hashOf(x, y);
      const leaf = at(LEAVES, Math.floor(hashOf(y, x) * LEAVES.length));
      const heightM = hedge.height * (0.9 + 0.2 * size);
      return { x, y, radiusM: hedge.width * (0.65 + 0.15 * size), heightM, leaf };
    }),
  );
}
