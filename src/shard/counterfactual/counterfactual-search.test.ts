import { describe, expect, it } from 'vitest';
import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_VEHICLE,
  F_AEB,
  F_ALL,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_ESC,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_STEERING,
  F_THROTTLE,
} from '../../../assembly/layout.ts';
import { RUNS_MAX } from '../../limits.ts';
import { contactWith, partyWith } from '../../testing/doubles/contacts.ts';
import type { ContactFacts, IncidentContacts, PartyFacts } from '../../twin/incidents.ts';
import {
  type CounterfactualRun,
  CounterfactualSearch,
  contactsBetween,
  type Nearest,
  type RunResult,
} from './counterfactual-search.ts';

const TICK = 1000;
const STARTS = [600, 700, 800];

const party = (car: number, off = 0, deltaVMps = 10): PartyFacts =>
  partyWith({ car, declared: F_ALL & ~off, deltaVMps });

function contact(first: PartyFacts, second: PartyFacts, tick = TICK, block = -1): ContactFacts {
  const kind = second.car < 0 ? CONTACT_BUILDING : CONTACT_VEHICLE;
  return contactWith({ tick, chainTick: TICK, kind, block, parties: [first, second] });
}

/** Car 0 with these features off against a wall. */
const crash = (off: number): IncidentContacts => [contact(party(0, off), party(-1), TICK, 7)];

const fromPlaceM = new Map([[0, 12.5]]);
const apart: Nearest = { distanceM: 3, speeds: new Map(), atEnd: false, fromPlaceM };

interface Life {
  /** Greatest change of speed; 0: no contact. */
  deltaVMps: number;
  /** By car. */
  acted: Record<number, number>;
  nearest?: Nearest;
  /** Of the car that hits again. */
  speedMps?: number;
  collidesLater?: boolean;
}

/** Searches in a world whose re-runs are given by `live`, from the features that are on. */
function searched(
  chain: IncidentContacts,
  live: (on: Map<number, number>, start: number) => Life,
  starts = STARTS,
) {
  const asked: CounterfactualRun[] = [];
  const explaining = new CounterfactualSearch(chain, starts).run();
  let step = explaining.next();
  while (!step.done) {
    const { on, startTick } = step.value;
    asked.push(step.value);
    step = explaining.next(resultOf(chain, live(new Map(on), startTick)));
  }
  const { failures, reruns } = step.value;
  const listed = failures.map(({ car, feature, effect, set }) => ({ car, feature, effect, set }));
  return { failures, listed, reruns, asked };
}

function resultOf(
  chain: IncidentContacts,
  { deltaVMps, acted, nearest = apart, speedMps = 10, collidesLater = false }: Life,
): RunResult {
  const [{ parties }] = chain;
  const contacts =
    deltaVMps === 0
      ? []
      : [contact({ ...parties[0], deltaVMps, speedMps }, { ...parties[1], deltaVMps }, 1001, 7)];
  const byCar = new Map(Object.entries(acted).map(([car, mask]) => [Number(car), mask]));
  return { contacts, acted: byCar, nearest: chain.map(() => nearest), collidesLater };
}

/** Avoided with all of `needed` on for car 0, which then act. */
const avoidedBy =
  (needed: number) =>
  (on: Map<number, number>): Life => {
    const isOn = ((on.get(0) ?? 0) & needed) === needed;
    return { deltaVMps: isOn ? 0 : 10, acted: { 0: isOn ? needed : 0 } };
  };

describe('what explains a collision', () => {
  it('is nothing, and costs nothing, where everything was on', () => {
    const { failures, reruns } = searched(crash(0), () => ({ deltaVMps: 10, acted: {} }));
    expect([failures, reruns]).toEqual([[], 0]);
  });

  it('[I18] is nothing where all that was off changes nothing; two starts settle that', () => {
    const same = () => ({ deltaVMps: 10, acted: { 0: F_ALL } });
    const { failures, reruns } = searched(crash(F_ESC | F_BRAKES), same);
    expect([failures, reruns]).toEqual([[], 2]);
  });

  it('is the one feature that avoids it, and none that does not matter', () => {
    const { listed, failures } = searched(
      crash(F_BRAKES | F_ESC | F_THROTTLE),
      avoidedBy(F_BRAKES),
    );
    expect(listed).toEqual([{ car: 0, feature: F_BRAKES, effect: 'avoids', set: 1 }]);
    expect(failures[0]).toMatchObject({
      ...{ startTick: 600, contact: 0, acted: F_BRAKES },
      outcome: { what: 'stopped', distanceM: 3 },
    });
  });

  it('[I17] is each that avoids it alone, each a set of its own', () => {
    const { listed } = searched(crash(F_BRAKES | F_STEERING), (on) => ({
      deltaVMps: on.get(0) ? 0 : 10,
      acted: { 0: on.get(0) ?? 0 },
    }));
    expect(listed).toEqual([
      { car: 0, feature: F_STEERING, effect: 'avoids', set: 1 },
      { car: 0, feature: F_BRAKES, effect: 'avoids', set: 2 },
    ]);
  });

  it('[I15] is what makes it milder by 30 % or more, by no less', () => {
    const falls = (to: number) => (on: Map<number, number>) => ({
      deltaVMps: on.get(0) ? to : 10,
      acted: { 0: F_BRAKES },
    });
    expect(searched(crash(F_BRAKES), falls(7)).listed).toEqual([
      { car: 0, feature: F_BRAKES, effect: 'mitigates', set: 1 },
    ]);
    expect(searched(crash(F_BRAKES), falls(7.01)).listed).toEqual([]);
  });

  it('[I14] is no feature that only puts it off: they collide a moment after the last frame', () => {
    const later = () => ({ deltaVMps: 0, acted: { 0: F_BRAKES }, collidesLater: true });
    expect(searched(crash(F_BRAKES), later).listed).toEqual([]);
  });

  it('[I14] is no feature that did not act: a crash that is missed by luck does not acquit', () => {
    const luck = () => ({ deltaVMps: 0, acted: { 0: 0 } });
    expect(searched(crash(F_THROTTLE | F_ESC), luck).listed).toEqual([]);
    // The brakes act, but it is the throttle that was switched on.
    const others = () => ({ deltaVMps: 0, acted: { 0: F_BRAKES } });
    expect(searched(crash(F_THROTTLE), others).listed).toEqual([]);
  });

  it('is a sensor whose function acted, as long as that would not work without it', () => {
    const acting = () => ({ deltaVMps: 0, acted: { 0: F_ANIMAL_DETECTION | F_AEB } });
    expect(searched(crash(F_FRONT_CAMERA), acting).listed).toHaveLength(1);
    expect(searched(crash(F_FRONT_RADAR), acting).listed).toEqual([]);
  });

  it('[I16] counts from two of three starts', () => {
    const from = (starts: readonly number[]) => (on: Map<number, number>, start: number) => ({
      deltaVMps: on.get(0) && starts.includes(start) ? 0 : 10,
      acted: { 0: F_BRAKES },
    });
    const late = searched(crash(F_BRAKES), from([700, 800]));
    expect(late.listed).toHaveLength(1);
    expect(late.failures[0]?.startTick).toBe(700);
    expect(searched(crash(F_BRAKES), from([600, 800])).listed).toHaveLength(1);
    expect(searched(crash(F_BRAKES), from([700])).listed).toEqual([]);
  });

  it('counts from later starts where it is missed by luck from earlier ones', () => {
    const stand = [850, 875, 900];
    const from = (lucky: readonly number[], acting: readonly number[]) => {
      const live = (on: Map<number, number>, start: number): Life => {
        const isLucky = lucky.includes(start);
        const acts = on.get(0) !== undefined && acting.includes(start);
        return { deltaVMps: isLucky || acts ? 0 : 10, acted: { 0: acts ? F_BRAKES : 0 } };
      };
      return searched(crash(F_BRAKES), live, [...STARTS, ...stand]);
    };
    const late = from(STARTS, [875, 900]);
    expect(late.listed).toEqual([{ car: 0, feature: F_BRAKES, effect: 'avoids', set: 1 }]);
    expect(late.failures[0]?.startTick).toBe(875);
    // Of three starts that count, two are contacts.
    expect(from([600], [850]).listed).toEqual([]);
    expect(from([...STARTS, 850, 875], [900]).listed).toEqual([]);
    // Two starts show no difference: no third is needed.
    expect(from([600], []).asked.map(({ startTick }) => startTick)).toEqual([600, 700, 800]);
  });

  it('takes a collision once avoided and once milder for milder', () => {
    const { listed } = searched(crash(F_BRAKES), (on, start) => ({
      deltaVMps: !on.get(0) || start === 800 ? 10 : start === 700 ? 5 : 0,
      acted: { 0: F_BRAKES },
    }));
    expect(listed.map(({ effect }) => effect)).toEqual(['mitigates']);
  });

  it('[I17] is the smallest set where none avoids it alone', () => {
    const off = F_FRONT_CAMERA | F_BRAKES | F_STEERING | F_ESC | F_THROTTLE;
    const needed = F_BRAKES | F_FRONT_CAMERA;
    const { listed, reruns } = searched(crash(off), avoidedBy(needed));
    expect(listed).toEqual([
      { car: 0, feature: F_BRAKES, effect: 'avoids', set: 1 },
      { car: 0, feature: F_FRONT_CAMERA, effect: 'avoids', set: 1 },
    ]);
    expect(reruns).toBeLessThan(40);
  });

  it('is a set of features of different cars', () => {
    const chain: IncidentContacts = [contact(party(3, F_BRAKES), party(5, F_STEERING))];
    const { listed } = searched(chain, (on) => {
      const both = on.get(3) === F_BRAKES && on.get(5) === F_STEERING;
      return { deltaVMps: both ? 0 : 10, acted: { 3: on.get(3) ?? 0, 5: on.get(5) ?? 0 } };
    });
    expect(listed).toEqual([
      { car: 3, feature: F_BRAKES, effect: 'avoids', set: 1 },
      { car: 5, feature: F_STEERING, effect: 'avoids', set: 1 },
    ]);
  });

  it('is a set that avoids it beside what makes it milder alone', () => {
    const off = F_BRAKES | F_FRONT_RADAR | F_THROTTLE;
    const { listed } = searched(crash(off), (on) => {
      const mask = on.get(0) ?? 0;
      const avoided = (mask & 18) === 18;
      return { deltaVMps: avoided ? 0 : mask & F_THROTTLE ? 5 : 10, acted: { 0: mask } };
    });
    expect(listed).toEqual([
      { car: 0, feature: F_THROTTLE, effect: 'mitigates', set: 1 },
      { car: 0, feature: F_BRAKES, effect: 'avoids', set: 2 },
      { car: 0, feature: F_FRONT_RADAR, effect: 'avoids', set: 2 },
    ]);
  });

  it('does not try a function alone that still lacks something', () => {
    const { asked } = searched(crash(F_AEB | F_BRAKES), avoidedBy(F_AEB | F_BRAKES));
    expect(asked.some(({ on }) => on.get(0) === F_AEB)).toBe(false);
  });

  it('takes candidates out of all where there are too many sets to try', () => {
    const chain: IncidentContacts = [contact(party(3, F_ALL), party(5, F_ALL))];
    const needed = F_STEERING | F_BRAKES | F_THROTTLE | F_FRONT_RADAR;
    const { listed, reruns } = searched(chain, (on) => {
      const helped = ((on.get(3) ?? 0) & needed) === needed;
      return { deltaVMps: helped ? 0 : 10, acted: { 3: on.get(3) ?? 0, 5: on.get(5) ?? 0 } };
    });
    expect(reruns).toBeLessThanOrEqual(RUNS_MAX);
    expect(listed.map(({ car, feature }) => [car, feature])).toEqual([
      [3, F_STEERING],
      [3, F_BRAKES],
      [3, F_THROTTLE],
      [3, F_FRONT_RADAR],
    ]);
    expect(new Set(listed.map(({ set }) => set))).toEqual(new Set([1]));
  });

  it('finds a small set among very many candidates', () => {
    const cars = [0, 1, 2, 3, 4, 5];
    const [first, ...more] = cars.map((car) => contact(party(car, F_ALL), party(car + 1, F_ALL)));
    if (first === undefined) throw new Error('unreachable');
    const { listed, reruns } = searched([first, ...more], (on) => {
      const both = ((on.get(2) ?? 0) & F_BRAKES) !== 0 && ((on.get(5) ?? 0) & F_STEERING) !== 0;
      return { deltaVMps: both ? 0 : 10, acted: Object.fromEntries(on) };
    });
    expect(reruns).toBeLessThanOrEqual(RUNS_MAX);
    expect(listed.map(({ car, feature }) => [car, feature])).toEqual([
      [2, F_BRAKES],
      [5, F_STEERING],
    ]);
  });

  it('keeps to its budget however many cars are in a chain', () => {
    const [first, ...more] = Array.from({ length: 19 }, (_, car) =>
      contact(party(car, F_ALL), party(car + 1, F_ALL), TICK + car),
    );
    if (first === undefined) throw new Error('unreachable');
    for (const deltaVMps of [0, 5, 10]) {
      const all = Object.fromEntries(Array.from({ length: 20 }, (_, car) => [car, F_ALL]));
      const { reruns } = searched([first, ...more], (on) => ({
        deltaVMps: on.size === 20 ? deltaVMps : 10,
        acted: all,
      }));
      expect(reruns).toBeLessThanOrEqual(RUNS_MAX);
    }
  });
});

describe('how it would have ended', () => {
  const ending = (life: Partial<Life>) =>
    searched(crash(F_BRAKES), (on) => ({
      deltaVMps: on.get(0) ? 0 : 10,
      acted: { 0: F_BRAKES },
      ...life,
    })).failures[0]?.outcome;
  const speeds = (mps: number) => new Map([[0, mps]]);

  it('is standing, passing, coming closer still, or away', () => {
    const at = (nearest: Omit<Nearest, 'fromPlaceM'>) =>
      ending({ nearest: { ...nearest, fromPlaceM } });
    for (const [what, mps, atEnd] of [
      ['stopped', 0, true],
      ['passed', 9, false],
      ['approaching', 9, true],
    ] as const) {
      expect(at({ distanceM: 2, speeds: speeds(mps), atEnd })).toEqual({ what, distanceM: 2 });
    }
    const never = { distanceM: Number.POSITIVE_INFINITY, speeds: speeds(9), atEnd: false };
    expect(at(never)).toEqual({ what: 'away', distanceM: 12.5 });
  });

  it('is a hit where the car that hits is slower by 30 %', () => {
    const at = (speedMps: number) => ending({ deltaVMps: 4, speedMps });
    expect(at(7)).toEqual({ what: 'hit', speedMps: 7 });
    expect(at(7.1)).toEqual({ what: 'changed', deltaVMps: 4 });
  });

  it('is a change of speed for a car that is struck, and that of all where its own is no less', () => {
    const striking = 1;
    const of = (wasMps: number, deltaVMps: number, otherMps: number) => {
      const was = contact(party(0, F_BRAKES, wasMps), party(1, 0, 10));
      const struck = [{ ...was, striking }] as const;
      const again = contact(
        { ...party(0, F_BRAKES, deltaVMps), speedMps: 1 },
        party(1, 0, otherMps),
      );
      const asking = new CounterfactualSearch(struck, STARTS).run();
      let step = asking.next();
      while (!step.done) {
        const acted = new Map([[0, F_BRAKES]]);
        const contacts = [{ ...again, striking }];
        step = asking.next({ contacts, acted, nearest: [apart], collidesLater: false });
      }
      return step.value.failures[0]?.outcome;
    };
    expect(of(9, 4, 5)).toEqual({ what: 'changed', deltaVMps: 4 });
    expect(of(5, 5, 6)).toEqual({ what: 'milder', deltaVMps: 6 });
  });
});

describe('contacts between the parties of a chain', () => {
  it('are those of its cars with each other and with what they touched', () => {
    const chain: IncidentContacts = [
      contact(party(1), party(2)),
      contact(party(2), party(-1), TICK + 10, 7),
    ];
    const others = [
      contact(party(1), party(3)),
      contact(party(1), party(-1), TICK, 8),
      contact(party(3), party(4)),
    ];
    const own = [contact(party(2), party(1)), contact(party(1), party(-1), TICK, 7)];
    expect(contactsBetween(chain, [...others, ...own])).toEqual(own);
  });

  it('treat all that stands at one spot as one: hitting the next parked car avoids nothing', () => {
    const at = (hazard: number, block: number, kind = CONTACT_OBSTACLE): ContactFacts => ({
      ...contact(party(0), party(-1), TICK, block),
      ...{ kind, hazard },
    });
    const next = at(2, 8);
    const others = [at(3, 9), at(2, -1, CONTACT_ANIMAL), at(-1, 7)];
    expect(contactsBetween([at(2, 7)], [...others, next])).toEqual([next]);
  });
});
