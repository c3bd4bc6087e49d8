import type { SensorName } from '../api/types.ts';
import { type PillStyle, signStyle } from './billboards.ts';
import { planOf } from './car-body.ts';
import { addDashes, type Way } from './dashes.ts';
import { SHAPE } from './decals.ts';
import { enlargement } from './fleet-view.ts';
import type { Overlay } from './overlay.ts';
import type { Tint } from './palette.ts';
import type { ShownCar, ShownWorld, Sight } from './types.ts';

/** The tones of the sensors, for their fields too, and of what several of them know. */
export const SENSOR_TONES: Readonly<Record<SensorName | 'several', Tint>> = {
  front_camera: [1, 0.75, 0.13],
  front_radar: [0.18, 0.55, 1],
  corner_radars: [0.13, 0.71, 0.45],
  several: [0.9, 0.2, 0.75],
};
const BOX_ALPHA_MIN = 0.3;
const BOX_MARGIN_M = 0.35;
/** Farther away than this, the figures would cover the cars. */
const FIGURES_PER_PIXEL_M = 0.12;
const FIGURE_PX = 10;
const FIGURE_RISE_PX = 16;
const FIGURE_STYLE: PillStyle = {
  text: signStyle([1, 1, 1], [0, 0, 0], 0),
  bar: signStyle([0.1, 0.12, 0.16], [0.1, 0.12, 0.16], 0.9, 0.85),
};
const INTENT_STYLE: PillStyle = {
  text: signStyle([1, 1, 1], [0, 0, 0], 0),
  bar: signStyle([0.08, 0.36, 0.8], [1, 1, 1]),
};
const INTENT_RISE_PX = 58;
const INTENT_PX = 12;

/** Where the car will be: so far ahead, s, and by so many dashes. */
const PATH_S = 3;
const PATH_DASH_M = 1.6;
const PATH_STEP_M = 2.4;
const PATH_DASHES_MAX = 40;
const PATH_TONE: Tint = [0.1, 0.85, 0.95];
/** Comfortable braking, m/s². */
const DECELERATION = 3;

interface Seer {
  car: ShownCar;
  world: ShownWorld;
  /** From its front bumper along its route; null where it is off the route. */
  way: Way | null;
}

/** Draws what the picked car's sensors know, where it will be, and what it does. */
export function addSight(sight: Sight, { car, world, way }: Seer, overlay: Overlay): void {
  for (const detection of sight.detections) addBox(detection, world, overlay);
  if (way !== null) addPath(car, way, overlay);
  if (sight.intent === '') return;
  const plan = planOf(car.model);
  const heightM = plan.roofM * enlargement(plan.lengthM, overlay.perPixelM);
  const place = [car.x, car.y, heightM] as const;
  overlay.signs.addPillText(sight.intent, place, INTENT_RISE_PX, INTENT_STYLE, INTENT_PX);
}

function addBox(
  { vin, hazard, sensors, confidence }: Sight['detections'][number],
  { cars, hazards }: ShownWorld,
  { decals, signs, perPixelM }: Overlay,
): void {
  const car = vin === null ? undefined : cars.find((each) => each.vin === vin);
  const thing = car ?? hazards.find(({ id, active }) => active && id === hazard);
  if (thing === undefined) return;
  const [lengthM, widthM] = sizeOf(thing);
  const scale = car === undefined ? 1 : enlargement(lengthM, perPixelM);
  const tone = SENSOR_TONES[sensors.length > 1 ? 'several' : (sensors[0] ?? 'several')];
  const half = (sizeM: number) => (sizeM * scale) / 2 + Math.max(BOX_MARGIN_M, 2 * perPixelM);
  const alpha = BOX_ALPHA_MIN + (1 - BOX_ALPHA_MIN) * confidence;
  decals.add(SHAPE.outline, thing, half(lengthM), half(widthM), tone, alpha);
  if (perPixelM > FIGURES_PER_PIXEL_M) return;
  const figure = `${Math.round(confidence * 100)} %`;
  signs.addPillText(figure, [thing.x, thing.y, 1.5], FIGURE_RISE_PX, FIGURE_STYLE, FIGURE_PX);
}

function sizeOf(thing: ShownCar | { length: number; width: number }): [number, number] {
  if (!('model' in thing)) return [Math.max(0.6, thing.length), Math.max(0.6, thing.width)];
  const { lengthM, widthM } = planOf(thing.model);
  return [lengthM, widthM];
}

/** Dashes along its route, as far as it gets in `PATH_S`. */
function addPath({ speed, braking, status }: ShownCar, way: Way, overlay: Overlay): void {
  if (status === 'crashed') return;
  const stopM = braking ? speed ** 2 / (2 * DECELERATION) : Number.POSITIVE_INFINITY;
  const lengthM = Math.min(speed * PATH_S, stopM);
  const stepM = Math.max(PATH_STEP_M, lengthM / PATH_DASHES_MAX);
  addDashes(overlay.decals, way, {
    ...{ lengthM, stepM, dashM: (PATH_DASH_M * stepM) / PATH_STEP_M },
    ...{ halfWidthM: Math.max(0.35, 2 * overlay.perPixelM), tint: PATH_TONE },
    alphaAt: (along) => 0.9 * (1 - along / lengthM) + 0.1,
  });
}
