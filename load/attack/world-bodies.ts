import { CAR_COUNT } from '../../assembly/layout.ts';

/** What the body of a new world may have. */
export const WORLD_BODY_BYTES = 1024 * 1024;
const [SEED, CITY] = [108, 'mixed-town'];
/** Without these a car drives into whatever comes: some 700 incidents in half an hour. */
const OFF = { brakes: false, steering: false };

interface Change {
  tick: number;
  car: number;
  features: Readonly<Record<string, boolean>>;
}

function bodyOf(changes: readonly Change[], tick: number): string {
  return JSON.stringify({ journal: { seed: SEED, city: CITY, tick, changes } });
}

/**
 * The body of a new world with as many changes as fit, about 24,000.
 * @param lastFeature what the last change switches; with an unknown name the journal is invalid
 */
export function longJournal(lastFeature = 'aeb'): string {
  const changeOf = (feature: string) => ({ tick: 0, car: 0, features: { [feature]: false } });
  const change = changeOf('aeb');
  const changeBytes = JSON.stringify(change).length + 1;
  const room = WORLD_BODY_BYTES - bodyOf([changeOf(lastFeature)], 0).length;
  const count = Math.floor(room / changeBytes);
  return bodyOf([...Array<Change>(count).fill(change), changeOf(lastFeature)], 0);
}

/** The body of a world whose cars have been driving without brakes and steering until `tick`. */
export function recklessWorld(tick: number): string {
  const changes = Array.from({ length: CAR_COUNT }, (_, car) => ({ tick: 0, car, features: OFF }));
  return bodyOf(changes, tick);
}
