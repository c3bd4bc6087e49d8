import { add, at, cross, direction, distance, dot, subtract } from '../geometry.ts';
import type { City, Lane, Point } from '../types.ts';

/** A lane, sampled at equal steps of its length. */
export interface LaneProfile {
  lengthM: number;
  spacingM: number;
  /** The first at station 0, the last at the lane's end. */
  points: readonly ProfilePoint[];
}

export interface ProfilePoint {
  position: Point;
  /** Unit vector in driving direction. */
  tangent: Point;
  /** 1/m, left positive. */
  curvature: number;
}

const ROAD_SPACING_M = 1;
const CONNECTOR_SPACING_M = 0.5;
/** Pieces per span of the curve for measuring its length. */
const SPAN_PIECES = 8;

/** Profiles of all lanes. Connectors continue the exact directions of the lanes that they join. */
export function profilesOf(city: City): LaneProfile[] {
  return city.lanes.map((lane) => {
    if (!lane.connector) return profileOf(lane);
    const before = at(city.lanes, lane.connector.from).polyline;
    const after = at(city.lanes, lane.connector.to).polyline;
    return profileOf(lane, {
      start: direction(at(before, -2), at(before, -1)),
      end: direction(at(after, 0), at(after, 1)),
    });
  });
}

/** Unit vectors. */
interface EndTangents {
  start: Point;
  end: Point;
}

/**
 * The lane's centre line as a Catmull-Rom spline through the points of its polyline, resampled at
 * equal arc length.
 */
function profileOf(lane: Lane, ends?: EndTangents): LaneProfile {
  const spans = spansOf(lane.polyline, ends);
  const stations = stationsOf(spans);
  const lengthM = stations[stations.length - 1] ?? 0;
  if (!(lengthM > 0)) throw new RangeError(`lane ${lane.id} has no length`);
  const wantedM = lane.junction < 0 ? ROAD_SPACING_M : CONNECTOR_SPACING_M;
  const stepCount = Math.max(2, Math.floor(lengthM / wantedM + 0.5));
  const spacingM = lengthM / stepCount;
  const places: Place[] = [];
  let piece = 1;
  for (let i = 0; i <= stepCount; i++) {
    const stationM = i === stepCount ? lengthM : i * spacingM;
    while (piece < stations.length - 1 && at(stations, piece) < stationM) piece++;
    const from = at(stations, piece - 1);
    const part = (stationM - from) / (at(stations, piece) - from);
    places.push(placeAt(spans, (piece - 1 + part) / SPAN_PIECES));
  }
  const tangents = places.map(({ tangent }) => tangent);
  const curvatures = curvaturesOf(tangents, spacingM);
  const points = places.map((place, i) => ({ ...place, curvature: at(curvatures, i) }));
  return { lengthM, spacingM, points };
}

/** Two points on the curve and the derivatives there; the parameter goes from 0 to 1. */
interface Span {
  from: Point;
  to: Point;
  leaving: Point;
  arriving: Point;
}

interface Place {
  position: Point;
  tangent: Point;
}

function spansOf(polyline: readonly Point[], ends: EndTangents | undefined): Span[] {
  const derivatives = polyline.map((_, i) => derivativeAt(polyline, i, ends));
  return polyline.slice(1).map((to, i) => ({
    from: at(polyline, i),
    to,
    leaving: at(derivatives, i),
    arriving: at(derivatives, i + 1),
  }));
}

/** Half the chord between the neighbours; at an end the chord, along a given tangent. */
function derivativeAt(polyline: readonly Point[], i: number, ends: EndTangents | undefined): Point {
  const before = at(polyline, Math.max(i - 1, 0));
  const after = at(polyline, Math.min(i + 1, polyline.length - 1));
  const isInner = i > 0 && i < polyline.length - 1;
  const chord = subtract(after, before);
  if (isInner) return scaled(chord, 0.5);
  const tangent = i === 0 ? ends?.start : ends?.end;
  return tangent ? scaled(tangent, distance(before, after)) : chord;
}

/** Arc length from the start at equal steps of the parameter. */
function stationsOf(spans: readonly Span[]): number[] {
  const stations = [0];
  let previous = placeAt(spans, 0).position;
  for (let i = 1; i <= spans.length * SPAN_PIECES; i++) {
    const { position } = placeAt(spans, i / SPAN_PIECES);
    stations.push(at(stations, i - 1) + distance(previous, position));
    previous = position;
  }
  return stations;
}

/** Cubic Hermite interpolation. The integer part of the parameter is the index of the span. */
function placeAt(spans: readonly Span[], parameter: number): Place {
  const index = Math.min(Math.floor(parameter), spans.length - 1);
  const span = at(spans, index);
  const t = parameter - index;
  const rise = (3 - 2 * t) * t * t;
  const slope = 6 * (1 - t) * t;
  return {
    position: weigh(span, rise, (1 - t) * (1 - t) * t, (t - 1) * t * t, 1 - rise),
    tangent: unit(weigh(span, slope, (1 - t) * (1 - 3 * t), (3 * t - 2) * t, -slope)),
  };
}

function weigh(
  { from, to, leaving, arriving }: Span,
  toWeight: number,
  leavingWeight: number,
  arrivingWeight: number,
  fromWeight: number,
): Point {
  const chord = add(scaled(from, fromWeight), to, toWeight);
  return add(add(chord, leaving, leavingWeight), arriving, arrivingWeight);
}

/**
 * The curvature at each of some points at equal steps: the turn of the tangent between its neighbours,
 * smoothed once (weights ¼ ½ ¼).
 */
export function curvaturesOf(tangents: readonly Point[], spacingM: number): number[] {
  return smoothed(tangents.map((_, i) => curvatureAt(tangents, i, spacingM)));
}

/** The angle between two tangents is twice the arcsine of half their chord, about the chord. */
function curvatureAt(tangents: readonly Point[], i: number, spacingM: number): number {
  const before = Math.max(0, i - 1);
  const after = Math.min(tangents.length - 1, i + 1);
  const a = at(tangents, before);
  const b = at(tangents, after);
  return cross(a, b) / Math.sqrt((1 + dot(a, b)) / 2) / ((after - before) * spacingM);
}

function smoothed(values: readonly number[]): number[] {
  return values.map((value, i) => {
    const before = values[i - 1];
    const after = values[i + 1];
    if (before === undefined || after === undefined) return value;
    return before / 4 + value / 2 + after / 4;
  });
}

const scaled = ([x, y]: Point, factor: number): Point => [x * factor, y * factor];

function unit([x, y]: Point): Point {
  const length = Math.sqrt(x * x + y * y);
  return [x / length, y / length];
}
