import { expect, test } from 'vitest';
import {
  EVENT_COLLISION,
  EVENT_CONFIGURATION,
  EVENT_HAZARD,
  EVENT_INTERVENTION,
  OTHER_ACTOR,
} from '../../assembly/layout.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { eventOf, type RawEvent } from './events.ts';

const FLEET = ['Vela', 'Terra'].map((model, car) => ({
  vin: `VIN${car}`,
  model,
  plate: `AB ${car}`,
  colour: 'teal',
}));
const CONTEXT = {
  fleet: FLEET,
  hazards: [
    { id: 'h1', kind: 'deer_crossing', site: { actor: { name: 'deer' } } },
    { id: 'h2', kind: 'wet_crest', site: { actor: { name: 'obstacle' } } },
    { id: 'h3', kind: 'ice_bend', site: { actor: null } },
  ],
};
const RAW: RawEvent = {
  seq: 5,
  tick: 1234,
  kind: EVENT_CONFIGURATION,
  car: 0,
  feature: FEATURE_NAMES.indexOf('front_camera'),
  hazard: -1,
  arg: 0,
  other: -1,
};

function event(fields: Partial<RawEvent>) {
  return eventOf({ ...RAW, ...fields }, CONTEXT);
}

test('a configuration event names car and feature', () => {
  expect(event({})).toEqual({
    seq: 5,
    tick: 1234,
    time: 24.68,
    kind: 'configuration',
    vin: 'VIN0',
    feature: 'front_camera',
    hazard: null,
    incident: null,
    consequence: null,
    distance: null,
    count: 1,
    message: 'Vela (plate AB 0): front camera was switched off.',
  });
  expect(event({ arg: 1 }).message).toBe('Vela (plate AB 0): front camera was switched on.');
});

test('[I30] an intervention names the function and the hazard spot', () => {
  const acted = event({ kind: EVENT_INTERVENTION, feature: FEATURE_NAMES.indexOf('aeb') });
  expect(acted).toMatchObject({ kind: 'intervention', feature: 'aeb', hazard: null });
  expect(acted.message).toBe('Vela (plate AB 0): aeb intervened.');
  expect(event({ kind: EVENT_INTERVENTION, hazard: 0 })).toMatchObject({
    hazard: 'h1',
    message: 'Vela (plate AB 0): front camera intervened at a deer crossing (h1).',
  });
});

test('[I30] a hazard event names the spot, and the car if there is one', () => {
  const hazard = { kind: EVENT_HAZARD, feature: -1, hazard: 0 };
  expect(event(hazard)).toMatchObject({
    kind: 'hazard',
    vin: 'VIN0',
    feature: null,
    hazard: 'h1',
    message: 'A deer leapt onto the road (h1) ahead of Vela (plate AB 0).',
  });
  expect(event({ ...hazard, car: -1 })).toMatchObject({
    vin: null,
    message: 'A deer leapt onto the road (h1).',
  });
});

test('a collision event names its incident and what was hit', () => {
  const collision = { kind: EVENT_COLLISION, feature: 1200, arg: 2 };
  expect(event({ ...collision, other: 1 })).toMatchObject({
    kind: 'collision',
    vin: 'VIN0',
    feature: null,
    incident: 'i1200-2',
    message: 'Vela (plate AB 0) collided with Terra (plate AB 1).',
  });
  expect(event(collision).message).toBe('Vela (plate AB 0) collided with a building.');
  expect(event({ ...collision, feature: 3 })).toMatchObject({ feature: null, incident: 'i3-2' });
});

test('a collision with a permanent body of a spot says that the car left its lane', () => {
  const collision = { kind: EVENT_COLLISION, feature: 1200, arg: 0, other: -1 };
  const messageAt = (hazard: number) => event({ ...collision, hazard }).message;
  expect(messageAt(0)).toBe(
    'Vela (plate AB 0) left its lane at a deer crossing (h1) and hit a hedge.',
  );
  expect(messageAt(2)).toBe(
    'Vela (plate AB 0) left its lane at an icy bend (h3) and hit a bollard.',
  );
  expect(event({ ...collision, hazard: 2 })).toMatchObject({ kind: 'collision', hazard: 'h3' });
});

test('a collision with the actor of a spot names it', () => {
  const collision = { kind: EVENT_COLLISION, feature: 1200, arg: 0, other: OTHER_ACTOR };
  const deer = event({ ...collision, hazard: 0 });
  expect(deer).toMatchObject({ hazard: 'h1', incident: 'i1200-0' });
  expect(deer.message).toBe('Vela (plate AB 0) collided with a deer (h1).');
  const obstacle = event({ ...collision, hazard: 1 });
  expect(obstacle.message).toBe('Vela (plate AB 0) collided with an obstacle (h2).');
});
