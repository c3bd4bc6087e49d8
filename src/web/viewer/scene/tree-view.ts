import { Color, type Material } from 'three';
import type { Theme } from '../../common/theme.ts';
import { createTransform, InstancedBodies } from './geometry.ts';
import { colourOf } from './palette.ts';
import { type Tree, treeBody } from './trees.ts';

/** Draws the trees of a city. */
export class TreeView {
  readonly object;
  readonly #trees: readonly Tree[];
  readonly #instances: InstancedBodies;

  constructor(trees: readonly Tree[], material: Material) {
    this.#trees = trees;
    this.#instances = new InstancedBodies(treeBody(), material, Math.max(1, trees.length));
    this.object = this.#instances.object;
  }

  setTheme(theme: Theme): void {
    this.#instances.setTheme(theme);
    const transform = createTransform();
    const tone = new Color();
    this.#instances.clear();
    for (const { x, y, radiusM, heightM, leaf } of this.#trees) {
      transform.position.set(x, y, 0);
      transform.scale.set(radiusM, radiusM, heightM);
      const { r, g, b } = tone.setHex(colourOf(leaf, theme));
      this.#instances.add(transform, [r, g, b], 0, 0, 0);
    }
    this.#instances.flush();
  }
}
