import {
  F_AEB,
  F_ALL,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_CORNER_RADARS,
  F_ESC,
  F_EVASIVE_STEERING,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_THROTTLE,
  F_TRAFFIC_LIGHT_RECOGNITION,
} from '../../assembly/layout.ts';

export type FeatureGroup = 'actuator' | 'sensor' | 'function';
export type Effective = 'on' | 'off' | 'degraded';

export type FeatureName =
  | 'steering'
  | 'brakes'
  | 'throttle'
  | 'front_camera'
  | 'front_radar'
  | 'corner_radars'
  | 'aeb'
  | 'animal_detection'
  | 'evasive_steering'
  | 'traffic_light_recognition'
  | 'intersection_assist'
  | 'esc';

/** A feature that is required, or several of which one is enough. */
export type Need = FeatureName | readonly FeatureName[];

/** One entry of the public catalogue, in its wire shape. */
export interface Feature {
  name: FeatureName;
  group: FeatureGroup;
  needs: readonly Need[];
  /** Shown to the owner in the car. */
  owner_menu: boolean;
  description: string;
}

/** What a car is told to drive with, what it really drives with, and what keeps the two apart. */
export interface FeatureState {
  declared: Record<FeatureName, boolean>;
  effective: Record<FeatureName, Effective>;
  /** An entry for each degraded function only. */
  missing: Partial<Record<FeatureName, FeatureName[]>>;
}

/** One feature of one car. */
export interface FeatureSetting {
  name: FeatureName;
  enabled: boolean;
  effective: Effective;
  missing: FeatureName[];
}

function part(name: FeatureName, group: 'actuator' | 'sensor', description: string): Feature {
  return { name, group, needs: [], owner_menu: false, description };
}

function assist(name: FeatureName, needs: readonly Need[], description: string): Feature {
  return { name, group: 'function', needs, owner_menu: true, description };
}

/** The catalogue. The position of a feature is the number of its bit in every mask. */
export const FEATURES: readonly Feature[] = [
  part('steering', 'actuator', 'Turns the front wheels so that the car follows its lane.'),
  part('brakes', 'actuator', 'Slows the car and holds it; without them it can only coast.'),
  part('throttle', 'actuator', 'Drives the wheels; without it the car rolls to a stop.'),
  part(
    'front_camera',
    'sensor',
    'Sees lanes, lights, people, animals and vehicles ahead, less well in fog and darkness.',
  ),
  part(
    'front_radar',
    'sensor',
    'Measures distance and speed of vehicles ahead, through fog and darkness too.',
  ),
  part('corner_radars', 'sensor', 'Watch the crossing traffic to the left and to the right.'),
  assist(
    'aeb',
    ['brakes', ['front_radar', 'front_camera']],
    'Autonomous emergency braking: brakes hard where a collision ahead can no longer be avoided gently.',
  ),
  assist(
    'animal_detection',
    ['front_camera'],
    'Recognises animals beside and on the road, so that the car reacts to them.',
  ),
  assist(
    'evasive_steering',
    ['steering', 'front_camera'],
    'Steers around an obstacle where there is no room left to brake and a free strip beside it.',
  ),
  assist(
    'traffic_light_recognition',
    ['front_camera', 'brakes'],
    'Reads the traffic lights and stops the car at a red one.',
  ),
  assist(
    'intersection_assist',
    ['corner_radars', 'brakes'],
    'Keeps the car from driving into crossing or oncoming traffic at junctions.',
  ),
  assist(
    'esc',
    ['brakes', 'steering'],
    'Electronic stability control: brakes single wheels so that the car does not skid.',
  ),
];

export const FEATURE_NAMES: readonly FeatureName[] = FEATURES.map((feature) => feature.name);

const BITS: Record<FeatureName, number> = {
  steering: F_STEERING,
  brakes: F_BRAKES,
  throttle: F_THROTTLE,
  front_camera: F_FRONT_CAMERA,
  front_radar: F_FRONT_RADAR,
  corner_radars: F_CORNER_RADARS,
  aeb: F_AEB,
  animal_detection: F_ANIMAL_DETECTION,
  evasive_steering: F_EVASIVE_STEERING,
  traffic_light_recognition: F_TRAFFIC_LIGHT_RECOGNITION,
  intersection_assist: F_INTERSECTION_ASSIST,
  esc: F_ESC,
};

// A Map, not the object: a name that a client sends may be "constructor".
const BIT_OF_NAME: ReadonlyMap<string, number> = new Map(Object.entries(BITS));

/** Per feature, each need as the mask of the features of which one is enough. */
const NEED_MASKS: readonly (readonly number[])[] = FEATURES.map(({ needs }) =>
  needs.map((need) => (typeof need === 'string' ? BITS[need] : maskOf(need))),
);

/** The mask bit of a feature, or undefined for a name that is not in the catalogue. */
export function featureBit(name: string): number | undefined {
  return BIT_OF_NAME.get(name);
}

export function maskOf(names: readonly FeatureName[]): number {
  return names.reduce((mask, name) => mask | BITS[name], 0);
}

/** The features of a mask in catalogue order. */
export function namesOf(mask: number): FeatureName[] {
  return FEATURE_NAMES.filter((_, index) => (mask >> index) & 1);
}

/** The features that a feature needs and that are off; of an either-or all, where none is on. */
function missingMask(declared: number, needs: readonly number[]): number {
  return needs.reduce((missing, need) => (declared & need ? missing : missing | need), 0);
}

/** The features that work: declared on, with all that they need declared on as well. */
export function effectiveMask(declared: number): number {
  let effective = declared & F_ALL;
  for (const [index, needs] of NEED_MASKS.entries()) {
    if (missingMask(declared, needs) !== 0) effective &= ~(1 << index);
  }
  return effective;
}

/** One feature of a car with these features declared on. */
export function featureSetting(declared: number, name: FeatureName): FeatureSetting {
  const index = FEATURE_NAMES.indexOf(name);
  const enabled = ((declared >> index) & 1) === 1;
  const missing = enabled ? namesOf(missingMask(declared, NEED_MASKS[index] ?? [])) : [];
  const effective = missing.length > 0 ? 'degraded' : enabled ? 'on' : 'off';
  return { name, enabled, effective, missing };
}

export function featureState(declared: number): FeatureState {
  const settings = FEATURE_NAMES.map((name) => featureSetting(declared, name));
  const lacking = settings.filter(({ missing }) => missing.length > 0);
  return {
    declared: record(settings.map(({ name, enabled }) => [name, enabled])),
    effective: record(settings.map(({ name, effective }) => [name, effective])),
    missing: Object.fromEntries(lacking.map(({ name, missing }) => [name, missing])),
  };
}

/** An object with all twelve names, from entries that have them all. */
function record<T>(entries: [FeatureName, T][]): Record<FeatureName, T> {
  return Object.fromEntries(entries) as Record<FeatureName, T>;
}
