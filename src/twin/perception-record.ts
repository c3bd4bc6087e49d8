/** What a car's sensors know, and what it does about that, as a shard reads it. */

/** What a car does, and why. */
export const INTENTS = [
  'driving',
  'following',
  'braking',
  'yielding',
  'stopping_for_light',
  'emergency_braking',
  'evading',
  'standing',
  'crashed',
] as const;
export type IntentName = (typeof INTENTS)[number];

/** A car by index, or CAR_COUNT + a hazard spot by index. */
type ObjectIndex = number;

export interface Detection {
  object: ObjectIndex;
  /** SEEN_ mask of the sensors that know it. */
  sensors: number;
  /** 0 to 1: the share of the scans that confirm it, less for each that missed it; of the best sensor. */
  confidence: number;
}

export interface PerceptionRecord {
  detections: readonly Detection[];
  intent: IntentName;
  /** What it does that for; undefined where it is for nothing that the sensors know. */
  about: ObjectIndex | undefined;
}
