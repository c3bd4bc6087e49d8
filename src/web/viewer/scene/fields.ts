import { MathUtils } from 'three';
import type { SensorName } from '../api/types.ts';
import type { Point } from './lines.ts';

/** The field of a sensor in the car's frame. */
export interface Field {
  /** Position of the mount: ahead of the front bumper, and left of the middle, m. */
  aheadM: number;
  leftM: number;
  /** From right to left. */
  sectors: readonly Sector[];
}

interface Sector {
  fromRad: number;
  toRad: number;
  rangeM: number;
}

/** From and to in degrees, left positive. */
const sector = (from: number, to: number, rangeM: number): Sector => ({
  fromRad: MathUtils.degToRad(from),
  toRad: MathUtils.degToRad(to),
  rangeM,
});

/** Ranges for vehicles by day. */
const CAMERA_M = 120;
const CAMERA_DUSK_M = 80;
const CAMERA_FOG_M = 16.1;
const RADAR_M = 100;
const RADAR_WIDE_M = 70;
const CORNERS_M = 80;
const CAMERA_BEHIND_M = 1.6;
const CORNER_ASIDE_M = 0.75;

export const FIELDS: Readonly<Record<SensorName, readonly Field[]>> = {
  front_camera: [{ aheadM: -CAMERA_BEHIND_M, leftM: 0, sectors: [sector(-50, 50, CAMERA_M)] }],
  front_radar: [
    {
      aheadM: 0,
      leftM: 0,
      sectors: [
        sector(-45, -10, RADAR_WIDE_M),
        sector(-10, 10, RADAR_M),
        sector(10, 45, RADAR_WIDE_M),
      ],
    },
  ],
  corner_radars: [
    { aheadM: 0, leftM: CORNER_ASIDE_M, sectors: [sector(-25, 115, CORNERS_M)] },
    { aheadM: 0, leftM: -CORNER_ASIDE_M, sectors: [sector(-115, 25, CORNERS_M)] },
  ],
};

const ARC_STEP_RAD = MathUtils.degToRad(5);

/** The outline of a field from right to left, without its mount. */
export function outlineOf({ sectors }: Field): Point[] {
  return sectors.flatMap(({ fromRad, toRad, rangeM }) => {
    const steps = Math.max(1, Math.round((toRad - fromRad) / ARC_STEP_RAD));
    return Array.from({ length: steps + 1 }, (_, i): Point => {
      const angle = fromRad + ((toRad - fromRad) * i) / steps;
      return [rangeM * Math.cos(angle), rangeM * Math.sin(angle)];
    });
  });
}

/** The part of its range by day that a camera has in dusk or fog. */
export function cameraPart(zones: ReadonlySet<string>): number {
  if (zones.has('fog')) return CAMERA_FOG_M / CAMERA_M;
  return zones.has('dusk') ? CAMERA_DUSK_M / CAMERA_M : 1;
}
