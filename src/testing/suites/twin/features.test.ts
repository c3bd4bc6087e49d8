import { beforeAll, describe, expect, test } from 'vitest';
import { effectiveMask } from '../../../twin/catalogue.ts';
import { makeKernel } from '../../rigs/kernel.ts';
import { useTwin, vinOf } from './api.ts';
import { CATALOGUE, FEATURES, type FeatureName, type World } from './wire.ts';

const api = useTwin();
let world: World;
let nextCar = 0;
beforeAll(async () => {
  world = await api.makeWorld();
});

const ofEach = <T>(value: T) => Object.fromEntries(FEATURES.map((name) => [name, value]));
const ALL_ON = { declared: ofEach(true), effective: ofEach('on'), missing: {} };

/** A car that no test has touched yet. */
async function untouched(): Promise<string> {
  if (nextCar === 20) {
    world = await api.makeWorld();
    nextCar = 0;
  }
  return vinOf(world, nextCar++);
}

const stateOf = (vin: string) => api.vehicle('FeatureState', vin, '/features');
const put = (vin: string, name: string, enabled: boolean) => {
  const ask = { method: 'PUT', json: { enabled } };
  return api.vehicle('FeatureSetting', vin, `/features/${name}`, ask);
};
const reset = (vin: string) =>
  api.vehicle('FeatureState', vin, '/features/reset', { method: 'POST' });

describe('the feature catalogue', () => {
  test('[F1] has twelve features with their groups and needs, in order', async () => {
    const { features } = await api.get('Catalogue', '/api/v1/features');
    expect(features.map(({ name, group, needs }) => [name, group, needs])).toEqual(CATALOGUE);
  });

  test('[F2] shows functions, and only those, in the owner’s menu', async () => {
    const { features } = await api.get('Catalogue', '/api/v1/features');
    const shown = features.filter(({ owner_menu }) => owner_menu).map(({ name }) => name);
    const functions = CATALOGUE.filter(([, group]) => group === 'function');
    expect(shown).toEqual(functions.map(([name]) => name));
  });
});

describe('the features of a car', () => {
  test('[F3] are all declared on and effective in a new world', async () => {
    const state = await stateOf(await untouched());
    expect(state).toEqual(ALL_ON);
    expect(Object.keys(state.declared)).toEqual(FEATURES);
    expect(Object.keys(state.effective)).toEqual(FEATURES);
  });

  test('[F4] are of that car alone', async () => {
    const [vin, other] = [await untouched(), await untouched()];
    await api.patch(vin, { steering: false });
    expect(await stateOf(other)).toEqual(ALL_ON);
  });

  test('are part of everything about the car', async () => {
    const vin = await untouched();
    const state = await api.patch(vin, { corner_radars: false });
    expect((await api.vehicle('Vehicle', vin)).configuration).toEqual(state);
  });
});

describe('PATCH', () => {
  test('[F9] switches any number of features and answers with the state after it', async () => {
    const vin = await untouched();
    const state = await api.patch(vin, { brakes: false, esc: false, throttle: true });
    expect(state).toEqual({
      declared: { ...ALL_ON.declared, brakes: false, esc: false },
      effective: {
        ...ALL_ON.effective,
        brakes: 'off',
        esc: 'off',
        aeb: 'degraded',
        traffic_light_recognition: 'degraded',
        intersection_assist: 'degraded',
      },
      missing: {
        aeb: ['brakes'],
        traffic_light_recognition: ['brakes'],
        intersection_assist: ['brakes'],
      },
    });
    expect(await stateOf(vin)).toEqual(state);
  });

  test('[F10] of nothing changes nothing', async () => {
    expect(await api.patch(await untouched(), {})).toEqual(ALL_ON);
  });

  test('[F7] reports a function whose need is switched back on as on again', async () => {
    const vin = await untouched();
    await api.patch(vin, { front_camera: false });
    expect(await api.patch(vin, { front_camera: true })).toEqual(ALL_ON);
  });

  test.each([
    [{ brakes: false, radio: true }, 'unknown_feature'],
    [{ radio: true, brakes: false }, 'unknown_feature'],
    [{ brakes: false, esc: 'off' }, 'invalid_value'],
    [{ brakes: false, esc: null }, 'invalid_value'],
    [{ brakes: false, esc: 0 }, 'invalid_value'],
    [{ brakes: false, esc: [true] }, 'invalid_value'],
  ])('[F10] of %j changes nothing at all', async (features, code) => {
    const vin = await untouched();
    const ask = { method: 'PATCH', vin, json: features };
    expect(await api.refusal('/api/v1/vehicle/features', ask)).toEqual([400, code]);
    expect(await stateOf(vin)).toEqual(ALL_ON);
  });

  test('[F11] of one car from many clients at once ends with each change in force', async () => {
    const vin = await untouched();
    await Promise.all(FEATURES.map((name) => api.patch(vin, { [name]: false })));
    const { declared } = await stateOf(vin);
    expect(Object.values(declared)).toEqual(FEATURES.map(() => false));
  });
});

describe('PUT', () => {
  test('[F12] sets one feature and tells of that one', async () => {
    const vin = await untouched();
    const off = { name: 'steering', enabled: false, effective: 'off', missing: [] };
    expect(await put(vin, 'steering', false)).toEqual(off);
    expect(await put(vin, 'steering', false)).toEqual(off);
    const on = { name: 'steering', enabled: true, effective: 'on', missing: [] };
    expect(await put(vin, 'steering', true)).toEqual(on);
  });

  test('[F11] answers each of many clients with what came of its own change', async () => {
    const vin = await untouched();
    const asked = Array.from({ length: 40 }, (_, i) => i % 2 === 1);
    const answers = await Promise.all(asked.map((enabled) => put(vin, 'steering', enabled)));
    expect(answers.map(({ enabled }) => enabled)).toEqual(asked);
    const states = await Promise.all(asked.map((steering) => api.patch(vin, { steering })));
    expect(states.map(({ declared }) => declared.steering)).toEqual(asked);
  });

  test('[F12] tells of a function that is degraded what it lacks', async () => {
    const vin = await untouched();
    await api.patch(vin, { front_camera: false, front_radar: false, aeb: false });
    expect(await put(vin, 'aeb', true)).toEqual({
      name: 'aeb',
      enabled: true,
      effective: 'degraded',
      missing: ['front_camera', 'front_radar'],
    });
    await api.patch(vin, { brakes: false });
    const { missing } = await put(vin, 'traffic_light_recognition', true);
    expect(missing.toSorted()).toEqual(['brakes', 'front_camera']);
  });

  test.each(FEATURES)('takes %s', async (name) => {
    const vin = await untouched();
    expect(await put(vin, name, false)).toMatchObject({ name, enabled: false, effective: 'off' });
    const { declared } = await stateOf(vin);
    expect(declared).toEqual({ ...ALL_ON.declared, [name]: false });
  });
});

describe('reset', () => {
  test('[F13] switches every feature back on, without a body', async () => {
    const vin = await untouched();
    await api.patch(vin, ofEach(false));
    expect(await reset(vin)).toEqual(ALL_ON);
    expect(await stateOf(vin)).toEqual(ALL_ON);
    expect(await reset(vin)).toEqual(ALL_ON);
  });
});

describe('a change', () => {
  test('[F14] makes one configuration event for each feature that changed, at the change’s tick', async () => {
    const other = await api.makeWorld();
    const vin = vinOf(other, 6);
    await api.patch(vin, { brakes: false, esc: false, throttle: true });
    await api.patch(vin, { brakes: false, esc: true });
    await api.patch(vin, { brakes: false });
    const [first, second] = (await api.world('Journal', other, '/journal')).changes;
    const events = await api.world('Events', other, '/events');
    const told = events.filter(({ kind }) => kind === 'configuration');
    expect(told.map(({ vin, feature, tick }) => [vin, feature, tick])).toEqual([
      [vin, 'brakes', first?.tick],
      [vin, 'esc', first?.tick],
      [vin, 'esc', second?.tick],
    ]);
    for (const { hazard, incident } of told) expect([hazard, incident]).toEqual([null, null]);
  });
});

// ── declared and effective ───────────────────────────────────────────────────────────────────

type Has = (name: FeatureName) => boolean;

const NEEDS = new Map(CATALOGUE.map(([name, , needs]) => [name, needs]));

/** What a feature lacks; of needs of which one is enough, all. */
function lacks(name: FeatureName, on: Has): FeatureName[] {
  return (NEEDS.get(name) ?? []).filter((need) => ![need].flat().some(on)).flat();
}

/** Whether a feature works in a car with these features switched on. */
const works = (name: FeatureName, on: Has) => on(name) && lacks(name, on).length === 0;

const hasIn =
  (mask: number): Has =>
  (name) =>
    Math.floor(mask / 2 ** FEATURES.indexOf(name)) % 2 === 1;

function expectedMask(declared: number): number {
  return FEATURES.reduce(
    (mask, name, bit) => mask + (works(name, hasIn(declared)) ? 2 ** bit : 0),
    0,
  );
}

const ALL_MASKS = Array.from({ length: 4096 }, (_, mask) => mask);
const expected = ALL_MASKS.map(expectedMask);

describe('the effective configuration of all 4,096 declared ones', () => {
  test('[F5] is as the needs say in the catalogue of the service', () => {
    expect(ALL_MASKS.map(effectiveMask)).toEqual(expected);
  });

  test('[F6] is as the needs say in the kernel that drives the cars', () => {
    const kernel = makeKernel(0);
    expect(ALL_MASKS.map((mask) => kernel.effectiveMask(mask))).toEqual(expected);
  });
});

describe('the effective configuration of a car', () => {
  async function check(vin: string, declared: number): Promise<void> {
    const on = hasIn(declared);
    const state = await api.patch(
      vin,
      Object.fromEntries(FEATURES.map((name) => [name, on(name)])),
    );
    for (const name of FEATURES) {
      expect(state.declared[name]).toBe(on(name));
      const whole = on(name) ? (works(name, on) ? 'on' : 'degraded') : 'off';
      expect(state.effective[name]).toBe(whole);
      const missing = whole === 'degraded' ? lacks(name, on).toSorted() : undefined;
      expect(state.missing[name]?.toSorted()).toEqual(missing);
    }
  }

  test('[F5] with every combination of parts under all functions is as the needs say', async () => {
    const vin = await untouched();
    for (let parts = 0; parts < 64; parts++) await check(vin, 4032 + parts);
  });

  test('with any features off is as the needs say', async () => {
    // Steps by a number without a common divisor: 64 masks from all over.
    const vin = await untouched();
    for (let i = 0; i < 64; i++) await check(vin, (i * 1597) % 4096);
  });
});
