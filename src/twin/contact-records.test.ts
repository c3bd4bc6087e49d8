import { describe, expect, test } from 'vitest';
import { CONTACT_BUILDING } from '../../assembly/layout.ts';
import { contactWith, partyWith } from '../testing/doubles/contacts.ts';
import {
  type CrashPulseFacts,
  contactOf,
  groupByIncident,
  recordOf,
  settled,
  settledChain,
} from './contact-records.ts';
import type { ContactFacts } from './incidents.ts';

/** Cars 0 and 1 touch at tick 1000. */
const FIRST = contactWith({
  energyJ: 5000,
  parties: [
    partyWith({ deltaVMps: 4, pulseTick: 1000 }),
    partyWith({ car: 1, deltaVMps: 6, pulseTick: 1000 }),
  ],
});
/** Car 2 hits car 1 within the same pulse of it. */
const SECOND = contactWith({
  ...{ tick: 1004, chainTick: 1000, energyJ: 3000 },
  parties: [
    partyWith({ car: 2, deltaVMps: 3, pulseTick: 1004 }),
    partyWith({ car: 1, deltaVMps: 2, impactX: -1, pulseTick: 1000 }),
  ],
});

function pulseOf(
  car: number,
  sinceTick: number,
  deltaVMps: number,
  energyJ = 0,
  chainTick = 1000,
): CrashPulseFacts {
  const crashPulse = { car, sinceTick, deltaVMps, impactX: 0, impactY: 1, energyJ };
  return { tick: sinceTick + 9, order: 0, chainTick, chainOrder: 0, crashPulse };
}

const deltasOf = (contacts: readonly ContactFacts[]) =>
  contacts.map(({ parties }) => parties.map(({ car, deltaVMps }) => [car, deltaVMps]));

describe('the contacts of an incident', () => {
  test('have what the pulse came to in all contacts of the pulse, more or less than at first', () => {
    expect(deltasOf(settledChain([FIRST, SECOND]))).toEqual([
      [
        [0, 4],
        [1, 2],
      ],
      [
        [2, 3],
        [1, 2],
      ],
    ]);
    const [first, second] = settledChain([FIRST, SECOND, pulseOf(1, 1000, 2.5, 700)]);
    expect(first?.parties[1]).toMatchObject({ deltaVMps: 2.5, impactX: 0, impactY: 1 });
    expect(second?.parties[1]).toMatchObject({ deltaVMps: 2.5, impactX: 0, impactY: 1 });
    expect([first?.energyJ, second?.energyJ]).toEqual([5000, 3700]);
  });

  test('take in a later pulse of wrecks if it is the greater one, and its energy in any case', () => {
    const [greater] = settledChain([FIRST, pulseOf(0, 1050, 7, 900)]);
    expect(greater?.parties.map(({ deltaVMps }) => deltaVMps)).toEqual([7, 6]);
    expect(greater?.energyJ).toBe(5900);
    const [less] = settledChain([FIRST, pulseOf(0, 1050, 3, 900), pulseOf(0, 1070, 2, 50)]);
    expect(less?.parties[0]).toMatchObject({ deltaVMps: 4, impactX: 1 });
    expect(less?.energyJ).toBe(5950);
  });

  test('take nothing from the pulses of others', () => {
    const other = contactWith({ tick: 1001, order: 1, chainTick: 1001, chainOrder: 1 });
    const stray = pulseOf(0, 1000, 99, 10, 500);
    const elsewhere = { ...pulseOf(0, 1001, 50, 10, 1001), chainOrder: 1 };
    expect(settled([FIRST, stray])).toEqual([FIRST]);
    const [first, second] = settled([FIRST, other, elsewhere]);
    expect(first).toEqual(FIRST);
    expect(second?.energyJ).toBe(10);
  });

  test('come in order of tick, also from several incidents', () => {
    const other = contactWith({ tick: 1002, chainTick: 1002 });
    expect(settled([FIRST, other, SECOND]).map(({ tick }) => tick)).toEqual([1000, 1002, 1004]);
    expect(groupByIncident([FIRST, other, SECOND]).map((chain) => chain.length)).toEqual([2, 1]);
  });
});

describe('a contact from the store of an older version', () => {
  const { chainTick: _, chainOrder: __, energyJ: ___, ...later } = FIRST;
  const { impulseX: ____, impulseY: _____, ...old } = later;
  const withoutPulse = ({ pulseTick, ...party }: (typeof FIRST.parties)[0]) => party;
  const parties = [withoutPulse(FIRST.parties[0]), withoutPulse(FIRST.parties[1])] as const;

  test('without chains is an incident of its own', () => {
    const { energyJ, ...rest } = contactOf({ ...old, parties });
    expect(rest).toMatchObject({ ...old, chainTick: 1000, chainOrder: 0, parties: FIRST.parties });
    expect(energyJ).toBeCloseTo(0.5 * 750 * 10 ** 2, 8);
    expect(contactOf(FIRST)).toEqual(FIRST);
    const outside = { ...parties[1], car: -1, massKg: 0 };
    const wall = { ...old, kind: CONTACT_BUILDING, parties: [outside, parties[0]] as const };
    expect(contactOf(wall).energyJ).toBe(75_000);
  });

  test('without impulses keeps the size of what an actor got', () => {
    const actor = { ...parties[1], car: -1, massKg: 75, deltaVMps: 8 };
    const { impulseX, impulseY } = contactOf({ ...old, parties: [parties[0], actor] });
    expect(Math.hypot(impulseX, impulseY) / 75).toBe(8);
  });

  test('with chains has each contact as a pulse of its own, the greatest of which counts', () => {
    const stored = [
      { ...FIRST, parties },
      {
        ...{ ...SECOND, tick: 1000, order: 1 },
        parties: [withoutPulse(SECOND.parties[0]), withoutPulse(SECOND.parties[1])] as const,
      },
    ];
    expect(deltasOf(settled(stored.map(recordOf)))).toEqual(deltasOf([FIRST, SECOND]));
  });
});
