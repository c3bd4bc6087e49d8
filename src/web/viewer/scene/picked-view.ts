import {
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Mesh,
  type ShaderMaterial,
  Vector3,
} from 'three';
import type { MapZone, Pose, SensorName } from '../api/types.ts';
import { type PillStyle, signStyle } from './billboards.ts';
import { planOf } from './car-body.ts';
import { addDashes, type Way } from './dashes.ts';
import { SHAPE } from './decals.ts';
import { cameraPart, FIELDS, type Field, outlineOf } from './fields.ts';
import { enlargement } from './fleet-view.ts';
import { EVERYWHERE, fixed } from './geometry.ts';
import { gapText } from './glyphs.ts';
import { at, beside, distance, isInside, type Line, leftward, thinned } from './lines.ts';
import { ON_GROUND, type Shared, shaderMaterial } from './materials.ts';
import { covers, type Overlay } from './overlay.ts';
import type { Tint } from './palette.ts';
import { RouteLine } from './route-line.ts';
import { addSight, SENSOR_TONES } from './sight-view.ts';
import type { Picked, ShownCar, ShownWorld } from './types.ts';

const THIN_M = 0.1;

const ROUTE_VERTEX = /* glsl */ `
attribute vec2 side;
attribute float station;
varying float along;
void main() {
  along = station;
  vec2 world = position.xy + side * max(0.5, 2.0 * perPixel);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 0.0, 1.0);
}`;

const ROUTE_FRAGMENT = /* glsl */ `
varying float along;
void main() {
  float step = max(7.0, 26.0 * perPixel);
  float pulse = smoothstep(0.0, 0.5, fract(along / step - timeS * 0.6));
  vec3 tone = mix(vec3(0.05, 0.42, 0.95), vec3(0.3, 0.66, 1.0), night);
  gl_FragColor = vec4(tone, 0.42 + 0.3 * pulse);
}`;

const FIELD_VERTEX = /* glsl */ `
attribute float reach;
varying float part;
void main() {
  part = reach;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}`;

const FIELD_FRAGMENT = /* glsl */ `
uniform vec3 tone;
uniform float opacity;
varying float part;
void main() {
  float rim = smoothstep(0.975, 0.985, part);
  gl_FragColor = vec4(tone, opacity * mix(0.2, 0.04, part) + 0.55 * rim);
}`;

/** In drawing order. The three fields overlap: the widest is the most transparent. */
const SENSORS: readonly { sensor: SensorName; opacity: number }[] = [
  { sensor: 'corner_radars', opacity: 0.45 },
  { sensor: 'front_camera', opacity: 1 },
  { sensor: 'front_radar', opacity: 1 },
];

const GAP_TONE: Tint = [1, 0.35, 0.6];
const GAP_ALPHA = 0.95;
const GAP_STYLE: PillStyle = {
  text: signStyle([1, 1, 1], [0.7, 0.1, 0.35]),
  bar: signStyle([0.82, 0.14, 0.42], [1, 1, 1]),
};
const PLATE_STYLE: PillStyle = {
  text: signStyle([0.08, 0.1, 0.14], [1, 1, 1], 0),
  bar: signStyle([1, 1, 1], [0.1, 0.52, 1]),
};
const DASH_M = 1;
const DASH_STEP_M = 1.7;
const DASHES_MAX = 60;
/** Where along the gap its label is: near the end, since the plate is at the start. */
const LABEL_PART = 0.7;
const PLATE_RISE_PX = 34;

/** Draws the picked car's route, sensor fields, gap and plate. */
export class PickedView {
  readonly object = new Group();
  readonly #zones: readonly MapZone[];
  readonly #route: Mesh;
  readonly #fields: { sensor: SensorName; field: Field; drawn: Mesh }[] = [];
  readonly #here = new Set<string>();
  readonly #scale = new Vector3();
  #shown: Line | null = null;
  #line: RouteLine | null = null;

  constructor(shared: Shared, zones: readonly MapZone[], order: { route: number; fields: number }) {
    this.#zones = zones;
    const material = shaderMaterial(shared, ROUTE_VERTEX, ROUTE_FRAGMENT, ON_GROUND);
    this.#route = laid(new BufferGeometry(), material, order.route);
    this.object.add(this.#route);
    for (const { sensor, opacity } of SENSORS) {
      const tone = new Color(...SENSOR_TONES[sensor]);
      const uniforms = { tone: { value: tone }, opacity: { value: opacity } };
      const fan = shaderMaterial(shared, FIELD_VERTEX, FIELD_FRAGMENT, { ...ON_GROUND, uniforms });
      for (const field of FIELDS[sensor]) {
        const drawn = laid(fanOf(field), fan, order.fields);
        this.object.add(drawn);
        this.#fields.push({ sensor, field, drawn });
      }
    }
  }

  show(picked: Picked | null, car: ShownCar | null, world: ShownWorld, overlay: Overlay): void {
    this.object.visible = picked !== null && car !== null;
    if (!picked || !car) return;
    if (picked.route !== this.#shown) this.#layRoute(picked.route);
    const { layers } = overlay;
    this.#route.visible = layers.routes && picked.route.length > 1;
    const plan = planOf(car.model);
    const noseM = plan.lengthM / 2;
    this.#findZones(car);
    const [hx, hy] = [Math.cos(car.heading), Math.sin(car.heading)];
    for (const { sensor, field, drawn } of this.#fields) {
      drawn.visible =
        layers.sensors && picked.effective?.[sensor] === 'on' && car.status !== 'crashed';
      if (!drawn.visible) continue;
      const part = sensor === 'front_camera' ? cameraPart(this.#here) : 1;
      const [x, y] = beside({ ...car, hx, hy }, noseM + field.aheadM, field.leftM);
      drawn.matrixWorld.makeRotationZ(car.heading).setPosition(x, y, 0);
      drawn.matrixWorld.scale(this.#scale.set(part, part, 1));
    }
    this.#showAhead(picked, car, world, overlay);
    const heightM = plan.roofM * enlargement(plan.lengthM, overlay.perPixelM);
    if (covers(overlay, car.x, car.y)) return;
    overlay.signs.addPillText(car.plate, [car.x, car.y, heightM], PLATE_RISE_PX, PLATE_STYLE);
  }

  #findZones({ x, y }: ShownCar): void {
    this.#here.clear();
    for (const { kind, polygon } of this.#zones) {
      if (isInside(polygon, x, y)) this.#here.add(kind);
    }
  }

  #layRoute(route: Line): void {
    this.#shown = route;
    this.#line = route.length > 1 ? new RouteLine(thinned(route, THIN_M)) : null;
    this.#route.geometry.dispose();
    this.#route.geometry = ribbonOf(thinned(route, THIN_M));
  }

  /** Shows what its sensors know, and the gap. */
  #showAhead({ sight, gap }: Picked, car: ShownCar, world: ShownWorld, overlay: Overlay): void {
    if (sight === null && gap === null) return;
    const noseM = planOf(car.model).lengthM / 2;
    const station = this.#line?.locate([car.x, car.y], car.heading) ?? -1;
    const way: Way = (alongM) => this.#ahead(car, station, noseM + alongM);
    if (sight !== null) addSight(sight, { car, world, way: station < 0 ? null : way }, overlay);
    if (gap !== null) addGap(gap, way, overlay);
  }

  /** The place `aheadM` ahead of a car's middle: on its route, or straight on if it is off route. */
  #ahead({ x, y, heading }: ShownCar, station: number, aheadM: number): Pose {
    if (this.#line && station >= 0) return this.#line.placeAt(station + aheadM);
    return { x: x + aheadM * Math.cos(heading), y: y + aheadM * Math.sin(heading), heading };
  }
}

/** Adds dashes along the way, and the length of the gap. */
function addGap(gapM: number, way: Way, { perPixelM, decals, signs }: Overlay): void {
  const halfWidthM = Math.max(0.16, 1.5 * perPixelM);
  const stepM = Math.max(DASH_STEP_M, gapM / DASHES_MAX);
  const dashes = { lengthM: gapM, dashM: DASH_M, stepM, halfWidthM, tint: GAP_TONE };
  addDashes(decals, way, { ...dashes, alphaAt: () => GAP_ALPHA });
  decals.add(SHAPE.bar, way(gapM), halfWidthM, 1.1, GAP_TONE, GAP_ALPHA);
  const { x, y } = way(gapM * LABEL_PART);
  signs.addPillText(gapText(gapM), [x, y, 0], 0, GAP_STYLE);
}

function laid(geometry: BufferGeometry, material: ShaderMaterial, order: number): Mesh {
  geometry.boundingSphere = EVERYWHERE;
  return fixed(new Mesh(geometry, material), order);
}

function fanOf(field: Field): BufferGeometry {
  const outline = outlineOf(field);
  const positions = [0, 0, 0, ...outline.flatMap(([x, y]) => [x, y, 0])];
  const reach = [0, ...outline.map(() => 1)];
  const indices = outline.slice(1).flatMap((_, i) => [0, i + 1, i + 2]);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('reach', new Float32BufferAttribute(reach, 1));
  geometry.setIndex(indices);
  return geometry;
}

/** A strip along the route; the shader sets its width. */
function ribbonOf(line: Line): BufferGeometry {
  const vectors = line.length > 1 ? leftward(line) : [];
  const positions: number[] = [];
  const sides: number[] = [];
  const stations: number[] = [];
  const indices: number[] = [];
  let along = 0;
  vectors.forEach(([lx, ly], i) => {
    const [x, y] = at(line, i);
    if (i > 0) along += distance(at(line, i - 1), [x, y]);
    positions.push(x, y, 0, x, y, 0);
    sides.push(lx, ly, -lx, -ly);
    stations.push(along, along);
    if (i > 0) {
      const a = 2 * i - 2;
      indices.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('side', new Float32BufferAttribute(sides, 2));
  geometry.setAttribute('station', new Float32BufferAttribute(stations, 1));
  geometry.setIndex(indices);
  geometry.boundingSphere = EVERYWHERE;
  return geometry;
}
