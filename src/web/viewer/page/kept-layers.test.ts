import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { USUAL_LAYERS } from '../scene/layers.ts';
import { readLayers, storeLayers } from './kept-layers.ts';

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  vi.stubGlobal('window', { localStorage });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('the layers are the usual ones for whoever changed none, and nothing is kept', () => {
  expect(readLayers()).toEqual(USUAL_LAYERS);
  storeLayers(USUAL_LAYERS);
  expect(kept.size).toBe(0);
});

test('[P32] the layers are as they were left, in both directions', () => {
  const changed = { ...USUAL_LAYERS, sight: true, spots: false };
  storeLayers(changed);
  expect(readLayers()).toEqual(changed);
  storeLayers(USUAL_LAYERS);
  expect([readLayers(), kept.size]).toEqual([USUAL_LAYERS, 0]);
});

test('a layer that there is no more changes nothing', () => {
  kept.set('viewer.layers', 'tunnels zones');
  expect(readLayers()).toEqual({ ...USUAL_LAYERS, zones: false });
});

test('the layers are the usual ones where the browser stores nothing', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  vi.stubGlobal('window', { localStorage: { getItem: refuse, setItem: refuse } });
  storeLayers({ ...USUAL_LAYERS, zones: false });
  expect(readLayers()).toEqual(USUAL_LAYERS);
});
