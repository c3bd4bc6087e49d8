/** What part of the city is seen, and the mouse and fingers that move it. */

const SCALE_MAX_PX_PER_M = 40;
const CLICK_PX = 6;

export class View {
  /** The centre, metres. */
  x = 0;
  y = 0;
  /** CSS pixels a metre. */
  scale = 1;
  /** True after every change, until the city is drawn again. */
  moved = true;
  /** The whole city is shown, and stays so when the window changes its size. */
  #fitted = true;
  #widthPx = 1;
  #heightPx = 1;
  #bounds;

  /** @param {{min_x: number, min_y: number, max_x: number, max_y: number}} bounds */
  constructor(bounds) {
    this.#bounds = bounds;
  }

  /** @param {number} widthPx @param {number} heightPx */
  resize(widthPx, heightPx) {
    this.#widthPx = widthPx;
    this.#heightPx = heightPx;
    this.moved = true;
    if (this.#fitted) this.fit();
  }

  get #fitScale() {
    const { min_x, min_y, max_x, max_y } = this.#bounds;
    return Math.min(this.#widthPx / (max_x - min_x), this.#heightPx / (max_y - min_y)) * 0.96;
  }

  fit() {
    const { min_x, min_y, max_x, max_y } = this.#bounds;
    this.scale = this.#fitScale;
    this.centre((min_x + max_x) / 2, (min_y + max_y) / 2);
    this.#fitted = true;
  }

  /** @param {number} x @param {number} y */
  centre(x, y) {
    const { min_x, min_y, max_x, max_y } = this.#bounds;
    this.x = Math.min(Math.max(x, min_x), max_x);
    this.y = Math.min(Math.max(y, min_y), max_y);
    this.moved = true;
    this.#fitted = false;
  }

  /** @param {number} dxPx @param {number} dyPx */
  pan(dxPx, dyPx) {
    this.centre(this.x - dxPx / this.scale, this.y + dyPx / this.scale);
  }

  /** Keeps the metre under the pixel. @param {number} factor @param {number} [xPx] @param {number} [yPx] */
  zoom(factor, xPx = this.#widthPx / 2, yPx = this.#heightPx / 2) {
    const before = this.toMetres(xPx, yPx);
    const lowest = this.#fitScale * 0.6;
    this.scale = Math.min(Math.max(this.scale * factor, lowest), SCALE_MAX_PX_PER_M);
    const after = this.toMetres(xPx, yPx);
    this.centre(this.x + before.x - after.x, this.y + before.y - after.y);
  }

  /** @param {number} xPx @param {number} yPx */
  toMetres(xPx, yPx) {
    return {
      x: this.x + (xPx - this.#widthPx / 2) / this.scale,
      y: this.y - (yPx - this.#heightPx / 2) / this.scale,
    };
  }

  /** @param {CanvasRenderingContext2D} ctx */
  applyTo(ctx) {
    const { width, height } = ctx.canvas;
    const k = (this.scale * width) / this.#widthPx;
    ctx.setTransform(k, 0, 0, -k, width / 2 - this.x * k, height / 2 + this.y * k);
  }
}

/**
 * One pointer drags, two pinch, the wheel zooms.
 *
 * @param {HTMLElement} stage @param {View} view
 * @param {{click(xPx: number, yPx: number): void, drag(): void}} on
 */
export function listenToPointers(stage, view, on) {
  /** @type {Map<number, PointerEvent>} */
  const down = new Map();
  let travelPx = 0;

  const pinch = () => {
    const [a, b] = [...down.values()];
    if (!a || !b) return undefined;
    const [dx, dy] = [a.clientX - b.clientX, a.clientY - b.clientY];
    return { px: Math.hypot(dx, dy), x: b.clientX + dx / 2, y: b.clientY + dy / 2 };
  };
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    if (down.size === 0) travelPx = 0;
    down.set(event.pointerId, event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener('pointermove', (event) => {
    const last = down.get(event.pointerId);
    if (!last) return;
    const before = pinch();
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    down.set(event.pointerId, event);
    travelPx += Math.hypot(dx, dy);
    if (travelPx < CLICK_PX) return;
    on.drag();
    view.pan(dx / down.size, dy / down.size);
    const after = pinch();
    if (before && after) view.zoom(after.px / Math.max(1, before.px), after.x, after.y);
  });
  /** @param {PointerEvent} event */
  const lift = (event) => {
    const wasDown = down.delete(event.pointerId);
    if (wasDown && travelPx < CLICK_PX) on.click(event.clientX, event.clientY);
  };
  stage.addEventListener('pointerup', lift);
  stage.addEventListener('pointercancel', (event) => down.delete(event.pointerId));
  stage.addEventListener('wheel', (event) => {
    event.preventDefault();
    const px = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    const factor = Math.exp(-Math.max(-120, Math.min(120, px)) * 0.0022);
    view.zoom(factor, event.clientX, event.clientY);
  });
}
