import { Color, Group, type Material } from 'three';
import type { Theme } from '../../common/theme.ts';
import { type PillStyle, type SignStyle, signStyle } from './billboards.ts';
import { BODY_PLANS, type BodyPlan, carBody, planOf } from './car-body.ts';
import { SHAPE } from './decals.ts';
import { createTransform, InstancedBodies } from './geometry.ts';
import { PICTURE } from './glyphs.ts';
import { at, isInside, type Line } from './lines.ts';
import { areBlinkersOn, covers, type Overlay } from './overlay.ts';
import type { Tint } from './palette.ts';
import type { ShownCar, ShownWorld } from './types.ts';

const FLEET_MAX = 20;
/** Far away, a car is drawn larger than it is, so that its direction stays visible. */
const LENGTH_MIN_PX = 15;
/** A car that is enlarged by more than this has a rim that sets it off from the street. */
const RIM_SCALE = 1.25;
const RIM_PX = 1.6;
/** Limit of the light's reach for an enlarged car. */
const BEAM_SCALE_MAX = 2;
const SCALE_MAX = 9;
/** How far a wreck leans. */
const WRECK_ROLL_RAD = 0.16;
const BEAM_M = 9;
const PUFFS = 5;
const PUFF_TICKS = 140;
/** A ghost that is nearer to its car is not drawn. */
const APART_M = 0.4;
const OUTLINE_PX = 3;
/** Nearer to another party, there is no room for a sign beside a ghost. */
const SIGNED_M = 3;
/** From the end of a ghost to the middle of its sign. */
const BESIDE_PX = 24;

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

/** The factor by which a car of this length is drawn larger than it is. */
export const enlargement = (lengthM: number, perPixelM: number): number =>
  Math.min(SCALE_MAX, Math.max(1, (LENGTH_MIN_PX * perPixelM) / lengthM));

interface Bodies {
  cars: InstancedBodies;
  ghosts: InstancedBodies;
}

/** Draws the cars, with their marks and signs. */
export class FleetView {
  readonly object = new Group();
  readonly #bodies = new Map<BodyPlan, Bodies>();
  readonly #tints = new Map<string, Tint>();
  readonly #transform = createTransform();
  readonly #dusk: readonly Line[];
  #theme: Theme = 'light';

  constructor(solid: Material, ghostly: Material, dusk: readonly Line[]) {
    this.#dusk = dusk;
    for (const plan of Object.values(BODY_PLANS)) {
      const mesh = carBody(plan);
      const cars = new InstancedBodies(mesh, solid, FLEET_MAX);
      const ghosts = new InstancedBodies(mesh, ghostly, FLEET_MAX);
      this.#bodies.set(plan, { cars, ghosts });
      this.object.add(cars.object, ghosts.object);
    }
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    for (const { cars, ghosts } of this.#bodies.values()) {
      cars.setTheme(theme);
      ghosts.setTheme(theme);
    }
  }

  /** @param picked index of the picked car, or −1 */
  show(world: ShownWorld, picked: number, overlay: Overlay): void {
    const { cars, ghosts, tick } = world;
    for (const body of this.#bodies.values()) {
      body.cars.clear();
      body.ghosts.clear();
    }
    for (const [i, car] of cars.entries()) {
      const plan = planOf(car.model);
      const scale = enlargement(plan.lengthM, overlay.perPixelM);
      const isNight = this.#theme === 'dark' || this.#isInDusk(car.x, car.y);
      this.#place(car, scale);
      const isBraking = car.braking || car.aeb;
      const blink = car.status === 'crashed' && areBlinkersOn(tick) ? 1 : 0;
      const tail = isBraking ? 1 : isNight ? 0.45 : 0;
      const bodies = this.#bodies.get(plan)?.cars;
      bodies?.add(this.#transform, this.#tintOf(car.colour), isNight ? 1 : 0.25, tail, blink);
      addGroundMarks(car, plan, scale, isNight, i === picked, overlay);
      addSigns(car, plan, scale, i === picked, overlay);
    }
    for (const ghost of ghosts) {
      const car = cars.find(({ vin }) => vin === ghost.vin);
      // Where both are in one place, they would flicker through each other.
      const isApart = !car || Math.hypot(car.x - ghost.x, car.y - ghost.y) > APART_M;
      if (isApart) this.#showGhost(ghost, world.ghostSign, overlay);
    }
    for (const body of this.#bodies.values()) {
      body.cars.flush();
      body.ghosts.flush();
    }
  }

  #showGhost(car: ShownCar, sign: string, overlay: Overlay): void {
    const { perPixelM, decals } = overlay;
    const plan = planOf(car.model);
    const scale = enlargement(plan.lengthM, perPixelM);
    const [half, side] = [(plan.lengthM / 2) * scale, (plan.widthM / 2) * scale];
    const rim = Math.max(0.35, OUTLINE_PX * perPixelM);
    decals.add(SHAPE.outline, car, half + rim, side + rim, TONES.ghost, 1);
    this.#place(car, scale);
    const bodies = this.#bodies.get(plan)?.ghosts;
    bodies?.add(this.#transform, this.#tintOf(car.colour), 0, car.braking ? 1 : 0, 0);
    if (sign !== '') addGhostSign(sign, car, half, overlay);
  }

  #place(car: ShownCar, scale: number): void {
    const isCrashed = car.status === 'crashed';
    const transform = this.#transform;
    transform.position.set(car.x, car.y, isCrashed ? 0.12 * scale : 0);
    transform.rotation.set(isCrashed ? WRECK_ROLL_RAD : 0, 0, car.heading);
    transform.scale.setScalar(scale);
  }

  #isInDusk(x: number, y: number): boolean {
    return this.#dusk.some((polygon) => isInside(polygon, x, y));
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

/** Adds the shadow, the lights and the rings around a car. */
function addGroundMarks(
  car: ShownCar,
  { lengthM, widthM }: BodyPlan,
  scale: number,
  isNight: boolean,
  isPicked: boolean,
  { decals, tick }: Overlay,
): void {
  const { x, y, heading } = car;
  const half = (lengthM / 2) * scale;
  const side = (widthM / 2) * scale;
  const hx = Math.cos(heading);
  const hy = Math.sin(heading);
  decals.add(SHAPE.shadow, car, half * 1.22, side * 1.45, TONES.shadow, 0.55);
  if (scale > RIM_SCALE) {
    const rim = (RIM_PX * scale * lengthM) / LENGTH_MIN_PX;
    decals.add(SHAPE.bar, car, half + rim, side + rim, TONES.rim, 0.9);
  }
  if (isNight && car.status !== 'crashed') {
    const reach = BEAM_M * Math.min(BEAM_SCALE_MAX, scale);
    const ahead = half + reach;
    const place = { x: x + hx * ahead, y: y + hy * ahead, heading };
    decals.add(SHAPE.beam, place, reach, 0.38 * reach, TONES.beam, 0.5);
  }
  if (car.braking || car.aeb) {
    const back = half + 0.6 * scale;
    const place = { x: x - hx * back, y: y - hy * back, heading };
    decals.add(SHAPE.glow, place, 1.9 * scale, 2 * scale, TONES.brake, 0.85);
  }
  const ring = half * 1.55;
  if (isPicked) decals.add(SHAPE.ring, car, ring, ring, TONES.picked, 0.95);
  const marked = interventionOf(car);
  if (!marked) return;
  const wide = ring * (1.28 + 0.12 * Math.sin(tick * 0.25));
  decals.add(SHAPE.ring, car, wide, wide, marked.tone, 0.95);
}

/** Adds smoke over a wreck, and a badge for a collision or an intervention. */
function addSigns(
  car: ShownCar,
  { roofM }: BodyPlan,
  scale: number,
  isPicked: boolean,
  overlay: Overlay,
): void {
  const { smoke, signs, tick } = overlay;
  const { x, y } = car;
  if (car.status === 'crashed') {
    for (let i = 0; i < PUFFS; i++) {
      const age = (tick / PUFF_TICKS + i / PUFFS) % 1;
      const drift = age * 2.2 * scale;
      const high = (0.9 + age * 4.5) * scale;
      const sizeM = (1.2 + 3 * age) * scale;
      const style = at(PUFF_STYLES, Math.floor(age * PUFF_STYLES.length));
      smoke.addSprite(PICTURE.puff, [x + drift, y + drift * 0.6, high], sizeM, 0, style);
    }
  }
  const marked = car.status === 'crashed' ? CRASHED : interventionOf(car);
  if (!marked || covers(overlay, x, y)) return;
  const risePx = isPicked ? 58 : 26;
  signs.addPillText(marked.word, [x, y, roofM * scale], risePx, marked.style);
}

/** Adds a sign on the side of a ghost that is away from the nearest other party, which it must not cover. */
function addGhostSign(
  sign: string,
  { x, y }: ShownCar,
  halfM: number,
  { uncovered, signs, perPixelM }: Overlay,
): void {
  let [dx, dy, metres] = [0, 0, Number.POSITIVE_INFINITY];
  for (const place of uncovered) {
    const [awayX, awayY] = [x - place[0], y - place[1]];
    const awayM = Math.hypot(awayX, awayY);
    // It is one of them itself.
    if (awayM > 0 && awayM < metres) [dx, dy, metres] = [awayX, awayY, awayM];
  }
  if (metres < SIGNED_M || !Number.isFinite(metres)) return;
  const part = (halfM + BESIDE_PX * perPixelM) / metres;
  signs.addPillText(sign, [x + dx * part, y + dy * part, 0], 0, GHOST_STYLE);
}

interface Mark {
  word: string;
  tone: Tint;
  style: PillStyle;
}

const BADGE_TEXT = signStyle([1, 1, 1], [0.1, 0.1, 0.12], 0.55);
const markOf = (word: string, tone: Tint): Mark => ({
  word,
  tone,
  style: { text: BADGE_TEXT, bar: signStyle(tone, [1, 1, 1]) },
});

const AEB = markOf('AEB', TONES.aeb);
const ESC = markOf('ESC', TONES.esc);
const EVASIVE = markOf('EVADING', TONES.evasive);
const CRASHED = markOf('CRASHED', TONES.crashed);
const GHOST_STYLE: PillStyle = {
  text: signStyle([0.02, 0.1, 0.16], [0, 0, 0], 0),
  bar: signStyle(TONES.ghost, [1, 1, 1]),
};

/** The mark of the most specific intervention that acts in a car. */
export function interventionOf(car: ShownCar): Mark | null {
  if (car.evasive) return EVASIVE;
  if (car.aeb) return AEB;
  return car.esc ? ESC : null;
}

/** From dense to thin. */
const PUFF_STYLES: readonly SignStyle[] = [0.85, 0.75, 0.6, 0.45, 0.28, 0.12].map((alpha) =>
  signStyle([0.2, 0.21, 0.23], [0, 0, 0], 0, alpha),
);
