import { Group, type Material } from 'three';
import type { Theme } from '../../common/theme.ts';
import type { HazardSpot } from '../api/types.ts';
import { signStyle } from './billboards.ts';
import { SHAPE } from './decals.ts';
import { TONES } from './fleet-view.ts';
import { createTransform, InstancedBodies } from './geometry.ts';
import { PICTURE } from './glyphs.ts';
import { type HazardBody, hazardBody } from './hazard-bodies.ts';
import { areBlinkersOn, covers, type Overlay, type Signing } from './overlay.ts';
import type { Tint } from './palette.ts';
import type { ShownHazard } from './types.ts';

/** Far away, small hazards are drawn larger. */
const SIZE_MIN_PX = 9;
const SCALE_MAX = 8;
const SIGN_PX = 21;
const SIGN_ACTIVE_PX = 27;
/** The sign of a spot stands so high, and is drawn so far above that. */
const SIGN_HEIGHT_M = 0.4;
const SIGN_RISE_PX = 14;
/** Far away, signs are smaller, so that they do not cover the city. */
const FULL_PER_PIXEL_M = 0.8;
const SIGN_PART_MIN = 0.6;
const STEP_RAD_PER_TICK = 0.22;
const STEP_M = 0.06;
const WARNING: Tint = [0.98, 0.66, 0.05];
const DANGER: Tint = [0.93, 0.2, 0.12];
/** Kinds that are dangerous while they stand still; all others wait beside the road. */
const STANDS_IN_LANE: ReadonlySet<string> = new Set(['fog_stall']);
const SPOT = signStyle([0.16, 0.12, 0.02], WARNING, 0.95);
const ACTIVE = signStyle([1, 1, 1], DANGER);

const signPart = (perPixelM: number): number =>
  Math.max(SIGN_PART_MIN, Math.min(1, FULL_PER_PIXEL_M / perPixelM));

/** Where the sign of a spot is: its height above the ground, and how far above that it is drawn. */
export const signPlace = (perPixelM: number) => ({
  heightM: SIGN_HEIGHT_M,
  risePx: SIGN_RISE_PX * signPart(perPixelM),
});

interface DrawnHazard {
  body: HazardBody;
  instances: InstancedBodies;
}

/** Whether a hazard spot is drawn with its sign. */
export function hasSign({ x, y }: HazardSpot, signing: Signing): boolean {
  return signing.layers.spots && !signing.isClose && !covers(signing, x, y);
}

const SPOT_ALPHA = 0.9;
const CLOSE_ALPHA = 0.35;

/** Draws the hazard spots with their signs, and the hazards that are active. */
export class HazardView {
  readonly object = new Group();
  readonly #spots: readonly HazardSpot[];
  readonly #bodies = new Map<string, DrawnHazard>();
  readonly #transform = createTransform();

  constructor(spots: readonly HazardSpot[], material: Material) {
    this.#spots = spots;
    for (const { id, kind } of spots) {
      const body = hazardBody(kind);
      if (!body) continue;
      const instances = new InstancedBodies(body.mesh, material, 1);
      this.object.add(instances.object);
      this.#bodies.set(id, { body, instances });
    }
  }

  setTheme(theme: Theme): void {
    for (const { instances } of this.#bodies.values()) instances.setTheme(theme);
  }

  show(hazards: readonly ShownHazard[], overlay: Overlay): void {
    const { perPixelM, decals, signs } = overlay;
    for (const { instances } of this.#bodies.values()) instances.clear();
    const part = signPart(perPixelM);
    const { heightM, risePx } = signPlace(perPixelM);
    const radius = Math.max(2.6, 7 * perPixelM);
    const alpha = overlay.isClose ? CLOSE_ALPHA : SPOT_ALPHA;
    for (const spot of overlay.layers.spots ? this.#spots : []) {
      const { x, y } = spot;
      decals.add(SHAPE.dashedRing, { x, y, heading: 0 }, radius, radius, WARNING, alpha);
      if (!hasSign(spot, overlay)) continue;
      signs.addIcon(PICTURE.warning, [x, y, heightM], risePx, SIGN_PX * part, SPOT);
    }
    for (const hazard of hazards) {
      if (hazard.active) this.#showActive(hazard, overlay);
    }
    for (const { instances } of this.#bodies.values()) instances.flush();
  }

  #showActive(hazard: ShownHazard, overlay: Overlay): void {
    const { decals, signs, perPixelM, tick, reducedMotion } = overlay;
    const { x, y, heading, length, width } = hazard;
    const wanted = (SIZE_MIN_PX * perPixelM) / Math.max(length, 0.5);
    const scale = Math.min(SCALE_MAX, Math.max(1, wanted));
    const isUrgent = hazard.moves || STANDS_IN_LANE.has(hazard.kind);
    const pulse = reducedMotion || !isUrgent ? 1 : 1 + 0.12 * Math.sin(tick * 0.2);
    const radius = (Math.max(length, 1.6) * 0.62 * scale + 0.8) * pulse;
    decals.add(SHAPE.ring, hazard, radius, radius, isUrgent ? DANGER : WARNING, 0.9);
    const [shadowM, shadowWidthM] = [0.6 * length * scale, 0.7 * width * scale];
    decals.add(SHAPE.shadow, hazard, shadowM, shadowWidthM, TONES.shadow, 0.55);
    const part = signPart(perPixelM);
    const risePx = (SIGN_RISE_PX + 6) * part;
    if (isUrgent && !covers(overlay, x, y))
      signs.addIcon(PICTURE.warning, [x, y, 2.2], risePx, SIGN_ACTIVE_PX * part, ACTIVE);
    const drawn = this.#bodies.get(hazard.id);
    if (!drawn) return;
    const { body, instances } = drawn;
    const transform = this.#transform;
    const step = Math.abs(Math.sin(tick * STEP_RAD_PER_TICK));
    const stretch = (length || body.lengthM) / body.lengthM;
    const widening = (width || body.widthM) / body.widthM;
    transform.position.set(
      x,
      y,
      body.walks && hazard.moves && !reducedMotion ? STEP_M * step * scale : 0,
    );
    transform.rotation.set(0, 0, heading);
    transform.scale.set(stretch * scale, widening * scale, scale);
    const blink = body.isBroken && areBlinkersOn(tick) ? 1 : 0;
    instances.add(transform, body.tint, body.isBroken ? 0 : 0.6, body.isBroken ? 0.6 : 0, blink);
  }
}
