import type { CityMap, LightState, MapLane, MapLight } from '../api/types.ts';
import { type Billboards, type SignStyle, signStyle } from './billboards.ts';
import { type Decals, SHAPE } from './decals.ts';
import { PICTURE } from './glyphs.ts';
import { at, type Point, stationAt } from './lines.ts';
import { MeshBuilder } from './mesh-builder.ts';
import type { Tint } from './palette.ts';

const POST_M = 3.5;
const ARM_M = 5.6;
const HEAD_M = { length: 0.3, width: 0.42, height: 1.14 } as const;
const LAMP_STEP_M = 0.35;
const LAMP_M = 0.5;
const LAMP_MIN_PX = 4.5;
/** Position and depth of the coloured bar before the stop line. */
const BAR_BEFORE_M = 1.6;
const BAR_HALF_M = 0.32;
const BAR_MIN_PX = 1.4;

/** From the top: red, amber, green. */
const LAMPS = ['red', 'amber', 'green'] as const;
type Lamp = (typeof LAMPS)[number];

const LIT: Readonly<Record<LightState, readonly Lamp[]>> = {
  red: ['red'],
  red_amber: ['red', 'amber'],
  amber: ['amber'],
  green: ['green'],
};

const TONES: Readonly<Record<Lamp, Tint>> = {
  red: [1, 0.18, 0.16],
  amber: [1, 0.72, 0.08],
  green: [0.1, 0.9, 0.42],
};

const STYLES: Readonly<Record<Lamp, SignStyle>> = {
  red: signStyle(TONES.red, TONES.red, 0.85),
  amber: signStyle(TONES.amber, TONES.amber, 0.85),
  green: signStyle(TONES.green, TONES.green, 0.85),
};

interface Bar {
  x: number;
  y: number;
  heading: number;
  halfWidth: number;
}

/** A signal: its heads, and the bars on the lanes that it stops. */
export interface Signal {
  id: string;
  /** Middles of the heads. */
  heads: readonly (readonly [number, number, number])[];
  /** Towards the traffic that it faces. */
  face: Point;
  bars: readonly Bar[];
}

export function signalsOf(map: CityMap): Signal[] {
  const lanes = new Map(map.lanes.map((lane) => [lane.id, lane]));
  return map.junctions.flatMap(({ lights }) => lights.map((light) => signalOf(light, lanes)));
}

function signalOf(light: MapLight, lanes: ReadonlyMap<string, MapLane>): Signal {
  const { id, x, y, heading } = light;
  const own = light.lanes.flatMap((lane) => lanes.get(lane) ?? []);
  const face: Point = [-Math.cos(heading), -Math.sin(heading)];
  const ends = own.map(({ polyline }) => at(polyline, -1));
  const heads: [number, number, number][] = [[x, y, POST_M - HEAD_M.height / 2]];
  const middleX = ends.reduce((sum, end) => sum + end[0], 0) / (ends.length || 1);
  const middleY = ends.reduce((sum, end) => sum + end[1], 0) / (ends.length || 1);
  if (ends.length > 0) heads.push([middleX, middleY, ARM_M - HEAD_M.height / 2]);
  const bars = own.map(({ polyline, width }) => {
    const end = at(polyline, -1);
    const line = polyline.slice(-2);
    const { hx, hy } = stationAt(line, 0);
    return {
      x: end[0] - BAR_BEFORE_M * hx,
      y: end[1] - BAR_BEFORE_M * hy,
      heading: Math.atan2(hy, hx),
      halfWidth: width / 2 - 0.3,
    };
  });
  return { id, heads, face, bars };
}

/** Posts, arms and heads with their lamps dark. */
export function signalMesh(signals: readonly Signal[]): MeshBuilder {
  const mesh = new MeshBuilder();
  for (const { heads, face } of signals) {
    const [post, over] = heads;
    if (!post) continue;
    const heightM = over ? ARM_M : POST_M;
    mesh.box({ x: post[0], y: post[1], z: 0, length: 0.16, width: 0.16, height: heightM }, 'metal');
    if (over) arm(mesh, post, over);
    for (const head of heads) headBox(mesh, head, face);
  }
  return mesh;
}

function arm(mesh: MeshBuilder, from: readonly number[], to: readonly number[]): void {
  const [ax = 0, ay = 0] = from;
  const [bx = 0, by = 0] = to;
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const along: Point = [(bx - ax) / length, (by - ay) / length];
  const box = { x: (ax + bx) / 2, y: (ay + by) / 2, z: ARM_M, height: 0.12 };
  mesh.box({ ...box, length, width: 0.12, along }, 'metal');
}

function headBox(
  mesh: MeshBuilder,
  [x, y, z]: readonly [number, number, number],
  face: Point,
): void {
  mesh.box({ x, y, z: z - HEAD_M.height / 2, ...HEAD_M, along: face }, 'casing');
  LAMPS.forEach((_, i) => {
    const lampZ = z + (1 - i) * LAMP_STEP_M - 0.13;
    const reach = HEAD_M.length / 2 + 0.01;
    const spot = { x: x + reach * face[0], y: y + reach * face[1], z: lampZ };
    mesh.box({ ...spot, length: 0.02, width: 0.26, height: 0.26, along: face }, 'lampOff');
  });
}

/** Draws the lit lamps on their heads, and as bars on the road. */
export class LightView {
  readonly bars: Decals;
  readonly lamps: Billboards;
  readonly #signals: readonly Signal[];
  readonly #shown: (LightState | undefined)[] = [];
  #barHalf = 0;

  constructor(signals: readonly Signal[], bars: Decals, lamps: Billboards) {
    this.#signals = signals;
    this.bars = bars;
    this.lamps = lamps;
  }

  /** Rewrites the lamps only when a light or the scale changes. */
  show(lights: ReadonlyMap<string, LightState>, perPixelM: number): void {
    const barHalf = Math.max(BAR_HALF_M, BAR_MIN_PX * perPixelM);
    let isChanged = barHalf !== this.#barHalf;
    this.#barHalf = barHalf;
    for (let i = 0; i < this.#signals.length; i++) {
      const state = lights.get(this.#signals[i]?.id ?? '');
      if (state === this.#shown[i]) continue;
      this.#shown[i] = state;
      isChanged = true;
    }
    if (isChanged) this.#write();
  }

  #write(): void {
    this.bars.clear();
    this.lamps.clear();
    for (const [i, { heads, face, bars }] of this.#signals.entries()) {
      const state = this.#shown[i];
      if (!state) continue;
      for (const lamp of LIT[state]) this.#light(lamp, heads, face);
      const tone = TONES[LIT[state].at(-1) ?? 'red'];
      for (const { x, y, heading, halfWidth } of bars) {
        this.bars.add(SHAPE.bar, x, y, heading, this.#barHalf, halfWidth, tone, 0.85);
      }
    }
    this.bars.flush();
    this.lamps.flush();
  }

  #light(lamp: Lamp, heads: Signal['heads'], face: Point): void {
    const down = (1 - LAMPS.indexOf(lamp)) * LAMP_STEP_M;
    const reach = HEAD_M.length / 2 + 0.12;
    for (const [hx, hy, hz] of heads) {
      const x = hx + reach * face[0];
      const y = hy + reach * face[1];
      this.lamps.addSprite(PICTURE.disc, x, y, hz + down, LAMP_M, LAMP_MIN_PX, STYLES[lamp]);
    }
  }
}
