import { CHAIN_TICKS, CONTACT_VEHICLE, F_ALL, FEATURE_COUNT } from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { RUNS_MAX } from '../../limits.ts';
import {
  declaredIn,
  deltaVOf,
  type Explanation,
  type FailureFacts,
  type Outcome,
  partyOf,
  providedBy,
} from '../../twin/explanation.ts';
import type { ContactFacts, IncidentContacts } from '../../twin/incidents.ts';

/** Requests a re-run of the seconds before an incident, with some features on. */
export interface CounterfactualRun {
  startTick: number;
  /** By car: the features that are switched on at the start. */
  on: ReadonlyMap<number, number>;
}

export interface RunResult {
  /** All contacts of the world until `untilTick`, with their whole crash pulses. */
  contacts: readonly ContactFacts[];
  /** By car: the features that made a difference to it. */
  acted: ReadonlyMap<number, number>;
  /** For each contact of the chain: the closest approach of its parties. */
  nearest: readonly Nearest[];
  /** They still approached each other at `untilTick`, and collide soon after it. */
  collidesLater: boolean;
}

export interface Nearest {
  /** Infinite if one of them never appeared. */
  distanceM: number;
  /** By car: its speed then. */
  speeds: ReadonlyMap<number, number>;
  /** Whether they were closest at the end of the re-run. */
  atEnd: boolean;
  /** By car: its distance from the place of the contact, at the last frame before it, m. */
  fromPlaceM: Map<number, number>;
}

/** An outcome is milder if delta-v, or speed, is at most this share of what it was. */
const MILDER_SHARE = 0.7;
/** Two of three starts must agree: a collision that is avoided by chance must not count. */
const TRIALS = 3;
const AGREEING = 2;
/** A car slower than this at the closest approach has stopped, m/s. */
export const STOPPED_MPS = 0.3;

/** Re-runs that are reserved for `#reduce`. */
const REDUCING_RERUNS = 66;
/** Up to this many candidates are removed one by one. */
const SINGLY_MAX = 24;

interface Candidate {
  car: number;
  /** One bit. */
  feature: number;
}

type Effect = 'avoids' | 'mitigates';

/** Result of one start. `missed`: no result, because the parties missed each other by chance. */
type Trial = 'avoided' | 'milder' | 'same' | 'missed';

interface Verdict {
  effect: Effect;
  /** The re-run that shows it: the one from the earliest start that counts. */
  startTick: number;
  result: RunResult;
}

/** Yields the next re-run that it needs, and is resumed with the result. */
type Asking<T> = Generator<CounterfactualRun, T, RunResult>;

/** The last tick at which a contact counts, in a re-run as in the record. */
export function untilTick([{ tick }]: IncidentContacts): number {
  return tick + CHAIN_TICKS;
}

/**
 * Finds the switched-off features of the involved cars that would have avoided an incident or made
 * it milder: first each feature alone; if no single feature is enough, the smallest set. The search
 * is pure: `run` yields the re-runs that it needs and is resumed with their results.
 */
export class CounterfactualSearch {
  /** Number of requested re-runs. */
  #reruns = 0;
  readonly #chain: IncidentContacts;
  readonly #starts: readonly number[];
  readonly #candidates: readonly Candidate[];
  /** The recorded contacts that count. */
  readonly #was: readonly ContactFacts[];
  /** Results by set and start, so that no re-run is repeated. */
  readonly #results = new Map<string, RunResult>();

  /**
   * `starts`: the ticks of the three starts, earliest first; then of further starts, each of which
   * replaces one from which the parties miss each other by chance. The later the start, the fewer
   * other differences the re-run has at the contact.
   */
  constructor(chain: IncidentContacts, starts: readonly number[]) {
    this.#chain = chain;
    this.#starts = starts;
    this.#candidates = candidatesOf(chain);
    this.#was = chain.filter(({ tick }) => tick <= untilTick(chain));
  }

  *run(): Asking<Explanation> {
    const failures = yield* this.#findFailures();
    return { failures, reruns: this.#reruns };
  }

  *#findFailures(): Asking<FailureFacts[]> {
    if (this.#candidates.length === 0) return [];
    const all = yield* this.#judge(this.#candidates, 'some');
    if (all === undefined) return [];
    const relevant = this.#candidates.filter((each) => this.#acts(each, this.#candidates, all));
    const failures: FailureFacts[] = [];
    for (const candidate of this.#inOrder(relevant)) {
      if (!this.#affords(REDUCING_RERUNS)) break;
      const verdict = yield* this.#judge([candidate], 'every');
      if (verdict) failures.push(this.#failure(candidate, verdict));
    }
    const done = failures.some(({ effect }) => effect === 'avoids' || effect === all.effect);
    const set = done ? undefined : yield* this.#smallest(relevant, all.effect);
    return this.#numbered(failures, set);
  }

  /** Candidates that acted come first, in case the budget is not enough for all. */
  #inOrder(relevant: readonly Candidate[]): Candidate[] {
    const others = this.#candidates.filter((each) => !relevant.includes(each));
    return [...relevant, ...others];
  }

  /** Numbers the sets by cars and features. Members of `set` are not reported alone. */
  #numbered(alone: FailureFacts[], set: FailureFacts[] = []): FailureFacts[] {
    const rank = ({ car, feature }: Candidate) =>
      this.#candidates.findIndex((each) => each.car === car && each.feature === feature);
    const singles = alone
      .filter(({ car, feature }) => !set.some((m) => m.car === car && m.feature === feature))
      .toSorted((a, b) => rank(a) - rank(b))
      .map((failure, i) => ({ ...failure, set: i + 1 }));
    return [...singles, ...set.map((member) => ({ ...member, set: singles.length + 1 }))];
  }

  /** Whether the budget allows one more set and `kept` re-runs after it. */
  #affords(kept: number): boolean {
    return this.#reruns + this.#starts.length + kept <= RUNS_MAX;
  }

  // ── sets ────────────────────────────────────────────────────────────────────────────────────

  /** The smallest set with the effect of all candidates. Tries all sets, smaller ones first. */
  *#smallest(relevant: readonly Candidate[], effect: Effect): Asking<FailureFacts[] | undefined> {
    for (let size = 2; size <= relevant.length; size++) {
      for (const set of combinations(relevant, size)) {
        if (!this.#affords(REDUCING_RERUNS)) return yield* this.#reduce(relevant, effect);
        const verdict = yield* this.#judge(set, 'every');
        if (verdict && reaches(verdict, effect)) return this.#failures(set, verdict);
      }
    }
    return undefined;
  }

  /**
   * Starts with all candidates that act and removes as many as it can without losing the effect:
   * one by one; if there are very many, larger parts first. Undefined if the budget ends before
   * that is done.
   */
  *#reduce(relevant: readonly Candidate[], effect: Effect): Asking<FailureFacts[] | undefined> {
    let set = relevant;
    let shown = yield* this.#judge(set, 'some');
    if (!shown || !reaches(shown, effect)) return undefined;
    const halves = Math.ceil(Math.log2(Math.max(1, set.length / SINGLY_MAX)));
    for (let part = 2 ** halves; part >= 1; part /= 2) {
      for (let at = 0; at < set.length; ) {
        if (!this.#affords(0)) return undefined;
        const fewer = set.toSpliced(at, part);
        const verdict = fewer.length === 0 ? undefined : yield* this.#judge(fewer, 'some');
        if (verdict && reaches(verdict, effect)) {
          set = fewer;
          shown = verdict;
        } else at += part;
      }
    }
    const { result } = shown;
    const isEstablished = set.every((each) => this.#acts(each, set, { result }));
    return isEstablished ? this.#failures(set, shown) : undefined;
  }

  /** Whether every member brings a feature into effect that the others do not. */
  #isWhole(set: readonly Candidate[]): boolean {
    return set.every((member) => this.#provided(member, set) !== 0);
  }

  #provided({ car, feature }: Candidate, set: readonly Candidate[]): number {
    return providedBy(declaredIn(this.#chain, car), maskOn(set, car), feature);
  }

  /** Whether a feature that a member brings into effect made a difference to its car. */
  #acts(member: Candidate, set: readonly Candidate[], { result }: { result: RunResult }) {
    return (this.#provided(member, set) & (result.acted.get(member.car) ?? 0)) !== 0;
  }

  // ── trials ──────────────────────────────────────────────────────────────────────────────────

  /**
   * The effect of a set; undefined: none. Uses as many starts as the decision needs. `actors`:
   * whether every member must have acted, or at least one.
   */
  *#judge(set: readonly Candidate[], actors: 'every' | 'some'): Asking<Verdict | undefined> {
    if (actors === 'every' && !this.#isWhole(set)) return undefined;
    const trials: (Omit<Verdict, 'effect'> & { trial: Trial })[] = [];
    const count = (...wanted: Trial[]) =>
      trials.filter(({ trial }) => wanted.includes(trial)).length;
    for (const [i, startTick] of this.#starts.entries()) {
      const result = yield* this.#result(set, startTick);
      const acts = (member: Candidate) => this.#acts(member, set, { result });
      const acted = actors === 'every' ? set.every(acts) : set.some(acts);
      const trial = this.#compare(result, acted);
      if (trial === 'missed') continue;
      trials.push({ startTick, result, trial });
      const left = Math.min(TRIALS - trials.length, this.#starts.length - 1 - i);
      if (count('avoided') >= AGREEING) break;
      if (count('avoided', 'milder') + left < AGREEING) return undefined;
      if (count('avoided') + left < AGREEING && count('avoided', 'milder') >= AGREEING) break;
    }
    if (count('avoided', 'milder') < AGREEING) return undefined;
    const avoids = count('avoided') >= AGREEING;
    const wanted: Trial = avoids ? 'avoided' : 'milder';
    const shown = trials.find(({ trial }) => trial === wanted);
    if (shown === undefined) return undefined;
    const { startTick, result } = shown;
    return { effect: avoids ? 'avoids' : 'mitigates', startTick, result };
  }

  *#result(set: readonly Candidate[], startTick: number): Asking<RunResult> {
    const key = `${startTick} ${set.map(({ car, feature }) => `${car}:${feature}`).join(' ')}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    this.#reruns++;
    const on = new Map(set.map(({ car }) => [car, maskOn(set, car)]));
    const result = yield { startTick, on };
    this.#results.set(key, result);
    return result;
  }

  #compare({ contacts, collidesLater }: RunResult, acted: boolean): Trial {
    const between = contactsBetween(this.#chain, contacts);
    // What comes two seconds later is put off, not avoided; no replay shows how hard it is.
    if (between.length === 0 && collidesLater) return 'same';
    if (between.length === 0) return acted ? 'avoided' : 'missed';
    if (!acted) return 'same';
    return deltaVOf(between) <= MILDER_SHARE * deltaVOf(this.#was) ? 'milder' : 'same';
  }

  // ── what is reported ────────────────────────────────────────────────────────────────────────

  #failures(set: readonly Candidate[], verdict: Verdict): FailureFacts[] {
    return set.map((member) => this.#failure(member, verdict));
  }

  /** Not numbered yet. */
  #failure({ car, feature }: Candidate, verdict: Verdict): FailureFacts {
    const { effect, startTick, result } = verdict;
    const contact = Math.max(
      0,
      this.#chain.findIndex(({ parties }) => parties.some((party) => party.car === car)),
    );
    const acted = result.acted.get(car) ?? 0;
    const outcome = this.#outcome(car, contact, result);
    return { car, feature, effect, set: 0, acted, startTick, contact, outcome };
  }

  #outcome(car: number, contact: number, { contacts, nearest }: RunResult): Outcome {
    const left = contactsBetween(this.#chain, contacts);
    if (left.length > 0) return this.#milder(car, contact, left);
    const { distanceM, speeds, atEnd, fromPlaceM } = at(nearest, contact);
    if (!Number.isFinite(distanceM)) return { what: 'away', distanceM: fromPlaceM.get(car) };
    if ((speeds.get(car) ?? 0) < STOPPED_MPS) return { what: 'stopped', distanceM };
    return { what: atEnd ? 'approaching' : 'passed', distanceM };
  }

  /** The first figure that is milder: the car's speed, its change of speed, or that of any car. */
  #milder(car: number, contact: number, left: readonly ContactFacts[]): Outcome {
    const again = left.find((hit) => partyOf(hit, car) !== undefined);
    const was = this.#chain[contact];
    const speedMps = again && strikesAt(again, car);
    const wasMps = was && strikesAt(was, car);
    if (speedMps !== undefined && wasMps !== undefined && speedMps <= MILDER_SHARE * wasMps) {
      return { what: 'hit', speedMps };
    }
    const deltaVMps = deltaVOf(left, car);
    const isMilder = deltaVMps <= MILDER_SHARE * deltaVOf(this.#was, car);
    if (again && isMilder) return { what: 'changed', deltaVMps };
    return { what: 'milder', deltaVMps: deltaVOf(left) };
  }
}

/** Speed of a car that strikes; undefined for a car that is struck. */
function strikesAt({ kind, striking, parties }: ContactFacts, car: number): number | undefined {
  const index = parties.findIndex((party) => party.car === car);
  const isStriking = kind !== CONTACT_VEHICLE || striking === index;
  return isStriking ? parties[index]?.speedMps : undefined;
}

function reaches(verdict: Verdict, effect: Effect): boolean {
  return verdict.effect === 'avoids' || verdict.effect === effect;
}

/** Every feature of an involved car that was declared off at its first contact. */
function candidatesOf(chain: IncidentContacts): Candidate[] {
  return carsOf(chain).flatMap((car) => {
    const off = ~declaredIn(chain, car) & F_ALL;
    return Array.from({ length: FEATURE_COUNT }, (_, bit) => ({ car, feature: 1 << bit })).filter(
      ({ feature }) => (off & feature) !== 0,
    );
  });
}

/** The fleet's cars in a chain, in order of their contacts. */
export function carsOf(chain: readonly ContactFacts[]): number[] {
  const cars = chain.flatMap(({ parties }) => parties.map(({ car }) => car));
  return [...new Set(cars.filter((car) => car >= 0))];
}

function maskOn(set: readonly Candidate[], car: number): number {
  return set.reduce((mask, each) => (each.car === car ? mask | each.feature : mask), 0);
}

/**
 * Identifies a party outside the fleet. All bodies of one hazard spot count as one party, as in a
 * report: a car that hits the next parked car has not avoided the collision with the first one.
 */
function strangerOf({ kind, block, hazard, parties }: ContactFacts): string | undefined {
  const allCars = kind === CONTACT_VEHICLE && parties.every(({ car }) => car >= 0);
  if (allCars) return undefined;
  return hazard >= 0 ? `${kind} at spot ${hazard}` : `${kind} ${block}`;
}

/** The contacts between two parties of a chain. */
export function contactsBetween(
  chain: IncidentContacts,
  contacts: readonly ContactFacts[],
): readonly ContactFacts[] {
  const cars = new Set(carsOf(chain));
  const strangers = new Set(chain.map(strangerOf));
  return contacts.filter((contact) => {
    const stranger = strangerOf(contact);
    const known = contact.parties.every(({ car }) => car < 0 || cars.has(car));
    return known && (stranger === undefined || strangers.has(stranger));
  });
}

/** All combinations of `size` elements, in order. */
function* combinations<T>(from: readonly T[], size: number): Generator<T[]> {
  if (size === 0) yield [];
  else {
    for (const [i, first] of from.entries()) {
      for (const rest of combinations(from.slice(i + 1), size - 1)) yield [first, ...rest];
    }
  }
}
