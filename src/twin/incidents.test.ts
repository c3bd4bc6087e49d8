import { describe, expect, test } from 'vitest';
import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_ALL,
} from '../../assembly/layout.ts';
import { contactWith, partyWith } from '../testing/doubles/contacts.ts';
import { effectiveMask, maskOf } from './catalogue.ts';
import { groupByIncident } from './contact-records.ts';
import { type ContactFacts, incidentId, incidentOf, type PartyFacts } from './incidents.ts';
import { occupantRisk, pedestrianRisk } from './injury.ts';

const FLEET = ['Vela', 'Terra', 'City'].map((model, car) => ({
  vin: `VIN${car}`,
  model,
  plate: `AB ${car}`,
  colour: 'teal',
}));
const HAZARDS = ['deer', 'lorry'].map((name, i) => ({
  id: `h${i + 1}`,
  site: { actor: { name } },
}));
const CONTEXT = {
  worldId: '0123456789',
  fleet: FLEET,
  hazards: HAZARDS,
  place: { road: 'r1', street: 'Mill Road' },
};

const party = (fields: Partial<PartyFacts>): PartyFacts =>
  partyWith({ speedMps: 13.89, deltaVMps: 6.945, ...fields });

/** A party outside the fleet: a wall, a person. */
const OUTSIDER = party({
  car: -1,
  declared: 0,
  effective: 0,
  speedMps: 0,
  deltaVMps: 0,
  massKg: 0,
});
const STANDING = party({ car: 2, speedMps: 0, hx: 0, hy: -1, impactX: -1 });

const FIXED = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };

/** Car 0 drives into the back of car 2. */
const REAR_END = contactWith({
  ...{ tick: 1234, x: 12.345678, y: -0.001, closingMps: 13.89, energyJ: 71_626.04 },
  parties: [party({}), STANDING],
});

function incident(fields: Partial<ContactFacts>) {
  return incidentOf([{ ...REAR_END, ...fields }], CONTEXT);
}

describe('a collision of two cars', () => {
  test('[I11] is reported with both of them, not yet explained', () => {
    expect(incident({})).toEqual({
      id: 'i1234-0',
      world: '0123456789',
      tick: 1234,
      time: 24.68,
      place: { x: 12.35, y: 0, road: 'r1', street: 'Mill Road' },
      kind: 'vehicle',
      vehicles: [
        {
          vin: 'VIN0',
          model: 'Vela',
          plate: 'AB 0',
          speed: 13.89,
          mass: 1500,
          delta_v: 6.95,
          impact_area: 'front',
          heading: 0,
          role: 'striking',
          off: [],
          degraded: [],
        },
        {
          vin: 'VIN2',
          model: 'City',
          plate: 'AB 2',
          speed: 0,
          mass: 1500,
          delta_v: 6.95,
          impact_area: 'rear',
          heading: -1.5708,
          role: 'struck',
          off: [],
          degraded: [],
        },
      ],
      other: [],
      closing_speed: 13.89,
      deformation_energy: 71_626,
      explained: false,
      failures: [],
      earned: {
        severity: 'slight',
        injury_risk: 0.027,
        points: 183.9,
        repair_cost: 17906.5,
      },
    });
  });

  test('[I5] gives the role `striking` to the car that closed the gap', () => {
    expect(incident({ striking: 1 }).vehicles.map(({ role }) => role)).toEqual([
      'struck',
      'striking',
    ]);
  });

  test('lists the features that were off and degraded at the contact', () => {
    const declared = F_ALL & ~maskOf(['brakes', 'throttle']);
    const parties = [party({ declared, effective: effectiveMask(declared) }), STANDING] as const;
    const [striking, struck] = incident({ parties }).vehicles;
    expect(striking?.off).toEqual(['brakes', 'throttle']);
    expect(striking?.degraded).toEqual([
      'aeb',
      'traffic_light_recognition',
      'intersection_assist',
      'esc',
    ]);
    expect(struck).toMatchObject({ off: [], degraded: [] });
  });

  test('has the risk of the worse-off occupant and the points of both', () => {
    const front = occupantRisk(15, 'front');
    const side = occupantRisk(12, 'side');
    const parties = [
      party({ deltaVMps: 15 }),
      party({ car: 1, deltaVMps: 12, impactX: 0.1, impactY: -0.9 }),
    ] as const;
    const { earned } = incident({ parties, closingMps: 27, energyJ: 250_000 });
    expect(earned.injury_risk).toBeCloseTo(Math.max(front, side), 4);
    expect(earned.points).toBe(Math.round(1000 * (front + side)) + 270);
    expect(earned.severity).toBe('severe');
    expect(earned.repair_cost).toBe(250 * 250);
  });

  test('without delta-v and energy earns nothing', () => {
    const parties = [party({ deltaVMps: 0 }), party({ car: 1, deltaVMps: 0 })] as const;
    expect(incident({ parties, closingMps: 0, energyJ: 0 }).earned).toEqual({
      severity: 'slight',
      injury_risk: 0,
      points: 0,
      repair_cost: 0,
    });
  });
});

describe('a collision with a building', () => {
  test('[I5] lists the car alone, striking, and its cost follows from the energy', () => {
    const wall = { kind: CONTACT_BUILDING, block: 4, closingMps: 10, energyJ: 74_250 };
    for (const parties of [[party({}), OUTSIDER] as const, [OUTSIDER, party({})] as const]) {
      const report = incident({ ...wall, parties });
      expect(report.kind).toBe('building');
      expect(report.vehicles.map(({ vin, role }) => [vin, role])).toEqual([['VIN0', 'striking']]);
      expect(report.other).toEqual([{ kind: 'building', hazard: null, ...FIXED }]);
      expect(report.earned.repair_cost).toBe(250 * 74.25);
      expect(report.earned.injury_risk).toBeCloseTo(occupantRisk(6.95, 'front'), 4);
    }
  });
});

describe('an incident of several contacts', () => {
  const hit = (tick: number, cars: [number, number], deltas: [number, number]): ContactFacts => ({
    ...REAR_END,
    tick,
    order: 1,
    chainTick: 500,
    chainOrder: 1,
    closingMps: tick / 100,
    energyJ: 10_000,
    x: tick,
    parties: [
      party({ car: cars[0], deltaVMps: deltas[0], speedMps: 10, pulseTick: tick }),
      party({
        car: cars[1],
        deltaVMps: deltas[1],
        speedMps: tick / 100,
        pulseTick: tick,
        hx: 0,
        hy: 1,
        impactX: -1,
      }),
    ],
  });
  const contacts = [hit(500, [0, 2], [4, 5]), hit(560, [1, 2], [12, 9])] as const;

  test('[I7] is one report of its first contact, with every car once as it was at its own first contact', () => {
    const report = incidentOf(contacts, CONTEXT);
    expect(report).toMatchObject({ id: 'i500-1', tick: 500, kind: 'vehicle', place: { x: 500 } });
    expect(
      report.vehicles.map(({ vin, speed, delta_v, role }) => [vin, speed, delta_v, role]),
    ).toEqual([
      ['VIN0', 10, 4, 'striking'],
      ['VIN2', 5, 9, 'struck'],
      ['VIN1', 10, 12, 'striking'],
    ]);
  });

  test('[I5] gives the role `striking` to a car that was pushed into something that is no vehicle', () => {
    const pushed: ContactFacts = {
      ...hit(600, [2, -1], [6, 0]),
      ...{ kind: CONTACT_BUILDING, block: 4, parties: [party({ car: 2 }), OUTSIDER] },
    };
    const { vehicles } = incidentOf([contacts[0], pushed], CONTEXT);
    expect(vehicles.map(({ vin, role }) => [vin, role])).toEqual([
      ['VIN0', 'striking'],
      ['VIN2', 'striking'],
    ]);
  });

  test('counts each person once by the worst risk, the first closing speed and all energy', () => {
    const { earned } = incidentOf(contacts, CONTEXT);
    const risks = [occupantRisk(4, 'front'), occupantRisk(9, 'rear'), occupantRisk(12, 'front')];
    const sum = risks.reduce((total, risk) => total + risk, 0);
    expect(earned.points).toBe(Math.round(1000 * sum) + 50);
    expect(earned.injury_risk).toBeCloseTo(Math.max(...risks), 4);
    expect(earned.repair_cost).toBe(250 * 20);
  });

  test('lists every other party once', () => {
    const wall = (tick: number, block: number) => ({
      ...hit(tick, [0, -1], [1, 0]),
      kind: CONTACT_BUILDING,
      block,
    });
    const { kind, other } = incidentOf(
      [contacts[0], wall(510, 7), wall(530, 7), wall(540, 8)],
      CONTEXT,
    );
    expect(kind).toBe('vehicle');
    const building = { kind: 'building', hazard: null, ...FIXED };
    expect(other).toEqual([building, building]);
  });

  test('is identified by its first contact', () => {
    const alone = { ...REAR_END, tick: 520, order: 0, chainTick: 520 };
    expect(groupByIncident([contacts[0], alone, contacts[1]])).toEqual([contacts, [alone]]);
  });
});

describe('a collision with a person', () => {
  test('has the risk of the pedestrian, whose points count one and a half times', () => {
    const person = { ...OUTSIDER, massKg: 75 };
    const parties = [party({ speedMps: 10, deltaVMps: 0.4 }), person] as const;
    const impulse = { impulseX: -600, impulseY: 0 };
    const report = incident({ kind: CONTACT_PERSON, parties, closingMps: 10, ...impulse });
    const outside = pedestrianRisk(10);
    expect(report.kind).toBe('person');
    expect(report.vehicles.map(({ role }) => role)).toEqual(['striking']);
    expect(report.other).toMatchObject([
      { kind: 'person', mass: 75, delta_v: 8, impact_area: null, impact_speed: 10 },
    ]);
    expect(report.earned.injury_risk).toBeCloseTo(outside, 4);
    expect(report.earned.points).toBe(
      Math.round(1000 * (1.5 * outside + occupantRisk(0.4, 'front'))) + 100,
    );
    expect(report.earned.severity).toBe('severe');
  });
});

test('ids are made of tick and order', () => {
  expect(incidentId(7, 3)).toBe('i7-3');
  expect(incident({ tick: 90_000, order: 2 }).id).toBe('i90000-2');
});

describe('a collision at a hazard spot', () => {
  test('names the actor and the spot', () => {
    const parties = [party({}), party({ car: -1, type: 0, massKg: 23, speedMps: 3 })] as const;
    const deer = incident({ kind: CONTACT_ANIMAL, hazard: 0, parties });
    expect(deer.kind).toBe('animal');
    expect(deer.other).toMatchObject([
      { kind: 'deer', hazard: 'h1', mass: 23, impact_area: null, impact_speed: null },
    ]);
    expect(deer.vehicles.map(({ role }) => role)).toEqual(['striking']);
  });

  test('[I5] with a vehicle that closed the gap has the fleet car as struck', () => {
    const lorry = party({ car: -1, massKg: 12_000, deltaVMps: 1, speedMps: 11 });
    const impulse = { impulseX: 12_000, impulseY: 0 };
    const parties = [party({}), lorry] as const;
    const fields = { kind: CONTACT_VEHICLE, hazard: 1, parties, ...impulse };
    const struck = incident({ ...fields, striking: 1 });
    expect(struck.kind).toBe('vehicle');
    expect(struck.other).toMatchObject([
      { kind: 'lorry', hazard: 'h2', mass: 12_000, delta_v: 1, impact_area: 'front' },
    ]);
    expect(struck.vehicles.map(({ role }) => role)).toEqual(['struck']);
    const striking = incident({ ...fields, striking: 0 });
    expect(striking.vehicles.map(({ role }) => role)).toEqual(['striking']);
    // Two people: the fleet car's at 6.95 m/s and the lorry driver at 1 m/s, both in front.
    const risks = occupantRisk(6.95, 'front') + occupantRisk(1, 'front');
    expect(striking.earned.points).toBe(Math.round(1000 * risks) + 138.9);
  });

  test('with a permanent body has the kind obstacle and the id of the spot', () => {
    const parties = [party({}), OUTSIDER] as const;
    const { kind, other } = incident({ kind: CONTACT_OBSTACLE, block: 40, hazard: 1, parties });
    expect(kind).toBe('obstacle');
    expect(other).toEqual([{ kind: 'obstacle', hazard: 'h2', ...FIXED }]);
  });
});
