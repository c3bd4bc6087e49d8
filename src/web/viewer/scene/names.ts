import type { CityMap, MapRoad, MapZone } from '../map-types.ts';
import type { Billboards, Ink } from './billboards.ts';
import { at, distance, type Line, lengthOf, middleOf, stationAt, thinned } from './lines.ts';
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

/** Names of all streets, each where its street is straight. */
export function namePlaces(roads: readonly MapRoad[]): NamePlace[] {
  return roads.flatMap(({ name, centerline }) => placesAlong(name, thinned(centerline, 0.2)));
}

function placesAlong(text: string, line: Line): NamePlace[] {
  const totalM = lengthOf(line);
  if (totalM < STREET_MIN_M) return [];
  const count = Math.max(1, Math.round(totalM / EVERY_M));
  return Array.from({ length: count }, (_, i) => {
    const middleM = ((i + 0.5) * totalM) / count;
    return straightestNear(text, line, middleM, totalM);
  });
}

const SHIFTS_M = [0, 1, -1, 2, -2, 3, -3] as const;
const ROOMS_M = [90, 60, 40, 25] as const;

/** Of some places around a station the first with the most straight street around it. */
function straightestNear(text: string, line: Line, middleM: number, totalM: number): NamePlace {
  for (const roomM of ROOMS_M) {
    for (const shift of SHIFTS_M) {
      const station = middleM + shift * TRY_M;
      const [fromM, toM] = [station - roomM / 2, station + roomM / 2];
      if (fromM < 0 || toM > totalM) continue;
      const a = stationAt(line, fromM);
      const b = stationAt(line, toM);
      const c = stationAt(line, station);
      const bendM = distance([(a.x + b.x) / 2, (a.y + b.y) / 2], [c.x, c.y]);
      if (bendM > BEND_MAX_M) continue;
      return { text, x: c.x, y: c.y, heading: Math.atan2(b.y - a.y, b.x - a.x), roomM };
    }
  }
  const { x, y, hx, hy } = stationAt(line, middleM);
  return { text, x, y, heading: Math.atan2(hy, hx), roomM: 20 };
}

const ZONE_TEXTS: Readonly<Record<string, string>> = {
  ice: 'ICE',
  wet: 'WET ROAD',
  fog: 'FOG',
  dusk: 'DUSK',
};
const LINE_M = 3.4;
const ZONE_LINE_M = 4.2;

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
  for (const zone of map.zones) writeZone(zone, names);
  names.flush();
}

const ZONE_INKS: Readonly<Record<string, Ink>> = {
  ice: { fill: [0.04, 0.3, 0.55], halo: [0.9, 0.97, 1], fillAlpha: 1, haloAlpha: 0.95 },
  wet: { fill: [1, 1, 1], halo: [0.06, 0.22, 0.5], fillAlpha: 1, haloAlpha: 0.95 },
  fog: { fill: [0.24, 0.28, 0.33], halo: [1, 1, 1], fillAlpha: 1, haloAlpha: 0.95 },
  dusk: { fill: [0.93, 0.89, 1], halo: [0.2, 0.13, 0.42], fillAlpha: 1, haloAlpha: 0.95 },
};

/** Beside the middle of the zone, along its longest side. */
function writeZone({ kind, polygon }: MapZone, names: Billboards): void {
  const text = ZONE_TEXTS[kind];
  const ink = ZONE_INKS[kind];
  if (!text || !ink) return;
  let side: Line = [];
  polygon.forEach((corner, i) => {
    const next = at(polygon, (i + 1) % polygon.length);
    const longest = side.length === 2 ? distance(at(side, 0), at(side, 1)) : 0;
    if (distance(corner, next) > longest) side = [corner, next];
  });
  const [a, b] = [at(side, 0), at(side, 1)];
  const [x, y] = middleOf(polygon);
  const heading = Math.atan2(b[1] - a[1], b[0] - a[0]);
  // Nearer to that side than the middle is: there the street's own name may lie.
  const towards = 0.62;
  const [sx, sy] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  names.lay(text, x + (sx - x) * towards, y + (sy - y) * towards, heading, ZONE_LINE_M, 60, ink);
}
