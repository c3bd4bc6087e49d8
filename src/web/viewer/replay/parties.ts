/** Who takes part in a collision, and where they are in the frames of its replays. */
import {
  type Hazard,
  type Incident,
  type MapPoint,
  type Snapshot,
  TICKS_PER_S,
  type Vehicle,
} from '../api/types.ts';

/** How far back a trail goes, and from one point of it to the next: 3 s, and two frames. */
const TRAIL_TICKS = 3 * TICKS_PER_S;
export const TRAIL_STEP_TICKS = 8;
/** The direction of the striking car so long before the contact: later it may turn or spin. */
const BEARING_TICKS = TICKS_PER_S;

/** The vehicles of the fleet, by VIN, and the spots whose actors take part. */
export interface Parties {
  vins: readonly string[];
  hazards: readonly string[];
}

interface Positions {
  vehicles: readonly Pick<Vehicle, 'vin' | 'x' | 'y'>[];
  hazards: readonly Pick<Hazard, 'id' | 'active' | 'x' | 'y'>[];
  ghosts?: readonly Pick<Vehicle, 'x' | 'y'>[];
}

export function partiesOf({ vehicles, other }: Incident): Parties {
  return {
    vins: vehicles.map(({ vin }) => vin),
    hazards: other.flatMap(({ hazard }) => hazard ?? []),
  };
}

/**
 * Where the parties are in a frame: cars, the actors that are there, and ghosts. A party that is none of these
 * is where the contact is.
 */
export function placesIn(
  { vehicles, hazards, ghosts = [] }: Positions,
  parties: Parties,
  contact: MapPoint,
): MapPoint[] {
  const cars = vehicles.filter(({ vin }) => parties.vins.includes(vin));
  const actors = hazards.filter(({ id, active }) => active && parties.hazards.includes(id));
  const seen = [...cars, ...actors];
  const places = [...seen, ...ghosts].map(({ x, y }): MapPoint => [x, y]);
  return seen.length < 2 ? [...places, contact] : places;
}

/** The direction in which the collision came about: that of the striking car, else of the first one. */
export function bearingOf(incident: Incident, frames: readonly Snapshot[]): number {
  const { vehicles, tick } = incident;
  const vin = (vehicles.find(({ role }) => role === 'striking') ?? vehicles[0])?.vin;
  const frame = frames.findLast((each) => each.tick <= tick - BEARING_TICKS) ?? frames[0];
  return frame?.vehicles.find((each) => each.vin === vin)?.heading ?? Math.PI / 2;
}

/** Where a car has been until a tick, oldest first. */
export function trailOf(frames: readonly Snapshot[], vin: string, tick: number): MapPoint[] {
  const past = frames.filter(
    (frame) =>
      frame.tick <= tick && frame.tick > tick - TRAIL_TICKS && frame.tick % TRAIL_STEP_TICKS === 0,
  );
  return past.flatMap(({ vehicles }) => {
    const car = vehicles.find((each) => each.vin === vin);
    return car === undefined ? [] : [[car.x, car.y] as const];
  });
}
