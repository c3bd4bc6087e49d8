/** What the page gives the scene to draw. Metres, radians (0 east, counter-clockwise), m/s. */
import type {
  FeatureState,
  FleetEntry,
  Hazard,
  LightState,
  MapPoint,
  Pose,
  SensorName,
  Vehicle,
} from '../api/types.ts';

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

type DrawnField = keyof Pose | 'speed' | 'braking' | 'aeb' | 'esc' | 'evasive' | 'status';
export type ShownCar = Mutable<FleetEntry & Pick<Vehicle, DrawnField>>;
/** `moves` is false for what waits beside the road or stands in the lane. */
export type ShownHazard = Mutable<Hazard> & { moves: boolean };

/** The world at one moment. It is overwritten for every frame, which makes less garbage. */
export interface ShownWorld {
  /** World tick, fractional. */
  tick: number;
  cars: ShownCar[];
  /** State by light id. */
  lights: Map<string, LightState>;
  hazards: ShownHazard[];
  /** Translucent cars of a counterfactual replay. */
  ghosts: ShownCar[];
  /** What makes them other, beside each; empty: nothing stands there. */
  ghostSign: string;
  /** What a replay is about; null in the live world. */
  focus: Focus | null;
  /** Collisions of its whole life: where and at which tick. Those of the last seconds are marked. */
  crashes: readonly { place: MapPoint; tick: number }[];
  /** Where the collision of a replay was. */
  contact: MapPoint | null;
}

/** The parties of a collision, as a replay shows them. */
export interface Focus {
  /** Where they are now, ghosts included. */
  places: readonly MapPoint[];
  /** The direction in which the camera looks: that of the striking car before the contact. */
  bearing: number;
  /** Where they have been: the parties as it was, then the ghosts. */
  trails: readonly { isGhost: boolean; places: readonly MapPoint[] }[];
}

/** What a car's sensors know, and what it does. */
export interface Sight {
  detections: readonly {
    vin: string | null;
    hazard: string | null;
    sensors: readonly SensorName[];
    confidence: number;
  }[];
  /** In words; empty where it is nothing special. */
  intent: string;
}

/** What is drawn around the picked car. */
export interface Picked {
  /** Index among the cars. */
  car: number;
  /** Closed loop. */
  route: readonly MapPoint[];
  /** Features: the fields of sensors that are on are drawn. */
  effective: FeatureState['effective'] | undefined;
  /** Measured gap ahead, m. */
  gap: number | null;
  /** Null where it is not shown. */
  sight: Sight | null;
}

/** `parties`: a replay, with all who take part in view. */
export type CameraMode = 'city' | 'follow' | 'chase' | 'parties';

/** How the camera is used, as a link keeps it. */
export interface CameraUse {
  camera: CameraMode;
  /**
   * Of a free camera x, y, distance, tilt and bearing; else the distance (after the parties of a replay: how much
   * nearer than all of them need), the tilt, and the bearing (where what is shown leads: the turn from that). Null:
   * as the mode begins. Metres and radians.
   */
  view: readonly number[] | null;
}

/** Where something is drawn: CSS pixels of the canvas, and metres of the world. */
export interface Placement {
  xPx: number;
  yPx: number;
  x: number;
  y: number;
}
