import { describe, expect, it } from 'vitest';
import {
  CONTACT_ANIMAL,
  CONTACT_BUILDING,
  CONTACT_OBSTACLE,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_AEB,
  F_ALL,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_CORNER_RADARS,
  F_ESC,
  F_EVASIVE_STEERING,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_INTERSECTION_ASSIST,
  F_STEERING,
  F_THROTTLE,
  F_TRAFFIC_LIGHT_RECOGNITION,
} from '../../assembly/layout.ts';
import { contactWith, partyWith } from '../testing/doubles/contacts.ts';
import { type FailureFacts, failuresOf, type Outcome, providedBy } from './explanation.ts';
import { fleetOf } from './fleet.ts';
import type { PartyFacts } from './incidents.ts';

const fleet = fleetOf(1, 1);
const hazards = [
  { kind: 'deer_crossing', site: { actor: { name: 'deer' } } },
  { kind: 'ice_bend', site: { actor: null } },
];
const context = { fleet, hazards };

const party = (car: number, off = 0, speedMps = 0, deltaVMps = 0): PartyFacts =>
  partyWith({ car, declared: F_ALL & ~off, speedMps, deltaVMps });

const chainOf = (kind: number, hazard: number, first: PartyFacts, second = party(-1)) =>
  [contactWith({ kind, hazard, parties: [first, second] })] as const;

function failure(feature: number, acted: number, outcome: Outcome, more = {}): FailureFacts {
  const effect = ['hit', 'changed', 'milder'].includes(outcome.what) ? 'mitigates' : 'avoids';
  const facts = { car: 0, feature, effect, set: 1, acted, startTick: 600, contact: 0, outcome };
  return { ...(facts as FailureFacts), ...more };
}

const stopped: Outcome = { what: 'stopped', distanceM: 3.24 };

/** The sentence for one feature that was off. */
function sentence(
  feature: number,
  acted: number,
  outcome: Outcome,
  contacts = chainOf(CONTACT_ANIMAL, 0, party(0, feature, 11.4, 6)),
): string | undefined {
  const explanation = { failures: [failure(feature, acted, outcome)], reruns: 3 };
  return failuresOf(explanation, contacts, context)[0]?.explanation;
}

describe('what a feature provides', () => {
  it('is itself and the functions that need it', () => {
    expect(providedBy(F_ALL & ~F_FRONT_CAMERA, F_FRONT_CAMERA, F_FRONT_CAMERA)).toBe(
      F_FRONT_CAMERA | F_ANIMAL_DETECTION | F_EVASIVE_STEERING | F_TRAFFIC_LIGHT_RECOGNITION,
    );
    expect(providedBy(F_ALL & ~F_BRAKES, F_BRAKES, F_BRAKES)).toBe(
      F_BRAKES | F_AEB | F_TRAFFIC_LIGHT_RECOGNITION | F_INTERSECTION_ASSIST | F_ESC,
    );
  });

  it('is only itself if an alternative is on: radar beside camera', () => {
    expect(providedBy(F_ALL & ~F_FRONT_RADAR, F_FRONT_RADAR, F_FRONT_RADAR)).toBe(F_FRONT_RADAR);
    const blind = F_ALL & ~(F_FRONT_RADAR | F_FRONT_CAMERA);
    expect(providedBy(blind, F_FRONT_RADAR, F_FRONT_RADAR)).toBe(F_FRONT_RADAR | F_AEB);
  });

  it('is nothing while a need of the function is unmet', () => {
    const declared = F_ALL & ~(F_ESC | F_BRAKES);
    expect(providedBy(declared, F_ESC, F_ESC)).toBe(0);
    expect(providedBy(declared, F_ESC | F_BRAKES, F_ESC)).toBe(F_ESC);
  });
});

describe('an explanation', () => {
  it('says what did not happen, and at which distance the car would have stopped', () => {
    expect(sentence(F_FRONT_CAMERA, F_FRONT_CAMERA | F_ANIMAL_DETECTION | F_BRAKES, stopped)).toBe(
      'front_camera was off, so nothing braked for the deer; with it the car would have stopped 3.2 m short.',
    );
  });

  it('says at which distance the car would have passed', () => {
    const contacts = chainOf(CONTACT_BUILDING, -1, party(0, F_STEERING));
    expect(sentence(F_STEERING, F_STEERING, { what: 'passed', distanceM: 0.6 }, contacts)).toBe(
      'steering was off, so the car could not steer clear of the building; with it the car would have passed 0.6 m clear.',
    );
  });

  it('says how far away the car would have been, or only that it would not have met the other', () => {
    const contacts = chainOf(CONTACT_PERSON, -1, party(0, F_BRAKES));
    expect(sentence(F_BRAKES, F_BRAKES, { what: 'approaching', distanceM: 12 }, contacts)).toBe(
      'brakes were off, so the car could not brake for the person; with them the car would still have been 12.0 m away two seconds later.',
    );
    const obstacle = chainOf(CONTACT_OBSTACLE, 1, party(0, F_ESC));
    const away = (distanceM: number | undefined) =>
      sentence(F_ESC, F_ESC | F_BRAKES, { what: 'away', distanceM }, obstacle);
    expect(away(85.44)).toBe(
      'esc was off, so nothing kept the car from skidding; with it the car would have been 85.4 m away by then and not have met the obstacle.',
    );
    expect(away(undefined)).toBe(
      'esc was off, so nothing kept the car from skidding; with it the car would not have met the obstacle.',
    );
  });

  it('calls what is fixed to the ground as events do', () => {
    const at = (hazard: number) => {
      const parties = [party(0, F_STEERING), party(-1)] as const;
      const contact = contactWith({ kind: CONTACT_OBSTACLE, hazard, block: 7, parties });
      return sentence(F_STEERING, F_STEERING, { what: 'passed', distanceM: 0.6 }, [contact]);
    };
    expect(at(0)).toContain('could not steer clear of the hedge;');
    expect(at(1)).toContain('could not steer clear of the bollard;');
  });

  it('gives the speeds of a milder hit: 3.4 m/s and 11.4 m/s are 12 km/h and 41 km/h', () => {
    const outcome: Outcome = { what: 'hit', speedMps: 3.4 };
    expect(sentence(F_AEB, F_AEB | F_BRAKES | F_FRONT_RADAR, outcome)).toBe(
      'aeb was off, so nothing braked for the deer; with it the car would have hit at 12 km/h instead of 41 km/h.',
    );
  });

  it('uses the greatest delta-v of a car that is hit more than once, as its report does', () => {
    const [first] = chainOf(CONTACT_VEHICLE, -1, party(0, F_BRAKES, 5, 1), party(1, 0, 0, 9));
    const [second] = chainOf(CONTACT_VEHICLE, -1, party(2, 0, 5, 8), party(0, F_BRAKES, 4, 5));
    const failures = [failure(F_BRAKES, F_BRAKES, { what: 'changed', deltaVMps: 1 })];
    const [shown] = failuresOf({ failures, reruns: 3 }, [first, second], context);
    expect(shown?.explanation).toContain('would have changed speed by 3.6 km/h instead of 18.0 km');
  });

  it('gives the lower delta-v of a car, or of all cars', () => {
    const outcome: Outcome = { what: 'changed', deltaVMps: 2 };
    expect(sentence(F_EVASIVE_STEERING, F_EVASIVE_STEERING | F_STEERING, outcome)).toBe(
      'evasive_steering was off, so nothing steered around the deer; with it the car would have changed speed by 7.2 km/h instead of 21.6 km/h.',
    );
    expect(sentence(F_THROTTLE, F_THROTTLE, { what: 'milder', deltaVMps: 1 })).toBe(
      'throttle was off, so the car could not drive clear of the deer; with it no car would have changed speed by more than 3.6 km/h instead of 21.6 km/h.',
    );
  });

  it('says what the driver did not see if no function acted', () => {
    const contacts = chainOf(CONTACT_VEHICLE, -1, party(0, F_FRONT_RADAR), party(1));
    expect(sentence(F_FRONT_RADAR, F_FRONT_RADAR, stopped, contacts)).toBe(
      'front_radar was off, so the car did not see the other car; with it the car would have stopped 3.2 m short.',
    );
  });

  it('names the other party at the end if it has not been named before', () => {
    const contacts = chainOf(CONTACT_VEHICLE, -1, party(0, F_TRAFFIC_LIGHT_RECOGNITION), party(1));
    const lights = F_TRAFFIC_LIGHT_RECOGNITION;
    const ending = (what: 'stopped' | 'passed' | 'approaching', distanceM = 3.24) =>
      sentence(lights, lights, { what, distanceM }, contacts)?.split('the car would ')[1];
    expect(ending('stopped')).toBe('have stopped 3.2 m short of the other car.');
    expect(ending('passed')).toBe('have passed 3.2 m clear of the other car.');
    expect(ending('stopped', 0.04)).toBe('have stopped less than 0.1 m short of the other car.');
    expect(ending('passed', 0.05)).toBe('have passed 0.1 m clear of the other car.');
    expect(ending('approaching')).toBe(
      'still have been 3.2 m away from the other car two seconds later.',
    );
    expect(ending('approaching', 20)).toBe(
      'still have been 20.0 m away from the other car two seconds later.',
    );
    expect(ending('passed', 20)).toBe('have come no closer than 20.0 m to the other car.');
  });

  it('gives only the distance from 20 m on', () => {
    const contacts = chainOf(CONTACT_BUILDING, -1, party(0, F_STEERING));
    expect(sentence(F_STEERING, F_STEERING, { what: 'passed', distanceM: 108.78 }, contacts)).toBe(
      'steering was off, so the car could not steer clear of the building; with it the car would have come no closer than 108.8 m to it.',
    );
  });

  it('says what the car could not do without an actuator, whichever function would have used it', () => {
    const acted = F_BRAKES | F_TRAFFIC_LIGHT_RECOGNITION | F_AEB;
    expect(sentence(F_BRAKES, acted, stopped)).toBe(
      'brakes were off, so the car could not brake for the deer; with them the car would have stopped 3.2 m short.',
    );
  });

  it('names traffic lights and crossing traffic', () => {
    const contacts = chainOf(CONTACT_VEHICLE, 1, party(0, F_CORNER_RADARS));
    const lights = F_TRAFFIC_LIGHT_RECOGNITION;
    expect(sentence(lights, lights | F_BRAKES, stopped, contacts)).toContain(
      'so nothing stopped the car at the traffic light;',
    );
    const assist = F_CORNER_RADARS | F_INTERSECTION_ASSIST | F_BRAKES;
    expect(sentence(F_CORNER_RADARS, assist, stopped, contacts)).toContain(
      'corner_radars were off, so nothing kept the car out of the way of the vehicle;',
    );
  });

  it('names the other members of a set, those of other cars by model and plate', () => {
    const contacts = chainOf(
      CONTACT_VEHICLE,
      -1,
      party(0, F_BRAKES | F_FRONT_CAMERA),
      party(1, F_STEERING),
    );
    const failures = [
      failure(F_BRAKES, F_BRAKES | F_FRONT_CAMERA, stopped),
      failure(F_FRONT_CAMERA, F_BRAKES | F_FRONT_CAMERA, stopped),
      failure(F_STEERING, F_STEERING, { what: 'passed', distanceM: 8 }, { car: 1 }),
    ];
    const shown = failuresOf({ failures, reruns: 9 }, contacts, context);
    const { model, plate } = fleet[1] ?? {};
    expect(shown.map(({ vin, feature, set }) => [vin, feature, set])).toEqual([
      [fleet[0]?.vin, 'brakes', 1],
      [fleet[0]?.vin, 'front_camera', 1],
      [fleet[1]?.vin, 'steering', 1],
    ]);
    expect(shown[0]?.explanation).toBe(
      'brakes were off, so the car could not brake for the other car; ' +
        `with them, front_camera and steering of the ${model} (plate ${plate}) the car would have stopped 3.2 m short.`,
    );
  });

  it('lists the degraded functions that the feature restores, not those that were off', () => {
    const contacts = chainOf(CONTACT_ANIMAL, 0, party(0, F_FRONT_CAMERA | F_EVASIVE_STEERING));
    const failures = [failure(F_FRONT_CAMERA, F_FRONT_CAMERA | F_ANIMAL_DETECTION, stopped)];
    expect(failuresOf({ failures, reruns: 3 }, contacts, context)[0]?.restores).toEqual([
      'animal_detection',
      'traffic_light_recognition',
    ]);
  });
});
