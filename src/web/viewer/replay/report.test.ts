import { describe, expect, it } from 'vitest';
import type { Failure, Incident, IncidentVehicle } from '../api/types.ts';
import { explanations, whose } from './explanations.ts';
import { headline } from './headline.ts';
import {
  fixedThings,
  impactOnCar,
  impactOnOther,
  introduction,
  shortcomings,
  story,
} from './report.ts';

const TERRA: IncidentVehicle = {
  vin: 'A',
  model: 'Halden Terra',
  plate: 'BL 319 DR',
  speed: 11.64,
  mass: 1500,
  delta_v: 4.42,
  impact_area: 'front',
  heading: 3.14,
  role: 'striking',
  off: ['brakes'],
  degraded: ['aeb', 'esc'],
};
const CITY: IncidentVehicle = {
  ...TERRA,
  vin: 'B',
  model: 'Lumen City',
  plate: 'FN 331 WT',
  role: 'struck',
  off: [],
  degraded: [],
};
const INCIDENT: Incident = {
  id: 'i996-0',
  world: 'w',
  tick: 996,
  time: 19.92,
  place: { x: 0, y: 0, road: 'r5', street: 'Parliament Avenue' },
  kind: 'vehicle',
  vehicles: [TERRA, CITY],
  other: [],
  closing_speed: 8.5,
  deformation_energy: 51_216,
  explained: true,
  failures: [],
  earned: { severity: 'slight', injury_risk: 0.0152, points: 133.6, repair_cost: 12803.88 },
};

function failure(fields: Partial<Failure>): Failure {
  const base = { vin: 'A', restores: [], effect: 'avoids' as const, set: 0, explanation: 'So.' };
  return { ...base, feature: 'brakes', ...fields };
}

describe('the story', () => {
  it('names the cars, the place and the speed', () => {
    expect(story(INCIDENT, [])).toBe(
      'At 0:19.9, Halden Terra (BL 319 DR) hit Lumen City (FN 331 WT) on Parliament Avenue, at 42 km/h.',
    );
    expect(headline(INCIDENT, [])).toBe('Halden Terra and Lumen City');
    expect(headline({ ...INCIDENT, vehicles: [TERRA, TERRA] }, [])).toBe(
      'Halden Terra and another Halden Terra',
    );
  });

  it('names an opponent that is no car', () => {
    const impact = { mass: 23, delta_v: 9, impact_area: null, impact_speed: null };
    const other = [{ kind: 'animal', hazard: 'h1', ...impact }];
    const incident = { ...INCIDENT, kind: 'animal' as const, vehicles: [TERRA], other };
    expect(story(incident, [])).toBe(
      'At 0:19.9, Halden Terra (BL 319 DR) hit an animal on Parliament Avenue, at 42 km/h.',
    );
    expect(headline(incident, [])).toBe('Halden Terra and an animal');
    const three = ['obstacle', 'child', 'obstacle'].map((kind) => ({
      ...impact,
      kind,
      hazard: null,
    }));
    expect(story({ ...incident, other: three }, [])).toMatch(/ hit two obstacles and a child on /);
    expect(headline({ ...incident, other: three }, [])).toBe(
      'Halden Terra, two obstacles and a child',
    );
  });

  it('calls what stands beside the road the same everywhere, as often as it was hit', () => {
    const spots = [{ id: 'h1', kind: 'ice_bend' }];
    const fixed = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };
    const post = { kind: 'obstacle', hazard: 'h1', ...fixed };
    const wall = { kind: 'building', hazard: null, ...fixed };
    const incident = { ...INCIDENT, vehicles: [TERRA], other: [post, wall, post] };
    expect(story(incident, spots)).toMatch(/ hit two bollards and a building on /);
    expect(headline(incident, spots)).toBe('Halden Terra, two bollards and a building');
    expect(fixedThings(incident, spots)).toEqual([
      {
        name: 'Two bollards',
        text: 'They stand beside the road: a car that hits them has left its lane.',
      },
      {
        name: 'A building',
        text: 'It stands beside the road: a car that hits it has left its lane.',
      },
    ]);
    expect(headline({ ...incident, other: [post, post, post] }, spots)).toBe(
      'Halden Terra and three bollards',
    );
    const child = { ...post, kind: 'child', mass: 30 };
    expect(fixedThings({ ...incident, other: [child] }, spots)).toEqual([]);
  });

  it('names the cars of an explanation if there are several', () => {
    const both = [failure({ vin: 'B' }), failure({ vin: 'A' }), failure({ vin: 'B', set: 1 })];
    const latest = (incident: Incident) =>
      explanations(incident).map((explanation) => whose(explanation, incident));
    expect(latest({ ...INCIDENT, failures: both })).toEqual([
      'of BL 319 DR and FN 331 WT',
      'of FN 331 WT',
    ]);
    expect(latest({ ...INCIDENT, vehicles: [TERRA], failures: [failure({})] })).toEqual(['']);
  });

  it('says what the collision did to each party', () => {
    expect(impactOnCar(TERRA, INCIDENT)).toBe(
      'Drove at 42 km/h and hit with its front. The impact changed its speed by 16 km/h. It weighs 1,500 kg.',
    );
    expect(impactOnCar({ ...TERRA, speed: 0.2, role: 'struck' }, INCIDENT)).toMatch(
      /^Stood and was hit in/,
    );
    const child = { kind: 'child', hazard: 'h1', impact_area: null, impact_speed: 8.4 };
    expect(impactOnOther({ ...child, mass: 30, delta_v: 7 })).toBe(
      'Hit at 30 km/h. The impact changed its speed by 25 km/h. It weighs 30 kg.',
    );
    const lorry = { kind: 'lorry', hazard: 'h2', impact_area: 'rear' as const, impact_speed: null };
    expect(impactOnOther({ ...lorry, mass: 12_000, delta_v: 1 })).toBe(
      'Hit in the rear. The impact changed its speed by 4 km/h. It weighs 12,000 kg.',
    );
    const wall = { kind: 'building', hazard: null, impact_area: null, impact_speed: null };
    expect(impactOnOther({ ...wall, mass: null, delta_v: 0 })).toBe('');
  });

  it('is introduced by what was off, to whoever comes by a link', () => {
    expect(introduction({ ...INCIDENT, vehicles: [{ ...TERRA, off: ['esc'] }] })).toBe(
      'A simulated city: somebody switched off the ESC of this car to see what would happen.',
    );
    expect(introduction(INCIDENT)).toMatch(/ off the brakes of Halden Terra \(BL 319 DR\) to /);
    const off: IncidentVehicle['off'] = ['esc', 'brakes', 'aeb', 'steering'];
    expect(introduction({ ...INCIDENT, vehicles: [TERRA, { ...CITY, off }] })).toMatch(
      / off 4 features of these cars to /,
    );
    expect(introduction({ ...INCIDENT, vehicles: [CITY] })).toBe(
      'This happened in a simulated city.',
    );
  });

  it('does not tell the change of speed by all contacts as that by the first', () => {
    const said = / The hardest hit changed its speed by 16 km\/h\./;
    const third = { ...CITY, vin: 'C' };
    expect(impactOnCar(TERRA, { ...INCIDENT, vehicles: [TERRA, CITY, third] })).toMatch(said);
    expect(impactOnCar(TERRA, { ...INCIDENT, closing_speed: 1.1 })).toMatch(said);
  });

  it('names the features that were off and those degraded', () => {
    expect(shortcomings(TERRA)).toBe(
      'Brakes switched off; without that, AEB and ESC did not work.',
    );
    expect(shortcomings({ ...TERRA, off: ['aeb'], degraded: [] })).toBe('AEB switched off.');
    expect(shortcomings(CITY)).toBe('');
  });
});

describe('explanations', () => {
  it('are one per set, those that avoid the collision first', () => {
    const failures = [
      failure({ feature: 'esc', effect: 'mitigates', set: 0, explanation: 'Milder.' }),
      failure({ feature: 'brakes', set: 1, explanation: 'with brakes.' }),
      failure({ feature: 'steering', vin: 'B', set: 1, explanation: 'With steering.' }),
    ];
    expect(explanations({ ...INCIDENT, failures })).toEqual([
      {
        set: 1,
        features: ['brakes', 'steering'],
        vins: ['A', 'B'],
        effect: 'avoids',
        sentences: ['With brakes.', 'With steering.'],
      },
      { set: 0, features: ['esc'], vins: ['A'], effect: 'mitigates', sentences: ['Milder.'] },
    ]);
  });

  it('are none where nothing would have helped', () => {
    expect(explanations(INCIDENT)).toEqual([]);
  });
});
