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

/** Bit of each feature in every feature mask. */
const BITS = {
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
} as const;

export type FeatureName = keyof typeof BITS;

export const FEATURE_GROUPS = ['actuator', 'sensor', 'function'] as const;
export type FeatureGroup = (typeof FEATURE_GROUPS)[number];

export const EFFECTIVE_STATES = ['on', 'off', 'degraded'] as const;
export type Effective = (typeof EFFECTIVE_STATES)[number];

/** A required feature, or several alternatives. */
type Need = FeatureName | readonly FeatureName[];

/** One entry of the public catalogue, in its wire shape. */
export interface Feature {
  name: FeatureName;
  group: FeatureGroup;
  needs: readonly Need[];
  /** Shown to the owner in the car. */
  owner_menu: boolean;
  description: string;
}

/** The features declared on, those in effect, and what degraded functions lack. */
export interface FeatureState {
  declared: Record<FeatureName, boolean>;
  effective: Record<FeatureName, Effective>;
  /** Only degraded functions have an entry. */
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

/** The catalogue, in the order of the bits. */
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

// A Map, since a client may send a name like "constructor".
const BIT_OF_NAME: ReadonlyMap<string, number> = new Map(Object.entries(BITS));

/** By feature, each need as a mask of alternatives. */
const NEED_MASKS: readonly (readonly number[])[] = FEATURES.map(({ needs }) =>
  needs.map((need) => (typeof need === 'string' ? BITS[need] : maskOf(need))),
);

/** The mask bit of a feature; undefined for an unknown name. */
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

/** The needed features that are off; all alternatives of a need if none of them is on. */
function missingMask(declared: number, needs: readonly number[]): number {
  return needs.reduce((missing, need) => (declared & need ? missing : missing | need), 0);
}

/** The features in effect: declared on, with all their needs declared on. */
export function effectiveMask(declared: number): number {
  let effective = declared & F_ALL;
  for (const [index, needs] of NEED_MASKS.entries()) {
    if (missingMask(declared, needs) !== 0) effective &= ~(1 << index);
  }
  return effective;
}

/** One feature of a car, from the mask of its declared features. */
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

/** An object from entries for all twelve features. */
function record<T>(entries: [FeatureName, T][]): Record<FeatureName, T> {
  return Object.fromEntries(entries) as Record<FeatureName, T>;
}
