import { signal } from '@preact/signals';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Perception } from '../api/types.ts';
import type { CarSight } from './car-sight.ts';

type Intent = Perception['intent'];
type Given = ConstructorParameters<typeof CarSight>;

const OTHER = { vin: 'OTHER', plate: 'TD 996 VL', model: 'Lumen City', colour: 'teal' };

let sight: CarSight;
beforeAll(async () => {
  vi.stubGlobal('document', new EventTarget());
  const { CarSight } = await import('./car-sight.ts');
  const live = {
    fleet: signal([OTHER]),
    latest: signal({ hazards: [{ id: 'h1', kind: 'parked_row_child' }] }),
  };
  sight = new CarSight(live as unknown as Given[0], { vin: signal(null) } as unknown as Given[1]);
});

const intentOf = (action: Intent['action'], about: Partial<Intent> = {}) =>
  sight.intentOf({ intent: { vin: null, hazard: null, action, ...about } } as Perception);

describe('[P32] what a car does', () => {
  const car = { vin: OTHER.vin };
  const child = { hazard: 'h1' };
  it.each<[string, Intent['action'], Partial<Intent>]>([
    ['', 'driving', {}],
    ['', 'driving', car],
    ['', 'crashed', {}],
    ['Following TD 996 VL', 'following', car],
    ['Following', 'following', {}],
    ['Braking hard for a child', 'emergency_braking', child],
    ['Braking hard for TD 996 VL', 'emergency_braking', car],
    ['Braking hard', 'emergency_braking', { hazard: 'unheard of' }],
    ['Swerving around a child', 'evading', child],
    ['Swerving', 'evading', {}],
    ['Stopping for the light', 'stopping_for_light', {}],
    ['Braking', 'braking', {}],
    ['Yielding', 'yielding', car],
    ['Standing', 'standing', {}],
  ])('is said as “%s”: %s %o', (words, action, about) => {
    expect(intentOf(action, about)).toBe(words);
  });
});
