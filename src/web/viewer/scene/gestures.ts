import { Vector2 } from 'three';
import type { CameraRig } from './camera-rig.ts';

const CLICK_PX = 6;
const TILT_PER_PX = 0.006;
const ROTATE_PER_PX = 0.006;
const WHEEL_LINE_PX = 16;
const WHEEL_STEP = 0.0018;
/** Two fingers that move in parallel tilt the view; twisting rotates it. */
const PAIR_TILT_PER_PX = 0.007;

interface Finger {
  x: number;
  y: number;
}

/**
 * One pointer drags the city, the wheel or a pinch zooms, the right button or two fingers tilt and
 * rotate. Calls `onMoved` when a drag moves the view.
 */
export function listenToGestures(
  canvas: HTMLCanvasElement,
  rig: CameraRig,
  onMoved: () => void,
): void {
  const fingers = new Map<number, Finger>();
  let travelPx = 0;
  let isTurning = false;

  const move = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    travelPx += Math.hypot(dx, dy);
    const other = [...fingers.values()].find((each) => each !== finger);
    if (travelPx >= CLICK_PX || other) {
      if (other) moveTwo(rig, canvas, finger, other, dx, dy);
      else if (isTurning) turn(rig, dx, dy);
      else {
        rig.panBy(dx, dy);
        onMoved();
      }
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
  };
  const down = (event: PointerEvent) => {
    if (fingers.size === 0) travelPx = 0;
    isTurning = event.button === 2 || event.ctrlKey || event.shiftKey;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
  };
  const up = (event: PointerEvent) => fingers.delete(event.pointerId);
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const px = event.deltaMode === 1 ? event.deltaY * WHEEL_LINE_PX : event.deltaY;
    const { left, top } = canvas.getBoundingClientRect();
    const factor = Math.exp(-Math.max(-150, Math.min(150, px)) * WHEEL_STEP);
    rig.zoomBy(factor, event.clientX - left, event.clientY - top);
  };
  // The end of a drag is no click.
  const click = (event: MouseEvent) => {
    if (travelPx >= CLICK_PX) event.stopImmediatePropagation();
  };
  canvas.style.touchAction = 'none';
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('click', click, { capture: true });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
}

function turn(rig: CameraRig, dx: number, dy: number): void {
  rig.rotateBy(dx * ROTATE_PER_PX);
  rig.tiltBy(-dy * TILT_PER_PX);
}

/** One of two fingers has moved: pinch, twist and parallel movement. */
function moveTwo(
  rig: CameraRig,
  canvas: HTMLCanvasElement,
  moved: Finger,
  other: Finger,
  dx: number,
  dy: number,
): void {
  const before = new Vector2(moved.x - other.x, moved.y - other.y);
  const after = before.clone().add({ x: dx, y: dy });
  if (before.length() < 1 || after.length() < 1) return;
  const { left, top } = canvas.getBoundingClientRect();
  const middleX = (moved.x + other.x) / 2 - left;
  const middleY = (moved.y + other.y) / 2 - top;
  rig.zoomBy(after.length() / before.length(), middleX, middleY);
  rig.rotateBy(Math.atan2(before.cross(after), before.dot(after)));
  // In a pinch, fingers move along the line between them; the rest is parallel movement.
  const across = Math.abs(before.x) / before.length();
  rig.tiltBy(-dy * PAIR_TILT_PER_PX * 0.5 * across);
}
