import { describe, expect, test } from 'vitest';
import { incidentWith } from '../testing/doubles/incident.ts';
import { best, previewOf, savedBy } from './link-preview.ts';
import type { Failure, Incident, IncidentOther } from './wire.ts';

const SPOTS = [
  { id: 'h1', kind: 'parked_row_child' },
  { id: 'h2', kind: 'ice_bend' },
];
const FIXED = { mass: null, delta_v: 0, impact_area: null, impact_speed: null };
const POST: IncidentOther = { kind: 'obstacle', hazard: 'h2', ...FIXED };
const CHILD: IncidentOther = { ...POST, kind: 'child', hazard: 'h1', mass: 30, impact_speed: 11 };

function failure(fields: Partial<Failure>): Failure {
  const sentence =
    'front_radar was off, so nothing braked for the child; with it it would have stopped.';
  const base = { vin: 'A', restores: [], effect: 'avoids' as const, set: 0 };
  return { ...base, feature: 'front_radar', explanation: sentence, ...fields };
}

function incident(fields: Partial<Incident>): Incident {
  const plain = incidentWith('A', {});
  const vehicles = plain.vehicles.map((each) => ({ ...each, model: 'Aurora Vela', speed: 11.7 }));
  const place = { ...plain.place, street: 'Quay Street' };
  return { ...plain, vehicles, place, ...fields };
}

const headline = (fields: Partial<Incident>) => previewOf(incident(fields), SPOTS).headline;
const verdict = (fields: Partial<Incident>) => previewOf(incident(fields), SPOTS).verdict;

describe('the headline', () => {
  test('says what came onto the road', () => {
    expect(headline({ other: [CHILD] })).toBe(
      'A child ran out from between parked cars ahead of an Aurora Vela',
    );
  });

  test('names what stands beside the road, and how often', () => {
    expect(headline({ other: [POST] })).toBe('An Aurora Vela ran into a bollard');
    expect(headline({ other: [POST, POST] })).toBe('An Aurora Vela ran into two bollards');
    expect(headline({ other: [{ ...POST, kind: 'building', hazard: null }] })).toBe(
      'An Aurora Vela ran into a building',
    );
  });

  test('names other cars, and tells one from another', () => {
    const [own] = incident({}).vehicles;
    if (own === undefined) throw new Error('the incident has a car');
    const struck = (model: string) => ({ ...own, vin: model, model, role: 'struck' as const });
    const met = (...models: string[]) => headline({ vehicles: [own, ...models.map(struck)] });
    expect(met('Lumen City')).toBe('An Aurora Vela ran into a Lumen City');
    expect(met('Aurora Vela')).toBe('An Aurora Vela ran into another Aurora Vela');
    expect(met('Lumen City', 'Corvane S4')).toBe('An Aurora Vela ran into two cars');
  });
});

describe('the verdict', () => {
  test('is of the best explanation', () => {
    const failures = [
      failure({ feature: 'brakes', effect: 'mitigates' }),
      failure({ feature: 'aeb', set: 1 }),
      failure({ feature: 'front_camera', set: 1 }),
    ];
    expect(verdict({ failures })).toBe('AEB and front camera would have avoided it');
    expect(savedBy(incident({ failures }))).toEqual(['aeb', 'front_camera']);
    const worse = failures.slice(0, 1);
    expect(verdict({ failures: worse })).toBe('Brakes would have made it milder');
    expect(best(incident({ failures: worse }))).toEqual(worse);
  });

  test('says so if there is none, or none yet', () => {
    expect(verdict({ explained: false })).toBe('What would have saved it is being found out');
    expect(verdict({})).toBe('Nothing that was switched off would have saved it');
    const vehicles = incident({}).vehicles.map((each) => ({ ...each, off: [] }));
    expect(verdict({ vehicles })).toBe('Every feature was switched on');
  });
});

test('[P34] speed, street and reason are in the description, with features in plain words', () => {
  const { speed, facts, description, alt } = previewOf(
    incident({ other: [CHILD], failures: [failure({})] }),
    SPOTS,
  );
  expect(speed).toBe('42 km/h');
  expect(facts).toBe('Quay Street · slight injury risk');
  expect(description).toBe(
    'At 42 km/h on Quay Street. Front radar was off, so nothing braked for the child; with it it would have stopped.',
  );
  expect(alt).toMatch(/^A map of the collision: A child .*\. Front radar would have avoided it\.$/);
});
