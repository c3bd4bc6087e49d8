import { describe, expect, test } from 'vitest';
import * as layout from '../../assembly/layout.ts';
import {
  effectiveMask,
  FEATURE_NAMES,
  FEATURES,
  featureBit,
  featureSetting,
  featureState,
  maskOf,
  namesOf,
} from './catalogue.ts';

const MASKS = Array.from({ length: layout.F_ALL + 1 }, (_, mask) => mask);

/** The needs of the functions, written a second time by hand. */
function oracle(declared: Record<string, boolean>): Record<string, 'on' | 'off' | 'degraded'> {
  const whole: Record<string, boolean | undefined> = {
    aeb: declared.brakes && (declared.front_radar || declared.front_camera),
    animal_detection: declared.front_camera,
    evasive_steering: declared.steering && declared.front_camera,
    traffic_light_recognition: declared.front_camera && declared.brakes,
    intersection_assist: declared.corner_radars && declared.brakes,
    esc: declared.brakes && declared.steering,
  };
  return Object.fromEntries(
    Object.entries(declared).map(([name, on]) => [
      name,
      !on ? 'off' : (whole[name] ?? true) ? 'on' : 'degraded',
    ]),
  );
}

describe('the catalogue', () => {
  test('describes each feature in the order of the bits', () => {
    expect(FEATURES.map(({ name }) => name)).toEqual(FEATURE_NAMES);
  });

  test('has the bits of the kernel in its order', () => {
    const kernelBits = FEATURE_NAMES.map(
      (name) => (layout as Record<string, unknown>)[`F_${name.toUpperCase()}`],
    );
    expect(FEATURE_NAMES.map(featureBit)).toEqual(kernelBits);
    expect(kernelBits).toEqual(FEATURE_NAMES.map((_, index) => 1 << index));
    expect(maskOf(FEATURE_NAMES)).toBe(layout.F_ALL);
  });

  test('shows only functions to owners, and only functions have needs', () => {
    for (const { group, needs, owner_menu, description } of FEATURES) {
      expect(owner_menu).toBe(group === 'function');
      expect(needs.length > 0).toBe(group === 'function');
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
    expect(FEATURES.map(({ group }) => group[0]).join('')).toBe('aaasssffffff');
  });

  test('writes alternatives as a list in the list', () => {
    expect(FEATURES.find(({ name }) => name === 'aeb')?.needs).toEqual([
      'brakes',
      ['front_radar', 'front_camera'],
    ]);
  });

  test.each(['constructor', '__proto__', 'toString', 'Brakes', ' brakes', ''])(
    'does not know the feature %j',
    (name) => {
      expect(featureBit(name)).toBeUndefined();
    },
  );

  test('converts masks to names and back', () => {
    for (const mask of MASKS) expect(maskOf(namesOf(mask))).toBe(mask);
  });
});

describe('the feature state of a car', () => {
  test('follows the needs for every combination of switches', () => {
    for (const mask of MASKS) {
      const { declared, effective } = featureState(mask);
      expect(declared).toEqual(
        Object.fromEntries(FEATURE_NAMES.map((name, bit) => [name, ((mask >> bit) & 1) === 1])),
      );
      expect(effective).toEqual(oracle(declared));
      const on = FEATURE_NAMES.filter((name) => effective[name] === 'on');
      expect(effectiveMask(mask)).toBe(maskOf(on));
    }
  });

  test('[F8] has missing features exactly for degraded functions, and only features that are off', () => {
    for (const mask of MASKS) {
      const { declared, effective, missing } = featureState(mask);
      const degraded = FEATURE_NAMES.filter((name) => effective[name] === 'degraded');
      expect(Object.keys(missing)).toEqual(degraded);
      for (const lacking of Object.values(missing)) {
        expect(lacking.length).toBeGreaterThan(0);
        expect(lacking.filter((name) => declared[name])).toEqual([]);
      }
    }
  });

  test('is no longer degraded once the missing features are switched on', () => {
    for (const mask of MASKS) {
      const lacking = maskOf(Object.values(featureState(mask).missing).flat());
      expect(effectiveMask(mask | lacking)).toBe(mask | lacking);
    }
  });

  test('[F8] lists all alternatives of an unmet need, in catalogue order', () => {
    const declared = maskOf(['aeb', 'brakes']);
    expect(featureState(declared).missing).toEqual({ aeb: ['front_camera', 'front_radar'] });
    expect(featureState(maskOf(['aeb'])).missing).toEqual({
      aeb: ['brakes', 'front_camera', 'front_radar'],
    });
    expect(featureState(maskOf(['aeb', 'front_radar'])).missing).toEqual({ aeb: ['brakes'] });
  });

  test('has all twelve names in catalogue order in both maps', () => {
    const { declared, effective } = featureState(0);
    expect(Object.keys(declared)).toEqual(FEATURE_NAMES);
    expect(Object.keys(effective)).toEqual(FEATURE_NAMES);
  });

  test('is the same for a single feature', () => {
    for (const mask of MASKS) {
      const state = featureState(mask);
      for (const name of FEATURE_NAMES) {
        expect(featureSetting(mask, name)).toEqual({
          name,
          enabled: state.declared[name],
          effective: state.effective[name],
          missing: state.missing[name] ?? [],
        });
      }
    }
  });
});
