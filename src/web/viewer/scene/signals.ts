import type { CityMap, LightState, MapLane, MapLight, Pose } from '../api/types.ts';
import { type Billboards, type SignStyle, signStyle } from './billboards.ts';
import { type Decals, SHAPE } from './decals.ts';
import { PICTURE } from './glyphs.ts';
import { at, distance, middleOf, type Point, stationAt, unit } from './lines.ts';
import { MeshBuilder, type Spot } from './mesh-builder.ts';
import type { Tint } from './palette.ts';

const POST_M = 3.5;
const ARM_M = 5.6;
const HEAD_LENGTH_M = 0.3;
const HEAD_HEIGHT_M = 1.14;
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

interface Bar extends Pose {
  halfWidth: number;
}

/** A signal: its heads, and the bars on the lanes that it stops. */
export interface Signal {
  id: string;
  /** Middles of the heads. */
  heads: readonly Spot[];
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
  const heads: Spot[] = [[x, y, POST_M - HEAD_HEIGHT_M / 2]];
  if (ends.length > 0) heads.push([...middleOf(ends), ARM_M - HEAD_HEIGHT_M / 2]);
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
    mesh.box([post[0], post[1], 0], [0.16, 0.16, heightM], 'metal');
    if (over) arm(mesh, post, over);
    for (const head of heads) headBox(mesh, head, face);
  }
  return mesh;
}

function arm(mesh: MeshBuilder, [ax, ay]: Spot, [bx, by]: Spot): void {
  const from: Point = [ax, ay];
  const to: Point = [bx, by];
  const size = [distance(from, to), 0.12, 0.12] as const;
  mesh.box([...middleOf([from, to]), ARM_M], size, 'metal', unit(from, to));
}

function headBox(mesh: MeshBuilder, [x, y, z]: Spot, face: Point): void {
  mesh.box([x, y, z - HEAD_HEIGHT_M / 2], [HEAD_LENGTH_M, 0.42, HEAD_HEIGHT_M], 'casing', face);
  const reach = HEAD_LENGTH_M / 2 + 0.01;
  LAMPS.forEach((_, i) => {
    const lampZ = z + (1 - i) * LAMP_STEP_M - 0.13;
    const spot = [x + reach * face[0], y + reach * face[1], lampZ] as const;
    mesh.box(spot, [0.02, 0.26, 0.26], 'lampOff', face);
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
      for (const bar of bars) {
        this.bars.add(SHAPE.bar, bar, this.#barHalf, bar.halfWidth, tone, 0.85);
      }
    }
    this.bars.flush();
    this.lamps.flush();
  }

  #light(lamp: Lamp, heads: Signal['heads'], face: Point): void {
    const down = (1 - LAMPS.indexOf(lamp)) * LAMP_STEP_M;
    const reach = HEAD_LENGTH_M / 2 + 0.12;
    for (const [x, y, z] of heads) {
      const spot = [x + reach * face[0], y + reach * face[1], z + down] as const;
      this.lamps.addSprite(PICTURE.disc, spot, LAMP_M, LAMP_MIN_PX, STYLES[lamp]);
    }
  }
}
