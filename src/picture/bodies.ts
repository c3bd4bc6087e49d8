import type { Body, Point } from '../city/types.ts';
import type { PlacedActor, PlacedCar } from './moment.ts';
import { type Colour, type Pen, raised } from './pen.ts';
import { boxRing, circle } from './shapes.ts';
import { hashOf, type Solid, shadowOf } from './solids.ts';
import type { Spot } from './view.ts';

const PAINTS: Readonly<Record<string, Colour>> = {
  white: [246, 247, 247],
  silver: [190, 196, 201],
  dimgray: [112, 116, 120],
  black: [48, 50, 54],
  midnightblue: [38, 44, 100],
  steelblue: [74, 132, 182],
  teal: [18, 134, 134],
  seagreen: [52, 144, 92],
  goldenrod: [222, 170, 48],
  darkorange: [246, 144, 24],
  firebrick: [186, 42, 42],
  rosybrown: [192, 148, 146],
};
const GHOST: Colour = [22, 163, 116];
const GLASS: Colour = [44, 58, 71];
const TYRE: Colour = [30, 33, 36];
const GHOST_ALPHA = 0.42;
const HEAD_LAMP: Colour = [255, 247, 214];
const TAIL_LAMP: Colour = [206, 38, 34];

/** A part of a body: along it from its middle, half its width, and heights. */
interface Part {
  fromM: number;
  toM: number;
  halfM: number;
  lowM: number;
  highM: number;
}

type Axis = { middle: Point; along: Point };

const axisOf = ({ x, y, heading }: { x: number; y: number; heading: number }): Axis => ({
  middle: [x, y],
  along: [Math.cos(heading), Math.sin(heading)],
});

function spotOf({ middle, along }: Axis, ahead: number, left: number, z: number): Spot {
  return [
    middle[0] + ahead * along[0] - left * along[1],
    middle[1] + ahead * along[1] + left * along[0],
    z,
  ];
}

/** Corners of a level rectangle of a body. */
const level = (axis: Axis, fromM: number, toM: number, halfM: number, z: number): Spot[] => [
  spotOf(axis, fromM, -halfM, z),
  spotOf(axis, toM, -halfM, z),
  spotOf(axis, toM, halfM, z),
  spotOf(axis, fromM, halfM, z),
];

function drawPart(pen: Pen, axis: Axis, part: Part, colour: Colour, lid = colour, taper = 1): void {
  const { fromM, toM, halfM, lowM, highM } = part;
  const middleM = (fromM + toM) / 2;
  const near = (valueM: number) => middleM + (valueM - middleM) * taper;
  pen.loft(
    level(axis, fromM, toM, halfM, lowM),
    level(axis, near(fromM), near(toM), halfM * (0.5 + taper / 2), highM),
    colour,
    lid,
  );
}

/** Whether a body that stands beside the road is a parked car. */
export const isParkedCar = ({ lengthM, widthM }: Body): boolean =>
  lengthM > 3.5 && lengthM < 6 && widthM > 1.5 && widthM < 2.2;

const PARKED = ['silver', 'dimgray', 'rosybrown', 'white'];

export function parkedCarOf(pen: Pen, body: Body): Solid {
  const { x, y, heading, lengthM, widthM } = body;
  const colour = PARKED[Math.floor(4 * hashOf([x, y]))] ?? 'silver';
  const rad = Math.atan2(heading[1], heading[0]);
  return carOf(pen, { vin: '', colour, x, y, heading: rad, lengthM, widthM });
}

export function carOf(pen: Pen, car: PlacedCar, isGhost = false): Solid {
  const ring = boxRing([car.x, car.y], axisOf(car).along, car.lengthM, car.widthM);
  return {
    depthM: pen.view.depth([car.x, car.y]),
    draw: () => {
      pen.alpha = isGhost ? GHOST_ALPHA : 1;
      drawCar(pen, car, isGhost);
      pen.alpha = 1;
    },
    ...(isGhost ? {} : { shadow: shadowOf(pen, ring, 1.2) }),
  };
}

function drawCar(pen: Pen, car: PlacedCar, isGhost: boolean): void {
  const axis = axisOf(car);
  const [l, w] = [car.lengthM / 2, car.widthM / 2];
  const paint = isGhost ? GHOST : (PAINTS[car.colour] ?? [190, 196, 201]);
  const glass = isGhost ? GHOST : GLASS;
  const whole = { fromM: -l + 0.1, toM: l - 0.1, halfM: w * 0.94, lowM: 0.14, highM: 0.34 };
  drawPart(pen, axis, whole, isGhost ? GHOST : TYRE);
  const body = { fromM: -l, toM: l, halfM: w, lowM: 0.34, highM: 0.92 };
  drawPart(pen, axis, body, paint, paint, 0.955);
  if (!isGhost) drawLamps(pen, axis, l, w);
  const cabin = { fromM: -l * 0.86, toM: l * 0.4, halfM: w * 0.9, lowM: 0.92, highM: 1.45 };
  drawPart(pen, axis, cabin, glass, paint, 0.68);
}

/** Lamps on the faces that are seen. */
function drawLamps(pen: Pen, axis: Axis, l: number, w: number): void {
  const lamp = (ahead: number, left: number, colour: Colour) => {
    const half = 0.2;
    const corners = [
      spotOf(axis, ahead, left + half, 0.56),
      spotOf(axis, ahead, left - half, 0.56),
      spotOf(axis, ahead * 0.99, left - half, 0.74),
      spotOf(axis, ahead * 0.99, left + half, 0.74),
    ];
    pen.face(ahead > 0 ? corners.toReversed() : corners, colour);
  };
  for (const left of [-w + 0.32, w - 0.32]) {
    lamp(l - 0.02, left, HEAD_LAMP);
    lamp(-l + 0.02, left, TAIL_LAMP);
  }
}

// ── actors ────────────────────────────────────────────────────────────────────────────────────

const VEHICLES: Readonly<Record<string, readonly [body: Colour, cab: Colour, heightM: number]>> = {
  lorry: [[240, 238, 232], [212, 86, 47], 3.4],
  tram: [[198, 40, 40], [244, 239, 226], 3.3],
  'delivery van': [[242, 197, 61], [242, 197, 61], 2.5],
};

export function actorOf(pen: Pen, actor: PlacedActor): Solid {
  const { x, y, name, lengthM, widthM } = actor;
  const axis = axisOf(actor);
  const depthM = pen.view.depth([x, y]);
  const ring = boxRing([x, y], axis.along, lengthM, widthM);
  const vehicle = VEHICLES[name];
  if (vehicle !== undefined) {
    const shadow = shadowOf(pen, ring, vehicle[2]);
    return { depthM, shadow, draw: () => drawVehicle(pen, axis, actor, vehicle) };
  }
  if (name.endsWith('car')) return carOf(pen, { ...actor, vin: '', colour: 'silver' });
  if (name === 'deer')
    return { depthM, shadow: shadowOf(pen, ring, 1), draw: () => drawDeer(pen, axis) };
  if (name === 'container') {
    const draw = () => pen.loft(raised(ring, 0), raised(ring, 1.1), [70, 120, 90]);
    return { depthM, shadow: shadowOf(pen, ring, 1.1), draw };
  }
  const isChild = name === 'child';
  const draw = () => drawPerson(pen, axis, isChild);
  return { depthM, shadow: shadowOf(pen, circle([x, y], 0.3), isChild ? 1.1 : 1.7), draw };
}

function drawVehicle(
  pen: Pen,
  axis: Axis,
  { lengthM, widthM }: PlacedActor,
  [body, cab, heightM]: readonly [Colour, Colour, number],
): void {
  const [l, halfM] = [lengthM / 2, widthM / 2];
  const cabM = l - Math.min(2.2, lengthM * 0.3);
  const low = { fromM: -l, toM: l, halfM: halfM * 0.95, lowM: 0.1, highM: 0.6 };
  const rear = { fromM: -l, toM: cabM, halfM, lowM: 0.6, highM: heightM };
  const front = { fromM: cabM, toM: l, halfM: halfM * 0.96, lowM: 0.6, highM: heightM * 0.86 };
  drawPart(pen, axis, low, TYRE);
  const parts = [
    { part: rear, colour: body },
    { part: front, colour: cab },
  ].toSorted((a, b) => depthAt(pen, axis, b.part) - depthAt(pen, axis, a.part));
  for (const { part, colour } of parts) drawPart(pen, axis, part, colour);
}

function depthAt(pen: Pen, axis: Axis, { fromM, toM }: Part): number {
  const [x, y] = spotOf(axis, (fromM + toM) / 2, 0, 0);
  return pen.view.depth([x, y]);
}

const SKIN: Colour = [217, 162, 125];
const CHILD = { top: [242, 194, 48], legs: [47, 95, 168], heightM: 1.15 } as const;
const ADULT = { top: [64, 70, 82], legs: [43, 47, 54], heightM: 1.75 } as const;
/** Persons are drawn a little larger than they are: they have to be found. */
const ENLARGED = 1.35;

function drawPerson(pen: Pen, axis: Axis, isChild: boolean): void {
  const { top, legs, heightM } = isChild ? CHILD : ADULT;
  const height = heightM * ENLARGED;
  const half = 0.17 * ENLARGED * (isChild ? 0.85 : 1);
  const part = (from: number, to: number, wide: number): Part => ({
    ...{ fromM: -half * 0.8, toM: half * 0.8, halfM: half * wide },
    ...{ lowM: from * height, highM: to * height },
  });
  drawPart(pen, axis, part(0, 0.46, 0.85), legs);
  drawPart(pen, axis, part(0.46, 0.84, 1.15), top, top, 0.9);
  const [x, y] = pen.view.pixel([...axis.middle, 0.92 * height]);
  pen.context.beginPath();
  pen.context.arc(x, y, 0.12 * height * pen.view.scale, 0, 2 * Math.PI);
  pen.context.fillStyle = `rgb(${SKIN.join(' ')})`;
  pen.context.fill();
}

const FUR: Colour = [154, 106, 60];

function drawDeer(pen: Pen, axis: Axis): void {
  const part = (fromM: number, toM: number, halfM: number, lowM: number, highM: number) =>
    drawPart(pen, axis, { fromM, toM, halfM, lowM, highM }, FUR, FUR, 0.9);
  for (const fromM of [-0.6, 0.45]) {
    part(fromM, fromM + 0.14, 0.2, 0, 0.7);
  }
  part(-0.7, 0.65, 0.26, 0.65, 1.2);
  part(0.5, 0.75, 0.14, 1.1, 1.65);
  part(0.6, 1.05, 0.13, 1.5, 1.75);
}
