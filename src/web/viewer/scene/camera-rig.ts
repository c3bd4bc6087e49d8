import { MathUtils } from 'three';
import type { Bounds, Pose as CarPose } from '../api/types.ts';
import {
  blend,
  DISTANCE_MIN_M,
  groundUnder,
  metresPerPixel,
  NORTH,
  overviewOf,
  type Pose,
  TILT_MAX,
  turnBetween,
  turnsOf,
  type Viewport,
  wholeOf,
} from './camera.ts';
import { frame, type Insets, PARTIES } from './framing.ts';
import type { CameraMode, CameraUse, Focus } from './types.ts';

const MOVE_S = 0.9;
/** Time constant of the chase camera's bearing. */
const SWING_S = 0.35;
/** Largest distance, as a multiple of that which shows the whole city. */
const FARTHEST = 1.7;
const FOLLOW = { distance: 115, tilt: 0.55, bearing: NORTH } as const;
const CHASE = { distance: 27, tilt: 1.33 } as const;
/** How modes begin: see CameraUse. */
const USUAL = {
  follow: [FOLLOW.distance, FOLLOW.tilt, FOLLOW.bearing],
  chase: [CHASE.distance, CHASE.tilt, 0],
  parties: [1, PARTIES.tilt, 0],
} as const;
/** Nobody sees so small a difference: m, rad or parts. */
const SAME = 0.005;
/** How far ahead of the car, and how high, the chase camera looks. */
const CHASE_AHEAD_M = 7;
const CHASE_HEIGHT_M = 1.6;
const MARGIN_PX = 24;
/** Of the controls of the camera. */
const TOP_PX = 64;
/** A view with less tilt is one from above. */
const FLAT_RAD = 0.15;
const OBLIQUE_RAD = 0.95;
/** The first view: obliquely, and slowly turning. */
const FLIGHT = { tilt: 0.74, distance: 160, radPerS: 0.02 } as const;

/** Moves the camera: by gestures, after a car, and smoothly between modes. */
export class CameraRig {
  readonly pose: Pose;
  readonly view: Viewport = { widthPx: 1, heightPx: 1 };
  mode: CameraMode = 'city';
  /** The camera follows the picked car or the parties of a replay, or flies around a place. */
  target: 'city' | 'car' | 'parties' | 'place' = 'city';
  /** What covers the canvas. */
  readonly insets: Insets = { top: TOP_PX, bottom: MARGIN_PX, side: MARGIN_PX };
  /** Without transitions. */
  reducedMotion = false;
  /** Time stands still in the world, and so does the flight around a place. */
  isTimeStill = false;
  readonly #bounds: Bounds;
  /** The pose at the end of the transition. */
  readonly #goal: Pose;
  readonly #from: Pose;
  #transitionLeftS = 0;
  /** How the camera holds the city, also when the canvas changes; null: the visitor moved it. */
  #fit: typeof wholeOf | null = overviewOf;
  #orbitRad = 0;
  /** How much nearer the visitor has come to the parties than all of them need. */
  #nearer = 1;
  /** The smoothed heading of the chased car. */
  #bearing: number | null = null;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.pose = overviewOf(bounds, this.view);
    this.#goal = { ...this.pose };
    this.#from = { ...this.pose };
  }

  resize(widthPx: number, heightPx: number): void {
    this.view.widthPx = Math.max(1, widthPx);
    this.view.heightPx = Math.max(1, heightPx);
    if (this.#fit === null) return;
    Object.assign(this.#goal, this.#fit(this.#bounds, this.view));
    if (this.#transitionLeftS <= 0) Object.assign(this.pose, this.#goal);
  }

  setMode(mode: CameraMode): void {
    this.mode = mode;
    if (mode === 'city') {
      this.#showCity(overviewOf);
      return;
    }
    this.#startTransition();
    this.#orbitRad = 0;
    this.#bearing = null;
    if (mode === 'parties') {
      this.target = 'parties';
      this.#goal.tilt = PARTIES.tilt;
      this.#nearer = 1;
      return;
    }
    this.target = 'car';
    Object.assign(this.#goal, mode === 'chase' ? CHASE : FOLLOW);
  }

  showAll(): void {
    this.#showCity(wholeOf);
  }

  #showCity(poseOf: typeof wholeOf): void {
    this.#startTransition();
    this.#fit = poseOf;
    Object.assign(this.#goal, poseOf(this.#bounds, this.view));
  }

  /** Flies slowly around a car's place until somebody moves the camera. */
  flyAround({ x, y, heading }: CarPose): void {
    this.#startTransition();
    this.target = 'place';
    const { tilt, distance } = FLIGHT;
    // Along its street, which no house hides then.
    Object.assign(this.#goal, { x, y, z: 0, tilt, distance, bearing: heading });
  }

  /** What the visitor has made of it. */
  get use(): CameraUse {
    const { x, y, distance, tilt, bearing } = this.#goal;
    const isFree = this.target === 'city' || this.target === 'place';
    const ownTurn = this.isGuided ? this.#orbitRad : bearing;
    const view = [this.target === 'parties' ? this.#nearer : distance, tilt, ownTurn];
    const usual = isFree || this.mode === 'city' ? undefined : USUAL[this.mode];
    const isUsual = usual
      ? view.every((each, i) => Math.abs(each - (usual[i] ?? 0)) < SAME)
      : this.#fit !== null;
    const camera = isFree ? 'city' : this.mode;
    if (isUsual) return { camera, view: null };
    return { camera, view: isFree ? [x, y, distance, tilt, bearing] : view };
  }

  /** Takes the view of a `use` in the same mode. */
  show(view: readonly number[]): void {
    const [distance = 0, tilt = 0, bearing = NORTH] = view.slice(-3);
    if (this.target === 'car' || this.target === 'parties') this.#glide();
    else {
      this.#startTransition();
      const [x, y] = view;
      Object.assign(this.#goal, { x, y, z: 0 });
      this.#keepInside();
    }
    this.#goal.tilt = Math.min(TILT_MAX, Math.max(0, tilt));
    if (this.target === 'parties') this.#nearer = distance > 0 ? distance : 1;
    else this.#goal.distance = this.#clampDistance(distance);
    if (this.isGuided) this.#orbitRad = bearing;
    else this.#goal.bearing = bearing;
  }

  /** Zooms around a point of the canvas, by default the middle. */
  zoomBy(factor: number, xPx = this.view.widthPx / 2, yPx = this.view.heightPx / 2): void {
    if (this.target === 'parties') {
      this.#nearer *= factor;
      return;
    }
    const before = this.#goal.distance;
    this.#goal.distance = this.#clampDistance(before / factor);
    if (this.target === 'car') return;
    this.target = 'city';
    this.#fit = null;
    const under = groundUnder(this.#goal, this.view, xPx, yPx);
    if (!under) return;
    // Shifts the goal so that the place under the pointer stays there.
    const part = before / this.#goal.distance - 1;
    this.#goal.x += (under.x - this.#goal.x) * part;
    this.#goal.y += (under.y - this.#goal.y) * part;
    this.#keepInside();
  }

  /** Something covers the bottom of the canvas. Returns what ends that. */
  coveredBy(element: HTMLElement): () => void {
    const observer = new ResizeObserver(() => {
      const { offsetHeight: heightPx } = element;
      this.insets.bottom = heightPx === 0 ? MARGIN_PX : heightPx + 2 * MARGIN_PX;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      this.insets.bottom = MARGIN_PX;
    };
  }

  /** Drags the city; the camera stops following. */
  panBy(dxPx: number, dyPx: number): void {
    this.#endTransition();
    this.target = 'city';
    this.#fit = null;
    const perPx = metresPerPixel(this.#goal, this.view);
    const ahead = (dyPx * perPx) / Math.max(0.35, Math.cos(this.#goal.tilt));
    const right = -dxPx * perPx;
    const { sb, cb } = turnsOf(this.#goal);
    this.#goal.x += ahead * cb + right * sb;
    this.#goal.y += ahead * sb - right * cb;
    this.#goal.z = 0;
    this.#keepInside();
  }

  tiltBy(rad: number): void {
    this.#leavePlace();
    this.#goal.tilt = Math.min(TILT_MAX, Math.max(0, this.#goal.tilt + rad));
  }

  rotateBy(rad: number): void {
    this.#leavePlace();
    if (this.isGuided) this.#orbitRad += rad;
    else this.#goal.bearing += rad;
  }

  /** The camera is close behind the picked car. */
  get isChasing(): boolean {
    return this.target === 'car' && this.mode === 'chase';
  }

  /** What is shown leads the camera, close by: it sets the bearing, and the visitor turns from there. */
  get isGuided(): boolean {
    return this.target === 'parties' || this.isChasing;
  }

  /** The visitor takes the camera. */
  #leavePlace(): void {
    this.#fit = null;
    if (this.target === 'place') this.target = 'city';
  }

  /** Looks from straight above, or obliquely again. */
  toggleTilt(): void {
    this.#leavePlace();
    this.#goal.tilt = this.#goal.tilt > FLAT_RAD ? 0 : OBLIQUE_RAD;
    this.#glide();
  }

  faceNorth(): void {
    this.#leavePlace();
    if (this.isGuided) this.#orbitRad += NORTH - this.#goal.bearing;
    else this.#goal.bearing = NORTH;
    this.#glide();
  }

  /** Moves from the current pose to the goal. */
  #glide(): void {
    Object.assign(this.#from, this.pose);
    this.#transitionLeftS = MOVE_S;
  }

  /** The followed car has changed: starts a transition to it. */
  changeCar(): void {
    this.#glide();
    this.#bearing = null;
  }

  /** Updates the pose; `anchor` is the picked car, `focus` what a replay is about. */
  advance(dtS: number, anchor: CarPose | null, focus: Focus | null = null): void {
    if (this.target === 'car' && anchor) this.#follow(dtS, anchor);
    if (this.target === 'parties' && focus) this.#showParties(focus);
    const isFlying = this.target === 'place' && !this.isTimeStill && !this.reducedMotion;
    if (isFlying) this.#goal.bearing += FLIGHT.radPerS * dtS;
    this.#transitionLeftS = this.reducedMotion ? 0 : Math.max(0, this.#transitionLeftS - dtS);
    if (this.#transitionLeftS <= 0) Object.assign(this.pose, this.#goal);
    else {
      const part = MathUtils.smoothstep(MOVE_S - this.#transitionLeftS, 0, MOVE_S);
      blend(this.#from, this.#goal, part, this.pose);
    }
  }

  #follow(dtS: number, { x, y, heading }: CarPose): void {
    const goal = this.#goal;
    if (this.mode !== 'chase') {
      goal.x = x;
      goal.y = y;
      goal.z = 0;
      return;
    }
    const lag = this.#bearing === null ? 1 : 1 - Math.exp(-dtS / SWING_S);
    const was = this.#bearing ?? heading;
    this.#bearing = was + turnBetween(was, heading) * lag;
    goal.bearing = this.#bearing + this.#orbitRad;
    goal.x = x + CHASE_AHEAD_M * Math.cos(heading);
    goal.y = y + CHASE_AHEAD_M * Math.sin(heading);
    // What covers the bottom moves the car up.
    const upPx = (this.insets.bottom - MARGIN_PX) / 2;
    goal.z = CHASE_HEIGHT_M - upPx * metresPerPixel(goal, this.view);
  }

  #showParties({ places, bearing }: Focus): void {
    const goal = this.#goal;
    goal.bearing = bearing + this.#orbitRad;
    const { insets } = this;
    const { radiusM, leastM } = PARTIES;
    frame(goal, this.view, places, { insets, radiusM, least: leastM });
    const needM = goal.distance;
    goal.distance = this.#clampDistance(needM / this.#nearer);
    // What was asked for beyond the limits would have to be undone first.
    this.#nearer = needM / goal.distance;
  }

  /** Starts a transition from the current pose to a new goal. */
  #startTransition(): void {
    this.#glide();
    this.#fit = null;
    this.target = 'city';
  }

  /** A drag ends a transition at the current pose. */
  #endTransition(): void {
    if (this.#transitionLeftS <= 0) return;
    this.#transitionLeftS = 0;
    Object.assign(this.#goal, this.pose);
  }

  #clampDistance(distance: number): number {
    const farthest = wholeOf(this.#bounds, this.view).distance * FARTHEST;
    return Math.min(farthest, Math.max(DISTANCE_MIN_M, distance));
  }

  #keepInside(): void {
    const { min_x, min_y, max_x, max_y } = this.#bounds;
    this.#goal.x = Math.min(max_x, Math.max(min_x, this.#goal.x));
    this.#goal.y = Math.min(max_y, Math.max(min_y, this.#goal.y));
  }
}
