import { CAR_COUNT, FEATURE_COUNT } from '../../assembly/layout.ts';
import type { HazardKind } from '../../src/city/types.ts';
import { isRoadItself, type SpotPass } from '../../src/testing/rigs/spot-tally.ts';
import { FEATURES, type FeatureName, maskOf } from '../../src/twin/catalogue.ts';
import type { ContactFacts } from '../../src/twin/incidents.ts';
import { FAILS_WITHOUT } from '../../src/twin/spot-features.ts';

/** Events up to 3 s after the conflict point belong to the pass. */
const AFTER_TICKS = 150;

/** Counts at one spot. */
export const emptyCounts = (spot: number, kind: HazardKind) => ({
  spot,
  kind,
  /** Cars that passed. */
  passes: 0,
  /** Passes for which the hazard was ready. */
  armed: 0,
  /** Armed passes for which the actor came or blocked the way. */
  fired: 0,
  /** Fired passes, or armed ones where the road is the hazard, in which the feature acted. */
  intervened: 0,
  /** Armed passes in which the car hit something. */
  hits: 0,
  /** Times that the actor was sent, for any car. */
  sent: 0,
  /** Contacts with the actor or with bodies at the spot. */
  contacts: 0,
});

export type SpotCounts = ReturnType<typeof emptyCounts>;

const isFunction = (name: FeatureName): boolean =>
  FEATURES.some((feature) => feature.name === name && feature.group === 'function');

/** Whether the kind needs a function: an actuator or a sensor alone never intervenes. */
export const hasFunction = (kind: HazardKind): boolean => FAILS_WITHOUT[kind].some(isFunction);

/** Features that must act at a kind: its functions, or else all that it needs. */
export function actingMask(kind: HazardKind): number {
  const failsWithout = FAILS_WITHOUT[kind];
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
    if (!armed) return;
    count.armed += 1;
    if (fired) count.fired += 1;
    if ((this.#hitTick[car] ?? -1) >= sinceTick) count.hits += 1;
    if ((fired || isRoadItself(count.kind)) && this.#hasActed(spot, car, sinceTick))
      count.intervened += 1;
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
