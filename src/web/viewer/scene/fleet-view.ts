import { type BufferGeometry, Color, Group, type Material } from 'three';
import type { Billboards, Ink } from './billboards.ts';
import { BODY_PLANS, type BodyPlan, carBody, type MovingMesh } from './car-body.ts';
import { type Decals, SHAPE, type Tint } from './decals.ts';
import { Crowd, coat, movingGeometry, Stance } from './geometry.ts';
import { PICTURE } from './glyphs.ts';
import { at, isInside, type Line } from './lines.ts';
import { writePill } from './pill.ts';
import type { ShownCar, ShownWorld, Theme } from './types.ts';

const FLEET_MAX = 20;
/** From far away a car is drawn larger than it is, so that one still sees where it goes. */
const LENGTH_MIN_PX = 15;
/** Enlarged by more than this, a car has a rim that sets it off from the street. */
const RIM_SCALE = 1.25;
const RIM_PX = 1.6;
/** Light reaches no farther because the car is drawn larger. */
const BEAM_SCALE_MAX = 2;
const SCALE_MAX = 9;
/** How a wreck hangs, and how fast warning lights blink. */
const WRECK_ROLL_RAD = 0.16;
const BLINK_TICKS = 18;
const BEAM_M = 9;
const PUFFS = 5;
const PUFF_TICKS = 140;

export const TONES = {
  shadow: [0.03, 0.04, 0.07],
  brake: [1, 0.12, 0.08],
  beam: [1, 0.93, 0.7],
  picked: [0.1, 0.52, 1],
  aeb: [0.95, 0.16, 0.2],
  esc: [0.98, 0.68, 0.06],
  evasive: [0.72, 0.25, 0.95],
  crashed: [0.95, 0.3, 0.1],
  ghost: [0.1, 0.75, 0.95],
  rim: [1, 1, 1],
} as const satisfies Record<string, Tint>;

/** So many times its size is a car of that length drawn, where a pixel is so many metres. */
export const enlargement = (lengthM: number, perPixelM: number): number =>
  Math.min(SCALE_MAX, Math.max(1, (LENGTH_MIN_PX * perPixelM) / lengthM));

/** The body of a model that the scene does not know is that of the first it does. */
export function planOf(model: string): BodyPlan {
  const plan = BODY_PLANS[model] ?? BODY_PLANS['Lumen City'];
  if (!plan) throw new Error('the first model has a body');
  return plan;
}

interface Body {
  plan: BodyPlan;
  mesh: MovingMesh;
  geometry: BufferGeometry;
  crowd: Crowd;
  /** Made with the first ghost of that model. */
  ghosts: { geometry: BufferGeometry; crowd: Crowd } | null;
}

/** Draws the cars and what hangs on them. */
export class FleetView {
  readonly object = new Group();
  readonly #solid: Material;
  readonly #ghostly: Material;
  readonly #bodies = new Map<string, Body>();
  readonly #tints = new Map<string, Tint>();
  readonly #stance = new Stance();
  readonly #dusk: readonly Line[];
  #theme: Theme = 'light';

  constructor(solid: Material, ghostly: Material, dusk: readonly Line[]) {
    this.#solid = solid;
    this.#ghostly = ghostly;
    this.#dusk = dusk;
    for (const model of Object.keys(BODY_PLANS)) this.#bodyOf(model);
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    for (const { mesh, geometry, ghosts } of this.#bodies.values()) {
      coat(geometry, mesh, theme);
      if (ghosts) coat(ghosts.geometry, mesh, theme);
    }
  }

  /** Cars of one moment; `picked` is one's index or −1. */
  show(
    { cars, ghosts, tick }: ShownWorld,
    picked: number,
    perPixelM: number,
    decals: Decals,
    smoke: Billboards,
    signs: Billboards,
  ): void {
    for (const body of this.#bodies.values()) {
      body.crowd.clear();
      body.ghosts?.crowd.clear();
    }
    for (let i = 0; i < cars.length; i++) {
      const car = cars[i];
      if (!car) continue;
      const { plan, crowd } = this.#bodyOf(car.model);
      const scale = enlargement(plan.lengthM, perPixelM);
      const isNight = this.#theme === 'dark' || this.#isInDusk(car.x, car.y);
      this.#place(car, scale);
      const isBraking = car.braking || car.aeb;
      const isCrashed = car.status === 'crashed';
      const blink = isCrashed && tick % (2 * BLINK_TICKS) < BLINK_TICKS ? 1 : 0;
      const tail = isBraking ? 1 : isNight ? 0.45 : 0;
      crowd.add(this.#stance, this.#tintOf(car.colour), isNight ? 1 : 0.25, tail, blink);
      showOnGround(car, plan, scale, isNight, i === picked, tick, decals);
      showSigns(car, plan, scale, i === picked, tick, smoke, signs);
    }
    for (const ghost of ghosts) this.#showGhost(ghost, perPixelM, decals);
    for (const body of this.#bodies.values()) {
      body.crowd.flush();
      body.ghosts?.crowd.flush();
    }
  }

  #showGhost(car: ShownCar, perPixelM: number, decals: Decals): void {
    const body = this.#bodyOf(car.model);
    body.ghosts ??= this.#ghostsOf(body);
    const scale = enlargement(body.plan.lengthM, perPixelM);
    const ring = 0.72 * body.plan.lengthM * scale;
    decals.add(SHAPE.dashedRing, car.x, car.y, car.heading, ring, ring, TONES.ghost, 0.95);
    this.#place(car, scale);
    body.ghosts.crowd.add(this.#stance, this.#tintOf(car.colour), 0, car.braking ? 1 : 0, 0);
  }

  #place(car: ShownCar, scale: number): void {
    const isCrashed = car.status === 'crashed';
    const stance = this.#stance;
    stance.x = car.x;
    stance.y = car.y;
    stance.z = isCrashed ? 0.12 * scale : 0;
    stance.heading = car.heading;
    stance.roll = isCrashed ? WRECK_ROLL_RAD : 0;
    stance.scaleX = stance.scaleY = stance.scaleZ = scale;
  }

  #isInDusk(x: number, y: number): boolean {
    for (const polygon of this.#dusk) if (isInside(polygon, x, y)) return true;
    return false;
  }

  #bodyOf(model: string): Body {
    const known = this.#bodies.get(model);
    if (known) return known;
    const plan = planOf(model);
    const mesh = carBody(plan);
    const geometry = movingGeometry(mesh);
    coat(geometry, mesh, this.#theme);
    const crowd = new Crowd(geometry, this.#solid, FLEET_MAX);
    const body: Body = { plan, mesh, geometry, crowd, ghosts: null };
    this.#bodies.set(model, body);
    this.object.add(crowd.object);
    return body;
  }

  #ghostsOf({ mesh }: Body): NonNullable<Body['ghosts']> {
    const geometry = movingGeometry(mesh);
    coat(geometry, mesh, this.#theme);
    const crowd = new Crowd(geometry, this.#ghostly, FLEET_MAX);
    this.object.add(crowd.object);
    return { geometry, crowd };
  }

  #tintOf(colour: string): Tint {
    let tint = this.#tints.get(colour);
    if (!tint) {
      const { r, g, b } = new Color(colour);
      tint = [r, g, b];
      this.#tints.set(colour, tint);
    }
    return tint;
  }
}

/** Shadow, light and rings around a car. */
function showOnGround(
  car: ShownCar,
  { lengthM, widthM }: BodyPlan,
  scale: number,
  isNight: boolean,
  isPicked: boolean,
  tick: number,
  decals: Decals,
): void {
  const { x, y, heading } = car;
  const half = (lengthM / 2) * scale;
  const side = (widthM / 2) * scale;
  const hx = Math.cos(heading);
  const hy = Math.sin(heading);
  decals.add(SHAPE.shadow, x, y, heading, half * 1.22, side * 1.45, TONES.shadow, 0.55);
  if (scale > RIM_SCALE) {
    const rim = (RIM_PX * scale * lengthM) / LENGTH_MIN_PX;
    decals.add(SHAPE.bar, x, y, heading, half + rim, side + rim, TONES.rim, 0.9);
  }
  if (isNight && car.status !== 'crashed') {
    const reach = BEAM_M * Math.min(BEAM_SCALE_MAX, scale);
    const bx = x + hx * (half + reach);
    const by = y + hy * (half + reach);
    decals.add(SHAPE.beam, bx, by, heading, reach, 0.38 * reach, TONES.beam, 0.5);
  }
  if (car.braking || car.aeb) {
    const back = half + 0.6 * scale;
    const gx = x - hx * back;
    const gy = y - hy * back;
    decals.add(SHAPE.glow, gx, gy, heading, 1.9 * scale, 2 * scale, TONES.brake, 0.85);
  }
  const ring = half * 1.55;
  if (isPicked) decals.add(SHAPE.ring, x, y, heading, ring, ring, TONES.picked, 0.95);
  const marked = interventionOf(car);
  if (!marked) return;
  const wide = ring * (1.28 + 0.12 * Math.sin(tick * 0.25));
  decals.add(SHAPE.ring, x, y, heading, wide, wide, marked.tone, 0.95);
}

/** Smoke over a wreck, and what intervenes or happened in words. */
function showSigns(
  car: ShownCar,
  { roofM }: BodyPlan,
  scale: number,
  isPicked: boolean,
  tick: number,
  smoke: Billboards,
  signs: Billboards,
): void {
  const { x, y } = car;
  if (car.status === 'crashed') {
    for (let i = 0; i < PUFFS; i++) {
      const age = (tick / PUFF_TICKS + i / PUFFS) % 1;
      const drift = age * 2.2 * scale;
      const high = (0.9 + age * 4.5) * scale;
      const ink = at(PUFF_INKS, Math.min(PUFF_INKS.length - 1, Math.floor(age * PUFF_INKS.length)));
      smoke.float(PICTURE.puff, x + drift, y + drift * 0.6, high, (1.2 + 3 * age) * scale, 0, ink);
    }
  }
  const marked = car.status === 'crashed' ? CRASHED : interventionOf(car);
  if (!marked) return;
  writePill(marked.word, x, y, roofM * scale, isPicked ? 58 : 26, marked.pill, BADGE_INK, signs);
}

interface Mark {
  word: string;
  tone: Tint;
  pill: Ink;
}

const markOf = (word: string, tone: Tint): Mark => ({
  word,
  tone,
  pill: { fill: tone, halo: [1, 1, 1], fillAlpha: 1, haloAlpha: 1 },
});

const BADGE_INK: Ink = { fill: [1, 1, 1], halo: [0.1, 0.1, 0.12], fillAlpha: 1, haloAlpha: 0.55 };
const AEB = markOf('AEB', TONES.aeb);
const ESC = markOf('ESC', TONES.esc);
const EVASIVE = markOf('EVADING', TONES.evasive);
const CRASHED = markOf('CRASHED', TONES.crashed);

/** What intervenes in a car: of several, the one that says most about what is going on. */
export function interventionOf(car: ShownCar): Mark | null {
  if (car.evasive) return EVASIVE;
  if (car.aeb) return AEB;
  return car.esc ? ESC : null;
}

/** From thick to thin. */
const PUFF_INKS: readonly Ink[] = [0.85, 0.75, 0.6, 0.45, 0.28, 0.12].map((fillAlpha) => ({
  fill: [0.2, 0.21, 0.23],
  halo: [0, 0, 0],
  fillAlpha,
  haloAlpha: 0,
}));
