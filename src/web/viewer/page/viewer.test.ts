import { signal } from '@preact/signals';
import { beforeEach, expect, test, vi } from 'vitest';
import { FLEET, LifeDouble } from '../../../testing/doubles/life-double.ts';
import type { Phase } from './demonstration.ts';
import { Viewer } from './viewer.ts';

let life: LifeDouble;
vi.mock('../../common/media.ts', () => ({
  prefersReducedMotion: signal(false),
  isNarrow: signal(false),
}));
vi.mock('../../common/toasts.tsx', () => ({ showToast: () => {}, clearToasts: () => {} }));
vi.mock('../../common/visible.ts', () => ({ whileVisible: () => () => {} }));
vi.mock('../../common/page-setting.ts', () => ({ pageSetting: () => '' }));
vi.mock('../api/twin.ts', () => ({ readJournal: async () => ({ changes: [] }) }));
vi.mock('./live-world.ts', () => ({
  LiveWorld: class {
    readonly id = 'w';
    readonly life = signal(Object.assign(life, { begin: signal(undefined) }));
    readonly fleet = signal(FLEET);
    readonly latest = signal(null);
    readonly playback = { shown: { tick: 59_992 }, newest: undefined };
  },
}));

let viewer: Viewer;
beforeEach(() => {
  life = new LifeDouble();
  life.extent.value = [30_000, 60_000];
  viewer = new Viewer('w');
});

test('a link to a moment leads nowhere once the visitor tries something in a copy', () => {
  viewer.timeLine.openAt(12_345);
  viewer.askWhatIf();
  life.extent.value = [0, 60_050];
  expect([viewer.whatIf.isOpen.value, viewer.timeLine.isPast.value]).toEqual([true, false]);
});

test('an offer ends once the visitor looks at the past', () => {
  const offer = { car: FLEET[0], vin: 'A', feature: 'aeb', dueTick: 60_500 };
  viewer.demonstration.phase.value = { name: 'offer', offer } as unknown as Phase;
  viewer.timeLine.seek(40_000);
  expect(viewer.demonstration.phase.value.name).toBe('closed');
  expect(viewer.timeLine.isPast.value).toBe(true);
});
