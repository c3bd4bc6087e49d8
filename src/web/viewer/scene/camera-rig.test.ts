import { beforeEach, describe, expect, it } from 'vitest';
import { DISTANCE_MIN_M, groundUnder, NORTH, project, TILT_MAX } from './camera.ts';
import { CameraRig } from './camera-rig.ts';
import { areInView } from './framing.ts';

const BOUNDS = { min_x: -300, min_y: -300, max_x: 300, max_y: 300 };
const CAR = { x: 120, y: -40, heading: 0.5 };

describe('the camera rig', () => {
  let rig: CameraRig;
  beforeEach(() => {
    rig = new CameraRig(BOUNDS);
    rig.resize(800, 600);
    rig.advance(0, null);
  });

  const settle = (car: typeof CAR | null = null) => {
    for (let i = 0; i < 40; i++) rig.advance(0.1, car);
  };

  it('shows the whole city from above at first, and after the canvas has changed', () => {
    expect(rig.pose).toMatchObject({ x: 0, y: 0, tilt: 0, bearing: NORTH });
    const before = rig.pose.distance;
    rig.resize(500, 600);
    rig.advance(0.1, null);
    // As wide as high is the city: now the width decides, and there is 600 / 500 less of it.
    expect(rig.pose.distance / before).toBeCloseTo(1.2, 9);
  });

  it('begins nearer on a phone, and shows the whole city there where it is asked to', () => {
    const widthPx = () => {
      const [left, right] = [-300, 300].map((x) => project(rig.pose, rig.view, x, 0, 0).xPx);
      return (right ?? 0) - (left ?? 0);
    };
    rig.resize(390, 728);
    rig.advance(0, null);
    expect(widthPx()).toBeGreaterThan(500);
    rig.showAll();
    settle();
    expect(widthPx()).toBeLessThan(390);
    // It stays whole when a sheet takes a part of the canvas.
    rig.resize(390, 440);
    rig.advance(0, null);
    expect(widthPx()).toBeLessThan(390);
    rig.setMode('follow');
    rig.setMode('city');
    rig.resize(390, 728);
    settle();
    expect(widthPx()).toBeGreaterThan(500);
  });

  it('is over the picked car, north up, when it follows', () => {
    rig.setMode('follow');
    settle(CAR);
    expect(rig.pose.x).toBeCloseTo(120, 9);
    expect(rig.pose.y).toBeCloseTo(-40, 9);
    expect(rig.pose.bearing).toBeCloseTo(NORTH, 9);
    rig.advance(0.016, { ...CAR, x: 125 });
    expect(rig.pose.x).toBeCloseTo(125, 9);
  });

  it('is behind the picked car when it chases, and swings round after it', () => {
    rig.setMode('chase');
    settle(CAR);
    expect(rig.pose.bearing).toBeCloseTo(0.5, 6);
    const car = project(rig.pose, rig.view, CAR.x, CAR.y, 0);
    expect(car.xPx).toBeCloseTo(400, 6);
    expect(car.yPx).toBeGreaterThan(300);
    rig.advance(0.35, { ...CAR, heading: 1.5 });
    // After one time constant 1 − 1/e of the turn is made.
    expect(rig.pose.bearing).toBeCloseTo(0.5 + (1 - Math.exp(-1)), 6);
  });

  describe('is used elsewhere as it is here', () => {
    const focus = { places: [[100, 50] as const, [108, 58] as const], bearing: 1, trails: [] };
    const acts: Record<string, () => void> = {
      'that comes nearer, tilts and turns': () => {
        rig.zoomBy(1.5);
        rig.tiltBy(-0.2);
        rig.rotateBy(0.4);
      },
      'as it begins': () => {},
    };
    const cases = (['city', 'follow', 'chase', 'parties'] as const).flatMap((mode) =>
      Object.keys(acts).map((name) => [mode, name] as const),
    );
    it.each(cases)('[P5] in the mode %s, by a visitor %s', (mode, name) => {
      const look = (each: CameraRig) => {
        for (let i = 0; i < 40; i++) each.advance(0.1, CAR, focus);
      };
      rig.setMode(mode);
      look(rig);
      acts[name]?.();
      look(rig);
      const { camera, view } = rig.use;
      expect([camera, view === null]).toEqual([mode, name === 'as it begins']);
      const other = new CameraRig(BOUNDS);
      other.resize(800, 600);
      other.setMode(camera);
      if (view !== null) other.show(view);
      look(other);
      for (const [part, value] of Object.entries(rig.pose)) {
        expect(other.pose[part as keyof typeof other.pose]).toBeCloseTo(value, 6);
      }
    });
  });

  it('moves gradually, or at once with reduced motion', () => {
    rig.setMode('follow');
    rig.advance(0.1, CAR);
    expect(rig.pose.x).toBeGreaterThan(0);
    expect(rig.pose.x).toBeLessThan(60);
    rig.reducedMotion = true;
    rig.advance(0.1, CAR);
    expect(rig.pose.x).toBe(120);
  });

  it('moves gradually to another car', () => {
    rig.setMode('follow');
    settle(CAR);
    rig.changeCar();
    rig.advance(0.1, { ...CAR, x: -200 });
    expect(rig.pose.x).toBeGreaterThan(0);
    settle({ ...CAR, x: -200 });
    expect(rig.pose.x).toBe(-200);
  });

  it('stops following when the city is dragged, not when it is zoomed or rotated', () => {
    rig.setMode('follow');
    settle(CAR);
    rig.zoomBy(2);
    rig.rotateBy(0.3);
    rig.tiltBy(0.1);
    expect(rig.target).toBe('car');
    rig.panBy(10, 0);
    expect(rig.target).toBe('city');
    rig.advance(0.1, { ...CAR, x: 200 });
    expect(rig.pose.x).toBeLessThan(121);
  });

  it('drags the city with the pointer', () => {
    const under = groundUnder(rig.pose, rig.view, 300, 200);
    rig.panBy(50, -30);
    rig.advance(0, null);
    const after = groundUnder(rig.pose, rig.view, 350, 170);
    expect(after?.x).toBeCloseTo(under?.x ?? Number.NaN, 6);
    expect(after?.y).toBeCloseTo(under?.y ?? Number.NaN, 6);
  });

  it('keeps the place under the pointer when it zooms', () => {
    rig.tiltBy(0.6);
    rig.advance(0, null);
    const under = groundUnder(rig.pose, rig.view, 500, 350);
    rig.zoomBy(1.8, 500, 350);
    rig.advance(0, null);
    const after = groundUnder(rig.pose, rig.view, 500, 350);
    expect(after?.x).toBeCloseTo(under?.x ?? Number.NaN, 6);
    expect(after?.y).toBeCloseTo(under?.y ?? Number.NaN, 6);
  });

  it('stays above the ground and within its limits', () => {
    const whole = rig.pose.distance;
    rig.zoomBy(1e-6);
    rig.tiltBy(9);
    rig.panBy(-1e6, 0);
    rig.advance(0, null);
    expect(rig.pose.tilt).toBe(TILT_MAX);
    expect(rig.pose.x).toBe(300);
    expect(rig.pose.distance).toBeLessThan(2 * whole);
    rig.zoomBy(1e9);
    rig.tiltBy(-9);
    rig.advance(0, null);
    expect(rig.pose.distance).toBeGreaterThan(5);
    expect(rig.pose.tilt).toBe(0);
  });

  it('flies around a place until somebody moves it, and shows the city again', () => {
    rig.flyAround({ x: 50, y: 60, heading: 1 });
    settle();
    expect(rig.target).toBe('place');
    expect(rig.pose).toMatchObject({ x: 50, y: 60 });
    expect(rig.pose.tilt).toBeGreaterThan(0.5);
    const { bearing } = rig.pose;
    rig.advance(1, null);
    expect(rig.pose.bearing).toBeGreaterThan(bearing);
    rig.rotateBy(0.5);
    rig.advance(0, null);
    const turned = rig.pose.bearing;
    rig.advance(1, null);
    expect([rig.target, rig.pose.bearing]).toEqual(['city', turned]);
    rig.showAll();
    settle();
    expect(rig.pose).toMatchObject({ x: 0, y: 0, tilt: 0 });
  });

  it('stands still with reduced motion', () => {
    rig.reducedMotion = true;
    rig.flyAround({ x: 50, y: 60, heading: 1 });
    rig.advance(1, null);
    const { bearing } = rig.pose;
    rig.advance(1, null);
    expect(rig.pose.bearing).toBe(bearing);
  });

  it('keeps the parties of a replay in view, whatever covers the canvas', () => {
    rig.setMode('parties');
    rig.insets.bottom = 150;
    for (const far of [10, 80, 200]) {
      const places: [number, number][] = [
        [20, 30],
        [20 + far, 30 - far / 2],
      ];
      const focus = { places, bearing: 0.4, trails: [] };
      for (let i = 0; i < 20; i++) rig.advance(0.1, null, focus);
      expect(areInView(rig.pose, rig.view, places, rig.insets, 3)).toBe(true);
    }
    expect(rig.pose.bearing).toBeCloseTo(0.4, 6);
  });

  it('looks from above or obliquely, and north up', () => {
    rig.toggleTilt();
    settle();
    expect(rig.pose.tilt).toBeGreaterThan(0.5);
    rig.rotateBy(1);
    rig.faceNorth();
    rig.toggleTilt();
    settle();
    expect(rig.pose).toMatchObject({ tilt: 0, bearing: NORTH });
  });

  it('turns north and back around the parties of a replay, and comes no nearer than it may', () => {
    const focus = {
      places: [
        [10, 10],
        [30, 10],
      ],
      bearing: 0.3,
      trails: [],
    } as const;
    const show = () => {
      for (let i = 0; i < 40; i++) rig.advance(0.1, null, focus);
    };
    rig.setMode('parties');
    show();
    expect(rig.pose.bearing).toBeCloseTo(0.3, 9);
    rig.faceNorth();
    show();
    expect(rig.pose.bearing).toBeCloseTo(NORTH, 9);
    const needM = rig.pose.distance;
    for (let i = 0; i < 20; i++) rig.zoomBy(2);
    show();
    expect(rig.pose.distance).toBe(DISTANCE_MIN_M);
    // One step back shows at once: what went beyond the limit does not count.
    rig.zoomBy(0.5);
    show();
    expect(rig.pose.distance).toBeCloseTo(2 * DISTANCE_MIN_M, 9);
    expect(needM).toBeGreaterThan(2 * DISTANCE_MIN_M);
  });
});
