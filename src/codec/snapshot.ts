import {
  CAR_COUNT,
  FLAG_AEB,
  FLAG_BRAKING,
  FLAG_ESC,
  FLAG_EVASIVE,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  OC_ACCEL,
  OC_FLAGS,
  OC_GAP,
  OC_HEADING,
  OC_LANE,
  OC_PLACE,
  OC_SPEED,
  OC_STATUS,
  OC_STEER,
  OC_STRIDE,
  OC_X,
  OC_Y,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
  TICK_MS,
} from '../../assembly/layout.ts';
import type { CityNames } from '../city/names.ts';
import { LIGHT_STATES, STATUSES } from '../twin/enumerations.ts';
import type { Snapshot, Telemetry } from '../twin/wire.ts';

type SnapshotVehicle = Snapshot['vehicles'][number];
type SnapshotHazard = Snapshot['hazards'][number];
/** The values of a car that snapshots and telemetry share. */
type Reading = Pick<
  SnapshotVehicle & Telemetry,
  'heading' | 'speed' | 'road' | 'gap' | 'aeb' | 'esc' | 'evasive' | 'status'
>;

/** The names for the indices in a packed snapshot. */
export interface FrameNames {
  worldId: string;
  /** In car order, 20 of them. */
  vins: readonly string[];
  city: CityNames;
}

/**
 * A packed snapshot as a plain object. `FrameEncoder` does the same faster, as bytes.
 * @param packed see O_ in the memory map
 */
export function snapshotOf(packed: Int32Array, names: FrameNames): Snapshot {
  const tick = int(packed, O_TICK);
  return {
    type: 'snapshot',
    world: names.worldId,
    tick,
    time: (tick * TICK_MS) / 1000,
    vehicles: names.vins.slice(0, CAR_COUNT).map((vin, car) => vehicleOf(packed, car, vin, names)),
    lights: names.city.lights.slice(0, int(packed, O_LIGHTS)).map((id, light) => ({
      id,
      state: LIGHT_STATES[int(packed, O_LIGHT + light)] ?? 'red',
    })),
    hazards: names.city.hazards
      .slice(0, int(packed, O_HAZARDS))
      .map((hazard, index) => hazardOf(packed, index, hazard)),
  };
}

/** The telemetry of one car of a packed snapshot. */
export function telemetryOf(packed: Int32Array, car: number, names: FrameNames): Telemetry {
  const base = O_CARS + car * OC_STRIDE;
  const tick = int(packed, O_TICK);
  const { heading, speed, road, ...rest } = readingOf(packed, base, names.city);
  return {
    vin: names.vins[car] ?? '',
    world: names.worldId,
    tick,
    time: (tick * TICK_MS) / 1000,
    position: { x: int(packed, base + OC_X) / 100, y: int(packed, base + OC_Y) / 100 },
    heading,
    speed,
    acceleration: int(packed, base + OC_ACCEL) / 100,
    steering: int(packed, base + OC_STEER) / 10_000,
    road,
    lane: names.city.lanes[int(packed, base + OC_LANE)] ?? '',
    ...rest,
  };
}

function vehicleOf(
  packed: Int32Array,
  car: number,
  vin: string,
  names: FrameNames,
): SnapshotVehicle {
  const base = O_CARS + car * OC_STRIDE;
  const { aeb, esc, evasive, status, ...motion } = readingOf(packed, base, names.city);
  return {
    vin,
    x: int(packed, base + OC_X) / 100,
    y: int(packed, base + OC_Y) / 100,
    ...motion,
    braking: (int(packed, base + OC_FLAGS) & FLAG_BRAKING) !== 0,
    aeb,
    esc,
    evasive,
    status,
  };
}

function readingOf(packed: Int32Array, base: number, city: CityNames): Reading {
  const flags = int(packed, base + OC_FLAGS);
  const gapCm = int(packed, base + OC_GAP);
  return {
    heading: int(packed, base + OC_HEADING) / 10_000,
    speed: int(packed, base + OC_SPEED) / 100,
    road: placeName(int(packed, base + OC_PLACE), city),
    gap: gapCm === -1 ? null : gapCm / 100,
    aeb: (flags & FLAG_AEB) !== 0,
    esc: (flags & FLAG_ESC) !== 0,
    evasive: (flags & FLAG_EVASIVE) !== 0,
    status: STATUSES[int(packed, base + OC_STATUS)] ?? 'crashed',
  };
}

function placeName(place: number, { roads, junctions }: CityNames): string {
  return (place >= 0 ? roads[place] : junctions[-1 - place]) ?? '';
}

function hazardOf(
  packed: Int32Array,
  index: number,
  { id, kind }: CityNames['hazards'][number],
): SnapshotHazard {
  const base = O_HAZARD + index * OH_STRIDE;
  return {
    id,
    kind,
    active: int(packed, base + OH_ACTIVE) !== 0,
    x: int(packed, base + OH_X) / 100,
    y: int(packed, base + OH_Y) / 100,
    heading: int(packed, base + OH_HEADING) / 10_000,
    length: int(packed, base + OH_LENGTH) / 100,
    width: int(packed, base + OH_WIDTH) / 100,
  };
}

function int(packed: Int32Array, index: number): number {
  return packed[index] ?? 0;
}
