import type { Theme } from '../../common/theme.ts';
import type { CityMap, MapRoad, MapZone, Pose } from '../api/types.ts';
import { type Billboards, type PillStyle, signStyle } from './billboards.ts';
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
import { covers, type Overlay } from './overlay.ts';
import type { Tint } from './palette.ts';

/** Distance between two names of a street. */
const EVERY_M = 230;
/** A street that bends by less than this over the length of its name counts as straight. */
const BEND_MAX_M = 1.6;
const TRY_M = 12;
const STREET_MIN_M = 30;

/** Where a street's name lies. */
interface NamePlace extends Pose {
  text: string;
  /** Length of the straight street around it, m. */
  roomM: number;
}

/** Places each street's name where the street is straight and as far from others as possible. */
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
/** Farther from other streets than this, a name is clear of their names. */
const CLEAR_M = 45;

/** The clearest of the places near a station that have the longest straight street. */
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

/** The place at a station; none where the street bends. */
function straightAt(text: string, line: Line, station: number, roomM: number): NamePlace[] {
  const a = stationAt(line, station - roomM / 2);
  const b = stationAt(line, station + roomM / 2);
  const { x, y } = stationAt(line, station);
  const bendM = distance([(a.x + b.x) / 2, (a.y + b.y) / 2], [x, y]);
  if (bendM > BEND_MAX_M) return [];
  return [{ text, x, y, heading: Math.atan2(b.y - a.y, b.x - a.x), roomM }];
}

/** Distance of the nearest other street, at most `CLEAR_M`. */
function clearanceOf({ x, y }: NamePlace, others: readonly Line[]): number {
  let clearM = CLEAR_M;
  for (const line of others) {
    for (let i = 1; i < line.length; i++) {
      clearM = Math.min(clearM, distanceToSegment([x, y], at(line, i - 1), at(line, i)));
    }
  }
  return clearM;
}

/** Height of a name near by; far away, names are larger. */
const LINE_M = 1.5;

/** Writes the street names on the ground. */
export function addStreetNames(map: CityMap, names: Billboards, theme: Theme): void {
  const street =
    theme === 'light'
      ? signStyle([1, 1, 1], [0.2, 0.23, 0.28], 0.75)
      : signStyle([0.86, 0.9, 0.94], [0.08, 0.1, 0.13], 0.85);
  names.clear();
  for (const place of namePlaces(map.roads)) {
    names.addGroundText(place.text, place, LINE_M, place.roomM, street);
  }
  names.flush();
}

const zoneStyle = (text: Tint, fill: Tint, halo: Tint): PillStyle => ({
  text: signStyle(text, [0, 0, 0], 0),
  bar: signStyle(fill, halo, 0.95, 0.92),
});
const WHITE: Tint = [1, 1, 1];

/** By kind of zone. */
const ZONE_SIGNS: Readonly<Record<string, { text: string; style: PillStyle }>> = {
  ice: { text: 'ICE', style: zoneStyle([0.03, 0.27, 0.5], [0.86, 0.96, 1], [0.1, 0.56, 0.9]) },
  wet: { text: 'WET ROAD', style: zoneStyle(WHITE, [0.1, 0.32, 0.68], [0.75, 0.88, 1]) },
  fog: { text: 'FOG', style: zoneStyle([0.2, 0.23, 0.28], [0.95, 0.96, 0.97], [0.5, 0.54, 0.6]) },
  dusk: { text: 'DUSK', style: zoneStyle(WHITE, [0.27, 0.18, 0.52], [0.8, 0.74, 1]) },
};
const SINK_PX = -17;
const SMALL_PX = 10.5;
/** Farther away than this, the signs would cover the streets. */
const PER_PIXEL_MAX_M = 1.3;

export function addZoneSigns(zones: ReturnType<typeof zoneSigns>, overlay: Overlay): void {
  if (!overlay.layers.zones || overlay.isClose || overlay.perPixelM > PER_PIXEL_MAX_M) return;
  for (const { x, y, text, style } of zones) {
    if (!covers(overlay, x, y))
      overlay.signs.addPillText(text, [x, y, 0], SINK_PX, style, SMALL_PX);
  }
}

/** A page may be older than its node: zones of a kind that it does not know get no sign. */
export function zoneSigns(zones: readonly MapZone[]) {
  return zones.flatMap(({ kind, polygon }) => {
    const sign = ZONE_SIGNS[kind];
    if (!sign) return [];
    const [x, y] = middleOf(polygon);
    return [{ x, y, ...sign }];
  });
}
