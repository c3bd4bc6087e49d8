import { expect, it } from 'vitest';
import { F_ALL } from '../../../../assembly/layout.ts';
import { FEATURES, featureState } from '../../../twin/catalogue.ts';
import type { Feature } from '../api/types.ts';
import { stateIn } from './needs.ts';

it('a feature of a copy works, or lacks something, as the service says of a car', () => {
  const catalogue = FEATURES as unknown as readonly Feature[];
  for (let declared = 0; declared <= F_ALL; declared++) {
    const state = featureState(declared);
    const isOn = (name: string) => state.declared[name as Feature['name']];
    for (const { name } of catalogue) {
      const { effective, missing } = stateIn(catalogue, name, isOn);
      expect([effective, missing]).toEqual([state.effective[name], state.missing[name] ?? []]);
    }
  }
});
