import { CAR_COUNT, FEATURE_COUNT } from '../../assembly/layout.ts';
import type { HazardKind } from '../../src/city/types.ts';
import { HAZARD_KINDS } from '../../src/citygen/hazards/kinds.ts';
import type { SpotPass } from '../../src/testing/rigs/spot-tally.ts';
import { FEATURES, type FeatureName, maskOf } from '../../src/twin/catalogue.ts';
import type { ContactFacts } from '../../src/twin/incidents.ts';

/** Events up to 3 s after the conflict point belong to the pass. */
const AFTER_TICKS = 150;

/** Kinds whose actor is sent for a moving car. Others stand, come for waiting cars, or are the road. */
export const FOR_MOVING_CARS: readonly HazardKind[] = [
  'parked_row_child',
  'sudden_stop',
  'deer_crossing',
  'red_light_lorry',
  'blind_crossing',
  'left_turn_oncoming',
  'downhill_stop',
  'tram_crossing',
  'dark_zebra',
  'cut_in',
];
/** The road itself is the hazard: every pass is an armed one. */
const ALWAYS_ARMED: readonly HazardKind[] = ['ice_bend', 'sharp_bend'];

/** Counts at one spot. */
export interface SpotCounts {
  spot: number;
  kind: HazardKind;
  /** Cars that passed. */
  passes: number;
  /** Passes for which the hazard was ready. */
  armed: number;
  /** Armed passes for which the actor came or blocked the way. */
  fired: number;
  /** Fired passes, or armed ones where the road is the hazard, in which the feature acted. */
  intervened: number;
  /** Armed passes in which the car hit something. */
  hits: number;
  /** Times that the actor was sent, for any car. */
  sent: number;
  /** Contacts with the actor or with bodies at the spot. */
  contacts: number;
}

export const emptyCounts = (spot: number, kind: HazardKind): SpotCounts => ({
  spot,
  kind,
  passes: 0,
  armed: 0,
  fired: 0,
  intervened: 0,
  hits: 0,
  sent: 0,
  contacts: 0,
});

const isFunction = (name: FeatureName): boolean =>
  FEATURES.some((feature) => feature.name === name && feature.group === 'function');

/** Whether the kind needs a function: an actuator or a sensor alone never intervenes. */
export const hasFunction = (kind: HazardKind): boolean =>
  HAZARD_KINDS[kind].failsWithout.some(isFunction);

/** Features that must act at a kind: its functions, or else all that it needs. */
export function actingMask(kind: HazardKind): number {
  const { failsWithout } = HAZARD_KINDS[kind];
  const functions = failsWithout.filter(isFunction);
  return maskOf(functions.length > 0 ? functions : failsWithout);
}

/** Counts for every pass whether the feature for its spot acted, and how the pass ended. */
export class SpotWatch {
  readonly counts: readonly SpotCounts[];
  readonly #acting: readonly number[];
  /** Passes that are over, but whose consequences may still follow. */
  #pending: { pass: SpotPass; untilTick: number }[] = [];
  /** Tick at which each feature last made a difference to each car, and each car last hit something. */
  readonly #actedTick = new Int32Array(CAR_COUNT * FEATURE_COUNT).fill(-1);
  readonly #hitTick = new Int32Array(CAR_COUNT).fill(-1);

  constructor(kinds: readonly HazardKind[]) {
    this.counts = kinds.map((kind, spot) => emptyCounts(spot, kind));
    this.#acting = kinds.map(actingMask);
  }

  noteActed(tick: number, car: number, mask: number): void {
    if (mask === 0) return;
    for (let bit = 0; bit < FEATURE_COUNT; bit++) {
      if ((mask >> bit) & 1) this.#actedTick[car * FEATURE_COUNT + bit] = tick;
    }
  }

  noteContact({ tick, parties }: Pick<ContactFacts, 'tick'> & { parties: Cars }): void {
    for (const { car } of parties) if (car >= 0) this.#hitTick[car] = tick;
  }

  notePass(tick: number, pass: SpotPass): void {
    this.#pending.push({ pass, untilTick: tick + AFTER_TICKS });
  }

  /** Counts the passes without further consequences. */
  settle(tick: number): void {
    if (!this.#pending.some(({ untilTick }) => untilTick <= tick)) return;
    for (const { pass, untilTick } of this.#pending) if (untilTick <= tick) this.#count(pass);
    this.#pending = this.#pending.filter(({ untilTick }) => untilTick > tick);
  }

  #count({ spot, car, sinceTick, armed, fired }: SpotPass): void {
    const count = this.counts[spot];
    if (!count) throw new RangeError(`there is no spot ${spot}`);
    count.passes += 1;
    const isAlways = ALWAYS_ARMED.includes(count.kind);
    if (!armed && !isAlways) return;
    count.armed += 1;
    if (fired) count.fired += 1;
    if ((this.#hitTick[car] ?? -1) >= sinceTick) count.hits += 1;
    if ((fired || isAlways) && this.#hasActed(spot, car, sinceTick)) count.intervened += 1;
  }

  #hasActed(spot: number, car: number, sinceTick: number): boolean {
    for (let bit = 0; bit < FEATURE_COUNT; bit++) {
      const isMeant = ((this.#acting[spot] ?? 0) >> bit) & 1;
      if (isMeant && (this.#actedTick[car * FEATURE_COUNT + bit] ?? -1) >= sinceTick) return true;
    }
    return false;
  }
}

type Cars = readonly { readonly car: number }[];
