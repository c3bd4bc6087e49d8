import { readStored, store } from '../../common/storage.ts';
import { LAYERS, type Layers, USUAL_LAYERS } from '../scene/layers.ts';

const CHANGED = ['localStorage', 'viewer.layers'] as const;

/** The layers as this visitor had them last. */
export function readLayers(): Layers {
  const changed = (readStored(...CHANGED) ?? '').split(' ');
  const isOn = (layer: (typeof LAYERS)[number]) => USUAL_LAYERS[layer] !== changed.includes(layer);
  return Object.fromEntries(LAYERS.map((layer) => [layer, isOn(layer)])) as unknown as Layers;
}

export function storeLayers(layers: Layers): void {
  const changed = LAYERS.filter((layer) => layers[layer] !== USUAL_LAYERS[layer]);
  store(...CHANGED, changed.length === 0 ? null : changed.join(' '));
}
