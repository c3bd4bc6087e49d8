import { F_ALL } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';

/** The features in the order of their bits in every feature mask. */
export const FEATURE_NAMES = [
  'steering',
  'brakes',
  'throttle',
  'front_camera',
  'front_radar',
  'corner_radars',
  'aeb',
  'animal_detection',
  'evasive_steering',
  'traffic_light_recognition',
  'intersection_assist',
  'esc',
] as const;

export type FeatureName = (typeof FEATURE_NAMES)[number];

export const FEATURE_GROUPS = ['actuator', 'sensor', 'function'] as const;

export const EFFECTIVE_STATES = ['on', 'off', 'degraded'] as const;
type Effective = (typeof EFFECTIVE_STATES)[number];

/** A required feature, or several alternatives. */
type Need = FeatureName | readonly FeatureName[];

/** One entry of the public catalogue, in its wire shape. */
export interface Feature {
  name: FeatureName;
  group: (typeof FEATURE_GROUPS)[number];
  needs: readonly Need[];
  /** Shown to the owner in the car. */
  owner_menu: boolean;
  description: string;
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

// A Map, since a client may send a name like "constructor".
const BIT_OF_NAME: ReadonlyMap<string, number> = new Map(
  FEATURE_NAMES.map((name, index) => [name, 1 << index]),
);

/** By feature, each need as a mask of alternatives. */
const NEED_MASKS: readonly (readonly number[])[] = FEATURES.map(({ needs }) =>
  needs.map((need) => maskOf(typeof need === 'string' ? [need] : need)),
);

/** The mask bit of a feature; undefined for an unknown name. */
export function featureBit(name: string): number | undefined {
  return BIT_OF_NAME.get(name);
}

/** As `featureBit`. Throws TwinError `unknown_feature`. */
export function knownBit(name: string): number {
  const bit = featureBit(name);
  if (bit !== undefined) return bit;
  throw new TwinError('unknown_feature', `Use names from this list: ${FEATURE_NAMES.join(', ')}.`);
}

export function maskOf(names: readonly FeatureName[]): number {
  return names.reduce((mask, name) => mask | (1 << FEATURE_NAMES.indexOf(name)), 0);
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
export function featureSetting(declared: number, name: FeatureName) {
  const index = FEATURE_NAMES.indexOf(name);
  const enabled = ((declared >> index) & 1) === 1;
  const missing = enabled ? namesOf(missingMask(declared, NEED_MASKS[index] ?? [])) : [];
  const effective: Effective = missing.length > 0 ? 'degraded' : enabled ? 'on' : 'off';
  return { name, enabled, effective, missing };
}

/** The features declared on, those in effect, and what each degraded function lacks. */
export function featureState(declared: number) {
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
