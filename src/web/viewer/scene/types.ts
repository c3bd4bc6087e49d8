/** What the viewer and its scene agree on. Metres, radians (0 east, counter-clockwise), m/s. */

/** One car as it is on display. */
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
  /** A CSS colour name. */
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

export type LightState = 'red' | 'red_amber' | 'amber' | 'green';

/** What is on display at one moment; the app interpolates, the scene draws. */
export interface ShownWorld {
  /** World tick, fractional. */
  tick: number;
  cars: readonly ShownCar[];
  /** State by light id. */
  lights: ReadonlyMap<string, LightState>;
  hazards: readonly ShownHazard[];
  /** Translucent cars of a replay: as it would have been. */
  ghosts: readonly ShownCar[];
  /** Where the collision of a replay was. */
  contact: readonly [x: number, y: number] | null;
}

export type SensorName = 'front_camera' | 'front_radar' | 'corner_radars';

/** What belongs to the picked car and is drawn around it. */
export interface Picked {
  /** Index among the cars. */
  car: number;
  /** Closed loop. */
  route: readonly (readonly [number, number])[];
  /** Sensors that it effectively has: their fields are drawn. */
  sensors: ReadonlySet<SensorName>;
  /** Measured gap ahead, m. */
  gap: number | null;
}

export type CameraMode = 'city' | 'follow' | 'chase';
export type Theme = 'light' | 'dark';

/** Where something is drawn: CSS pixels of the canvas, and the metres that the scene has for it. */
export interface Placement {
  xPx: number;
  yPx: number;
  x: number;
  y: number;
}

export interface CityScene {
  readonly canvas: HTMLCanvasElement;
  /** Draws one frame; `dtS` is the time since the one before. */
  draw(world: ShownWorld, picked: Picked | null, dtS: number): void;
  setMode(mode: CameraMode): void;
  setTheme(theme: Theme): void;
  /** Above 1 comes nearer. */
  zoomBy(factor: number): void;
  panBy(dxPx: number, dyPx: number): void;
  /** Positive lays the view down towards the horizon. */
  tiltBy(rad: number): void;
  rotateBy(rad: number): void;
  showAll(): void;
  /** Shows a place; `spanM` is how much of it fits into the smaller side of the canvas. */
  lookAt(x: number, y: number, spanM: number): void;
  /** The car under a point of the canvas, CSS pixels. */
  pick(xPx: number, yPx: number): number | null;
  /** Where the middle of a car was drawn in the last frame. */
  placeOf(car: number): Placement | null;
  /** The view was moved by hand, away from the car that it followed. */
  onCameraMoved: (() => void) | null;
  dispose(): void;
}
