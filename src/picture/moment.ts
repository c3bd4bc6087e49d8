import { distanceToPath } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import { CAR_TYPES } from '../twin/fleet.ts';
import type { FleetEntry, Incident, Snapshot } from '../twin/wire.ts';

/** A replay up to the contact, as the shard has encoded it. */
export interface ReplayedFrames {
  /** JSON snapshots with commas between them. */
  frames: Uint8Array;
}

/** A car, or what it hit, at one moment. */
export interface Placed {
  x: number;
  y: number;
  heading: number;
  lengthM: number;
  widthM: number;
}

export interface PlacedCar extends Placed {
  vin: string;
  colour: string;
}

/** What is at a hazard spot. */
export interface PlacedActor extends Placed {
  /** As reports name it. */
  name: string;
}

/** The collision as it is drawn: everybody at the contact, and how they got there. */
export interface Moment {
  cars: readonly PlacedCar[];
  /** Other cars of the fleet that were near. */
  others: readonly PlacedCar[];
  actors: readonly PlacedActor[];
  ghosts: readonly PlacedCar[];
  trails: readonly { line: readonly Point[]; isGhost: boolean }[];
}

interface Told {
  incident: Incident;
  fleet: readonly FleetEntry[];
  asItWas: ReplayedFrames | undefined;
  asItWouldHaveBeen: (ReplayedFrames & { vins: readonly string[] }) | undefined;
}

const TRAIL_TICKS = 150;
/** A ghost that is farther away would make everything else too small. */
const GHOST_REACH_M = 24;
/** A ghost has a way of its own where it is so far from that of the car. */
const APART_M = 0.5;

export function momentOf({ incident, fleet, asItWas, asItWouldHaveBeen }: Told): Moment {
  const frames = snapshotsOf(asItWas);
  const last = frames.at(-1);
  if (last === undefined) return withoutFrames(incident, fleet);
  const vins = incident.vehicles.map(({ vin }) => vin);
  const carsOf = (frame: Snapshot | undefined, isWanted: (vin: string) => boolean) =>
    (frame?.vehicles ?? [])
      .filter(({ vin }) => isWanted(vin))
      .map((car) => ({ ...sizeOf(fleet, car.vin), x: car.x, y: car.y, heading: car.heading }));
  const would = snapshotsOf(asItWouldHaveBeen);
  const { place } = incident;
  const isNear = ({ x, y }: Placed) => Math.hypot(x - place.x, y - place.y) < GHOST_REACH_M;
  const ghosts = asItWouldHaveBeen?.vins ?? [];
  const lines = vins.map((vin) => trailOf(frames, carAt(vin)));
  return {
    cars: carsOf(last, (vin) => vins.includes(vin)),
    others: carsOf(last, (vin) => !vins.includes(vin)),
    actors: actorsOf(incident, last),
    ghosts: carsOf(would.at(-1), (vin) => ghosts.includes(vin)).filter(isNear),
    trails: [
      ...lines.map((line) => ({ line, isGhost: false })),
      ...incident.other.map(({ hazard }) => ({
        line: trailOf(frames, hazardAt(hazard)),
        isGhost: false,
      })),
      ...ghosts.map((vin) => ({ line: apart(trailOf(would, carAt(vin)), lines), isGhost: true })),
    ].filter(({ line }) => line.length > 1),
  };
}

/** The end of a line from where it leaves the others. */
function apart(line: readonly Point[], others: readonly (readonly Point[])[]): readonly Point[] {
  const isFar = (point: Point) =>
    others.every((other) => other.length === 0 || distanceToPath(point, other) > APART_M);
  const first = line.findIndex(isFar);
  return first < 0 ? [] : line.slice(Math.max(0, first - 1));
}

function snapshotsOf(replayed: ReplayedFrames | undefined): Snapshot[] {
  if (replayed === undefined) return [];
  return JSON.parse(`[${Buffer.from(replayed.frames).toString()}]`) as Snapshot[];
}

type PlaceIn = (frame: Snapshot) => Point | undefined;

const carAt =
  (vin: string): PlaceIn =>
  ({ vehicles }) => {
    const car = vehicles.find((each) => each.vin === vin);
    return car && [car.x, car.y];
  };

const hazardAt =
  (id: string | null): PlaceIn =>
  ({ hazards }) => {
    const hazard = hazards.find((each) => each.id === id && each.active);
    return hazard && [hazard.x, hazard.y];
  };

function trailOf(frames: readonly Snapshot[], placeIn: PlaceIn): Point[] {
  const fromTick = (frames.at(-1)?.tick ?? 0) - TRAIL_TICKS;
  return frames
    .filter(({ tick }) => tick >= fromTick)
    .flatMap((frame) => {
      const place = placeIn(frame);
      return place === undefined ? [] : [place];
    });
}

function actorsOf({ other }: Incident, { hazards }: Snapshot): PlacedActor[] {
  return other.flatMap(({ hazard, mass, kind }) => {
    const found = hazards.find(({ id, active }) => id === hazard && active);
    // What is fixed to the ground is a part of the city.
    if (found === undefined || mass === null) return [];
    const { x, y, heading, length: lengthM, width: widthM } = found;
    return [{ name: kind, x, y, heading, lengthM, widthM }];
  });
}

function sizeOf(fleet: readonly FleetEntry[], vin: string) {
  const entry = fleet.find((each) => each.vin === vin);
  const type = CAR_TYPES.find(({ model }) => model === entry?.model) ?? CAR_TYPES[0];
  const { lengthM, widthM } = type ?? { lengthM: 4.3, widthM: 1.8 };
  return { vin, colour: entry?.colour ?? 'silver', lengthM, widthM };
}

const TOWARDS = { front: 0, side: Math.PI / 2, rear: Math.PI } as const;

/** From the report alone: each car touches the place of the contact with the side that was hit. */
function withoutFrames({ vehicles, place }: Incident, fleet: readonly FleetEntry[]): Moment {
  const cars = vehicles.map(({ vin, heading, impact_area }) => {
    const size = sizeOf(fleet, vin);
    const reachM = (impact_area === 'side' ? size.widthM : size.lengthM) / 2;
    const towards = heading + TOWARDS[impact_area];
    const [x, y] = [place.x - reachM * Math.cos(towards), place.y - reachM * Math.sin(towards)];
    return { ...size, x, y, heading };
  });
  return { cars, others: [], actors: [], ghosts: [], trails: [] };
}
