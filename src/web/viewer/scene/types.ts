/** One car as it is on display: metres, radians (0 east, counter-clockwise), m/s. */
export interface ShownCar {
  vin: string;
  x: number;
  y: number;
  heading: number;
  speed: number;
  braking: boolean;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: 'driving' | 'stopped' | 'crashed';
  model: string;
  colour: string;
  plate: string;
}

export interface ShownHazard {
  id: string;
  kind: string;
  active: boolean;
  x: number;
  y: number;
  heading: number;
  length: number;
  width: number;
}

/** What is on display at one moment; the app interpolates, the scene draws. */
export interface ShownWorld {
  /** World tick, fractional. */
  tick: number;
  cars: readonly ShownCar[];
  /** State by light id. */
  lights: ReadonlyMap<string, 'red' | 'red_amber' | 'amber' | 'green'>;
  hazards: readonly ShownHazard[];
  /** Translucent cars of a replay: as it would have been. */
  ghosts: readonly ShownCar[];
}

/** What belongs to the picked car and is drawn around it. */
export interface Picked {
  car: number;
  /** Closed loop, world metres. */
  route: readonly (readonly [number, number])[];
  /** Sensors that it effectively has: their fields are drawn. */
  sensors: ReadonlySet<'front_camera' | 'front_radar' | 'corner_radars'>;
  /** Measured gap ahead in metres, or null. */
  gap: number | null;
}

export type CameraMode = 'city' | 'follow' | 'chase';
