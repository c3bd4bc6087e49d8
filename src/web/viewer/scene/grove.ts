import { Color, type Material } from 'three';
import { Crowd, coat, movingGeometry, Stance } from './geometry.ts';
import { colourOf } from './palette.ts';
import { type Tree, treeBody } from './trees.ts';
import type { Theme } from './types.ts';

/** All trees of a city in one go. */
export class Grove {
  readonly object;
  readonly #trees: readonly Tree[];
  readonly #crowd: Crowd;
  readonly #body = treeBody();
  readonly #geometry = movingGeometry(this.#body);

  constructor(trees: readonly Tree[], material: Material) {
    this.#trees = trees;
    this.#crowd = new Crowd(this.#geometry, material, Math.max(1, trees.length));
    this.object = this.#crowd.object;
  }

  setTheme(theme: Theme): void {
    coat(this.#geometry, this.#body, theme);
    const stance = new Stance();
    const tone = new Color();
    this.#crowd.clear();
    for (const { x, y, radiusM, heightM, leaf } of this.#trees) {
      stance.x = x;
      stance.y = y;
      stance.scaleX = stance.scaleY = radiusM;
      stance.scaleZ = heightM;
      const { r, g, b } = tone.setHex(colourOf(leaf, theme));
      this.#crowd.add(stance, [r, g, b], 0, 0, 0);
    }
    this.#crowd.flush();
  }
}
