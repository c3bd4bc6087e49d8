import { type BufferGeometry, Group, type Material } from 'three';
import type { HazardSpot } from '../api/types.ts';
import type { Billboards, Ink } from './billboards.ts';
import { type Decals, SHAPE, type Tint } from './decals.ts';
import { Crowd, coat, movingGeometry, Stance } from './geometry.ts';
import { PICTURE } from './glyphs.ts';
import { type HazardBody, hazardBody } from './hazard-bodies.ts';
import type { ShownHazard, Theme } from './types.ts';

/** From far away what is small is drawn larger. */
const SIZE_MIN_PX = 9;
const SCALE_MAX = 8;
const SIGN_PX = 21;
const SIGN_ACTIVE_PX = 27;
const SIGN_RISE_PX = 14;
/** Where a pixel is many metres, signs are smaller, or they would cover the city. */
const FULL_PER_PIXEL_M = 0.8;
const SIGN_PART_MIN = 0.6;
const STEP_RAD_PER_TICK = 0.22;
const STEP_M = 0.06;
const BLINK_TICKS = 18;
const WARNING: Tint = [0.98, 0.66, 0.05];
const DANGER: Tint = [0.93, 0.2, 0.12];
const SHADOW: Tint = [0.03, 0.04, 0.07];
const SPOT: Ink = { fill: [0.16, 0.12, 0.02], halo: WARNING, fillAlpha: 1, haloAlpha: 0.95 };
const ACTIVE: Ink = { fill: [1, 1, 1], halo: DANGER, fillAlpha: 1, haloAlpha: 1 };

const signPart = (perPixelM: number): number =>
  Math.max(SIGN_PART_MIN, Math.min(1, FULL_PER_PIXEL_M / perPixelM));

interface Drawn {
  body: HazardBody;
  geometry: BufferGeometry;
  crowd: Crowd;
}

/** Hazard spots with their signs, and what is on the road now. */
export class HazardView {
  readonly object = new Group();
  readonly #spots: readonly HazardSpot[];
  readonly #bodies = new Map<string, Drawn>();
  readonly #stance = new Stance();

  constructor(spots: readonly HazardSpot[], material: Material) {
    this.#spots = spots;
    for (const { id, kind } of spots) {
      const body = hazardBody(kind);
      if (!body) continue;
      const geometry = movingGeometry(body.mesh);
      const crowd = new Crowd(geometry, material, 1);
      this.object.add(crowd.object);
      this.#bodies.set(id, { body, geometry, crowd });
    }
  }

  setTheme(theme: Theme): void {
    for (const { body, geometry } of this.#bodies.values()) coat(geometry, body.mesh, theme);
  }

  /** All spots' signs, and what is active. */
  show(
    hazards: readonly ShownHazard[],
    tick: number,
    perPixelM: number,
    isCalm: boolean,
    decals: Decals,
    signs: Billboards,
  ): void {
    for (const { crowd } of this.#bodies.values()) crowd.clear();
    const part = signPart(perPixelM);
    for (const { x, y } of this.#spots) {
      const radius = Math.max(2.6, 7 * perPixelM);
      decals.add(SHAPE.dashedRing, x, y, 0, radius, radius, WARNING, 0.9);
      signs.stick(PICTURE.warning, x, y, 0.4, SIGN_RISE_PX * part, SIGN_PX * part, SPOT);
    }
    for (const hazard of hazards) {
      if (hazard.active) this.#showActive(hazard, tick, perPixelM, isCalm, decals, signs);
    }
    for (const { crowd } of this.#bodies.values()) crowd.flush();
  }

  #showActive(
    hazard: ShownHazard,
    tick: number,
    perPixelM: number,
    isCalm: boolean,
    decals: Decals,
    signs: Billboards,
  ): void {
    const { x, y, heading, length, width } = hazard;
    const scale = Math.min(
      SCALE_MAX,
      Math.max(1, (SIZE_MIN_PX * perPixelM) / Math.max(length, 0.5)),
    );
    const pulse = isCalm ? 1 : 1 + 0.12 * Math.sin(tick * 0.2);
    const radius = (Math.max(length, 1.6) * 0.62 * scale + 0.8) * pulse;
    decals.add(SHAPE.ring, x, y, 0, radius, radius, DANGER, 0.9);
    decals.add(
      SHAPE.shadow,
      x,
      y,
      heading,
      0.6 * length * scale,
      0.7 * width * scale,
      SHADOW,
      0.55,
    );
    const part = signPart(perPixelM);
    signs.stick(
      PICTURE.warning,
      x,
      y,
      2.2,
      (SIGN_RISE_PX + 6) * part,
      SIGN_ACTIVE_PX * part,
      ACTIVE,
    );
    const drawn = this.#bodies.get(hazard.id);
    if (!drawn) return;
    const { body, crowd } = drawn;
    const stance = this.#stance;
    stance.x = x;
    stance.y = y;
    const step = Math.abs(Math.sin(tick * STEP_RAD_PER_TICK));
    stance.z = body.walks && !isCalm ? STEP_M * step * scale : 0;
    stance.heading = heading;
    stance.scaleX = ((length || body.lengthM) / body.lengthM) * scale;
    stance.scaleY = ((width || body.widthM) / body.widthM) * scale;
    stance.scaleZ = scale;
    const blink = body.isBroken && tick % (2 * BLINK_TICKS) < BLINK_TICKS ? 1 : 0;
    crowd.add(stance, body.tint, body.isBroken ? 0 : 0.6, body.isBroken ? 0.6 : 0, blink);
  }
}
