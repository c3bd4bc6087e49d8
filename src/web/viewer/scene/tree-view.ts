import { Color, type Material } from 'three';
import { applyTheme, InstancedBodies, movingGeometry, Transform } from './geometry.ts';
import { colourOf } from './palette.ts';
import { type Tree, treeBody } from './trees.ts';
import type { Theme } from './types.ts';

/** Draws the trees of a city. */
export class TreeView {
  readonly object;
  readonly #trees: readonly Tree[];
  readonly #instances: InstancedBodies;
  readonly #body = treeBody();
  readonly #geometry = movingGeometry(this.#body);

  constructor(trees: readonly Tree[], material: Material) {
    this.#trees = trees;
    this.#instances = new InstancedBodies(this.#geometry, material, Math.max(1, trees.length));
    this.object = this.#instances.object;
  }

  setTheme(theme: Theme): void {
    applyTheme(this.#geometry, this.#body, theme);
    const transform = new Transform();
    const tone = new Color();
    this.#instances.clear();
    for (const { x, y, radiusM, heightM, leaf } of this.#trees) {
      transform.x = x;
      transform.y = y;
      transform.scaleX = transform.scaleY = radiusM;
      transform.scaleZ = heightM;
      const { r, g, b } = tone.setHex(colourOf(leaf, theme));
      this.#instances.add(transform, [r, g, b], 0, 0, 0);
    }
    this.#instances.flush();
  }
}
