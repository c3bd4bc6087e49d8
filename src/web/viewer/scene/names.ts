import type { CityMap, MapRoad, MapZone } from '../api/types.ts';
import type { Billboards, Ink } from './billboards.ts';
import type { Tint } from './decals.ts';
import {
  at,
  distance,
  distanceToSegment,
  type Line,
  lengthOf,
  middleOf,
  stationAt,
  thinned,
} from './lines.ts';
import { writePill } from './pill.ts';
import type { Theme } from './types.ts';

/** A name stands once in so many metres of street. */
const EVERY_M = 230;
/** A name follows a street that bends by less than this over its length, m. */
const BEND_MAX_M = 1.6;
const TRY_M = 12;
const STREET_MIN_M = 30;

/** Where a street's name lies. */
export interface NamePlace {
  text: string;
  x: number;
  y: number;
  heading: number;
  /** Straight metres there are for it. */
  roomM: number;
}

/** Names of all streets, each where its street is straight and as clear of others as it can be. */
export function namePlaces(roads: readonly MapRoad[]): NamePlace[] {
  const lines = roads.map(({ centerline }) => thinned(centerline, 0.2));
  return roads.flatMap(({ name }, i) => placesAlong(name, at(lines, i), lines.toSpliced(i, 1)));
}

function placesAlong(text: string, line: Line, others: readonly Line[]): NamePlace[] {
  const totalM = lengthOf(line);
  if (totalM < STREET_MIN_M) return [];
  const count = Math.max(1, Math.round(totalM / EVERY_M));
  return Array.from({ length: count }, (_, i) => {
    const middleM = ((i + 0.5) * totalM) / count;
    return clearestNear(text, line, middleM, totalM, others);
  });
}

const SHIFTS_M = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5] as const;
const ROOMS_M = [90, 60, 40, 25] as const;
/** What is so far from any other street is clear of their names. */
const CLEAR_M = 45;

/** Of the places around a station with the most straight street around them the clearest. */
function clearestNear(
  text: string,
  line: Line,
  middleM: number,
  totalM: number,
  others: readonly Line[],
): NamePlace {
  for (const roomM of ROOMS_M) {
    const places = SHIFTS_M.map((shift) => middleM + shift * TRY_M)
      .filter((station) => station >= roomM / 2 && station + roomM / 2 <= totalM)
      .flatMap((station) => straightAt(text, line, station, roomM));
    const clearM = places.map((place) => clearanceOf(place, others));
    const best = places[clearM.indexOf(Math.max(...clearM))];
    if (best !== undefined) return best;
  }
  const { x, y, hx, hy } = stationAt(line, middleM);
  return { text, x, y, heading: Math.atan2(hy, hx), roomM: 20 };
}

/** The place around a station, where the street is straight there. */
function straightAt(text: string, line: Line, station: number, roomM: number): NamePlace[] {
  const a = stationAt(line, station - roomM / 2);
  const b = stationAt(line, station + roomM / 2);
  const { x, y } = stationAt(line, station);
  const bendM = distance([(a.x + b.x) / 2, (a.y + b.y) / 2], [x, y]);
  if (bendM > BEND_MAX_M) return [];
  return [{ text, x, y, heading: Math.atan2(b.y - a.y, b.x - a.x), roomM }];
}

/** How far the nearest other street is; all that is enough is the same. */
function clearanceOf({ x, y }: NamePlace, others: readonly Line[]): number {
  let clearM = CLEAR_M;
  for (const line of others) {
    for (let i = 1; i < line.length; i++) {
      clearM = Math.min(clearM, distanceToSegment([x, y], at(line, i - 1), at(line, i)));
    }
  }
  return clearM;
}

/** Of what is near; from far away names are larger. */
const LINE_M = 1.5;

/** Writes all names that lie on the ground. */
export function writeNames(map: CityMap, names: Billboards, theme: Theme): void {
  const isLight = theme === 'light';
  const street: Ink = {
    fill: isLight ? [1, 1, 1] : [0.86, 0.9, 0.94],
    halo: isLight ? [0.2, 0.23, 0.28] : [0.08, 0.1, 0.13],
    fillAlpha: 1,
    haloAlpha: isLight ? 0.75 : 0.85,
  };
  names.clear();
  for (const { text, x, y, heading, roomM } of namePlaces(map.roads)) {
    names.lay(text, x, y, heading, LINE_M, roomM, street);
  }
  names.flush();
}

const pillOf = (fill: Tint, halo: Tint): Ink => ({ fill, halo, fillAlpha: 0.92, haloAlpha: 0.95 });
const inkOf = (fill: Tint): Ink => ({ fill, halo: [0, 0, 0], fillAlpha: 1, haloAlpha: 0 });
const WHITE: Tint = [1, 1, 1];

const ZONE_SIGNS: Readonly<Record<string, { text: string; pill: Ink; ink: Ink }>> = {
  ice: {
    text: 'ICE',
    pill: pillOf([0.86, 0.96, 1], [0.1, 0.56, 0.9]),
    ink: inkOf([0.03, 0.27, 0.5]),
  },
  wet: { text: 'WET ROAD', pill: pillOf([0.1, 0.32, 0.68], [0.75, 0.88, 1]), ink: inkOf(WHITE) },
  fog: {
    text: 'FOG',
    pill: pillOf([0.95, 0.96, 0.97], [0.5, 0.54, 0.6]),
    ink: inkOf([0.2, 0.23, 0.28]),
  },
  dusk: { text: 'DUSK', pill: pillOf([0.27, 0.18, 0.52], [0.8, 0.74, 1]), ink: inkOf(WHITE) },
};
const SINK_PX = -17;
/** Where a pixel is more metres than this, the signs would cover the streets. */
const PER_PIXEL_MAX_M = 1.3;

/** Says what each zone is. */
export function showZoneSigns(
  zones: readonly ZoneSign[],
  perPixelM: number,
  signs: Billboards,
): void {
  if (perPixelM > PER_PIXEL_MAX_M) return;
  for (const { x, y, text, pill, ink } of zones) {
    writePill(text, x, y, 0, SINK_PX, pill, ink, signs, SMALL_PX);
  }
}

const SMALL_PX = 10.5;

interface ZoneSign {
  x: number;
  y: number;
  text: string;
  pill: Ink;
  ink: Ink;
}

export function zoneSigns(zones: readonly MapZone[]): ZoneSign[] {
  return zones.flatMap(({ kind, polygon }) => {
    const sign = ZONE_SIGNS[kind];
    if (!sign) return [];
    const [x, y] = middleOf(polygon);
    return [{ x, y, ...sign }];
  });
}
