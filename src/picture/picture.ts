import { at } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import { inWords, type LinkPreview, savedBy } from '../twin/link-preview.ts';
import type { FleetEntry, Incident } from '../twin/wire.ts';
import { actorOf, carOf, isParkedCar, parkedCarOf } from './bodies.ts';
import { type Context, pngOf } from './canvas.ts';
import { drawCard, drawLabel } from './card.ts';
import { drawGround } from './ground.ts';
import { type Moment, momentOf, type ReplayedFrames } from './moment.ts';
import { type Colour, Pen } from './pen.ts';
import { dashesOf } from './shapes.ts';
import { type Solid, solidsOf } from './solids.ts';
import type { Surroundings } from './surroundings.ts';
import { type Pixel, View } from './view.ts';

/** Everything that a picture shows. */
export interface PictureTask {
  incident: Incident;
  preview: LinkPreview;
  fleet: readonly FleetEntry[];
  surroundings: Surroundings;
  /** Undefined: it cannot be replayed, and only its place is shown. */
  asItWas: ReplayedFrames | undefined;
  /** With the features on that would have helped; undefined: none is known. */
  asItWouldHaveBeen: (ReplayedFrames & { vins: readonly string[] }) | undefined;
}

/** Where the contact is on the picture, px. */
const FOCUS: Pixel = [830, 300];
/** Pixels a metre, at most and at least. */
const SCALE_MAX = 26;
const SCALE_MIN = 11;
/** What has to fit around the contact, px. */
const ROOM_PX = 270;
/** From the direction of the striking car to the one that is up. */
const TURN = 0.62;
const TRAIL: Colour = [202, 44, 38];
const GHOST_TRAIL: Colour = [16, 140, 98];
const TRAIL_M = 0.34;
const SHADOW = 'rgb(20 30 50 / 0.13)';
const CONTACT = '#d02a24';
const RAYS = 12;
const RAY_PX = 74;
const INK = '#17201b';
const GREEN = '#0f7a55';
/** Where labels are: they leave the way of the car free, which goes to the upper left. */
const ABOVE: Pixel = [70, -86];
const BELOW: Pixel = [-76, 92];

/** A PNG of an incident, 1200 × 630. */
export function pictureOf(task: PictureTask): Promise<Uint8Array> {
  return pngOf((context) => draw(context, task));
}

function draw(context: Context, task: PictureTask): void {
  const { incident, preview, surroundings } = task;
  const moment = momentOf(task);
  const view = viewOf(incident, moment);
  const pen = new Pen(context, view);
  drawGround(pen, surroundings);
  const placed = [...moment.cars, ...moment.actors, ...moment.ghosts];
  const clear = [
    ...[incident.place, ...placed].map(({ x, y }): Point => [x, y]),
    ...moment.trails.flatMap(({ line }) => line),
  ];
  const parked = surroundings.bodies.filter(isParkedCar);
  const bodies = surroundings.bodies.filter((body) => !isParkedCar(body));
  const solids: Solid[] = [
    ...solidsOf(pen, { ...surroundings, bodies }, clear),
    ...parked.map((body) => parkedCarOf(pen, body)),
    ...[...moment.cars, ...moment.others].map((car) => carOf(pen, car)),
    ...moment.actors.map((actor) => actorOf(pen, actor)),
    ...moment.ghosts.map((car) => carOf(pen, car, true)),
  ];
  drawShadows(pen, solids);
  for (const trail of moment.trails) drawTrail(pen, trail);
  drawContact(context, view.pixel([incident.place.x, incident.place.y, 0]));
  for (const solid of solids.toSorted((a, b) => b.depthM - a.depthM)) solid.draw();
  drawLabels(context, view, moment, task);
  drawCard(context, preview);
}

/** The striking car comes from the lower right, and everything that belongs to the collision fits. */
function viewOf(incident: Incident, { cars, ghosts, actors, trails }: Moment): View {
  const { vehicles, place } = incident;
  const striking = vehicles.find(({ role }) => role === 'striking') ?? vehicles[0];
  const car = cars.find(({ vin }) => vin === striking?.vin);
  const trail = trails[0]?.line ?? [];
  const before = trail.at(-Math.min(trail.length, 12));
  const heading = directionOf(before, car) ?? striking?.heading ?? 0;
  const farM = Math.max(
    8,
    ...[...cars, ...ghosts, ...actors].map(({ x, y }) => Math.hypot(x - place.x, y - place.y)),
  );
  return new View({
    middle: [place.x, place.y],
    at: FOCUS,
    bearing: heading - TURN,
    scale: Math.min(SCALE_MAX, Math.max(SCALE_MIN, ROOM_PX / farM)),
  });
}

function directionOf(from: Point | undefined, to: { x: number; y: number } | undefined) {
  if (from === undefined || to === undefined) return undefined;
  const [dx, dy] = [to.x - from[0], to.y - from[1]];
  return Math.hypot(dx, dy) < 1 ? undefined : Math.atan2(dy, dx);
}

/** All at once, so that none is darker where two overlap. */
function drawShadows(pen: Pen, solids: readonly Solid[]): void {
  const { context, view } = pen;
  context.beginPath();
  for (const { shadow = [] } of solids) {
    shadow.forEach(([x, y], i) => {
      const pixel = view.pixel([x, y, 0]);
      if (i === 0) context.moveTo(...pixel);
      else context.lineTo(...pixel);
    });
    context.closePath();
  }
  context.fillStyle = SHADOW;
  context.fill('nonzero');
}

function drawTrail(pen: Pen, { line, isGhost }: Moment['trails'][number]): void {
  const [colour, alpha] = isGhost ? ([GHOST_TRAIL, 0.9] as const) : ([TRAIL, 0.75] as const);
  const pieces = isGhost ? dashesOf(line, 0.9, 0.7) : [line];
  for (const piece of pieces) pen.band(piece, TRAIL_M, colour, alpha);
}

/** Rays around the place of the contact. */
function drawContact(context: Context, [x, y]: Pixel): void {
  context.beginPath();
  for (let i = 0; i < 2 * RAYS; i++) {
    const rad = (Math.PI * i) / RAYS;
    const reach = i % 2 === 0 ? RAY_PX : 0.62 * RAY_PX;
    context.lineTo(x + reach * Math.cos(rad), y + 0.76 * reach * Math.sin(rad));
  }
  context.closePath();
  context.fillStyle = '#ffd640';
  context.fill();
  context.strokeStyle = CONTACT;
  context.lineWidth = 4;
  context.stroke();
}

function drawLabels(
  context: Context,
  view: View,
  { cars, ghosts }: Moment,
  { incident, preview }: PictureTask,
): void {
  const striking = incident.vehicles.find(({ role }) => role === 'striking');
  const car = cars.find(({ vin }) => vin === striking?.vin) ?? cars[0];
  if (car === undefined) return;
  const [ghost] = ghosts;
  const place = view.pixel([car.x, car.y, 1.2]);
  const ghostPlace = ghost && view.pixel([ghost.x, ghost.y, 0.6]);
  const isGhostAbove = ghostPlace !== undefined && ghostPlace[1] < place[1];
  if (ghostPlace !== undefined) {
    const names = savedBy(incident);
    const text = names.length > 1 ? 'Saved' : `With ${inWords(at(names, 0))}`;
    drawLabel(context, text, ghostPlace, { ground: GREEN, by: isGhostAbove ? ABOVE : BELOW });
  }
  drawLabel(context, preview.speed, place, { ground: INK, by: isGhostAbove ? BELOW : ABOVE });
}
