import { CAR_COUNT, SEEN_CAMERA, SEEN_CORNERS, SEEN_RADAR } from '../../assembly/layout.ts';
import type { PerceptionRecord } from '../twin/perception-record.ts';
import { hundredths } from '../twin/units.ts';
import type { Perception } from '../twin/wire.ts';
import { type FrameNames, snapshotOf } from './snapshot.ts';

const SENSORS = [
  ['front_camera', SEEN_CAMERA],
  ['front_radar', SEEN_RADAR],
  ['corner_radars', SEEN_CORNERS],
] as const;
const NOBODY = { vin: null, hazard: null };

/** What the sensors of a car know, with the places of a frame of the same tick. */
export function perceptionOf(
  packed: Int32Array,
  car: number,
  { detections, intent, about }: PerceptionRecord,
  names: FrameNames,
): Perception {
  const { tick, vehicles, hazards } = snapshotOf(packed, names);
  const thing = (object: number) => {
    const vehicle = vehicles[object];
    if (vehicle !== undefined) {
      const { vin, x, y, heading } = vehicle;
      return { vin, hazard: null, kind: 'vehicle', x, y, heading };
    }
    const hazard = hazards[object - CAR_COUNT];
    if (hazard === undefined) return undefined;
    const { id, kind, x, y, heading } = hazard;
    return { vin: null, hazard: id, kind, x, y, heading };
  };
  const { vin, hazard } = (about === undefined ? undefined : thing(about)) ?? NOBODY;
  return {
    vin: names.vins[car] ?? '',
    tick,
    intent: { action: intent, vin, hazard },
    detections: detections.flatMap(({ object, sensors, confidence }) => {
      const seen = thing(object);
      if (seen === undefined) return [];
      const by = SENSORS.filter(([, bit]) => (sensors & bit) !== 0).map(([name]) => name);
      return [{ ...seen, sensors: by, confidence: hundredths(confidence) }];
    }),
  };
}
