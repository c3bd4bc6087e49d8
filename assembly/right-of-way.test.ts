import { describe, expect, it, test } from 'vitest';
import { CAR_LENGTH_M, Crossing, type CrossingPlan } from '../src/testing/rigs/crossing.ts';
import { VEHICLE } from '../src/testing/rigs/manoeuvres.ts';
import { spotOf } from '../src/testing/rigs/proving-road.ts';
import {
  C_EFFECTIVE,
  C_VX,
  C_X,
  C_Y,
  CHOICE_GO,
  CHOICE_STOP,
  F_ALL,
  F_THROTTLE,
  TICKS_PER_S,
} from './layout.ts';

const KMH = 1 / 3.6;
const WITHOUT_THROTTLE = F_ALL & ~F_THROTTLE;
/** A car at its stop line. */
const WAITING = { distanceM: 1, speedMps: 0 } as const;

/** Steps for some seconds and calls `look` after each tick. */
function watch(crossing: Crossing, seconds: number, look: (tick: number) => void): void {
  for (let tick = 0; tick < seconds * TICKS_PER_S; tick++) {
    crossing.step();
    look(tick);
  }
}

/** The ticks at which cars cross their lines, in seconds from the start; Infinity where they do not. */
function crossingTimes(crossing: Crossing, cars: readonly number[], seconds: number): number[] {
  const times = cars.map(() => Number.POSITIVE_INFINITY);
  watch(crossing, seconds, (tick) => {
    for (const [i, car] of cars.entries()) {
      if (crossing.car(car).distanceM > 0 || times[i] !== Number.POSITIVE_INFINITY) continue;
      times[i] = tick / TICKS_PER_S;
    }
  });
  expect(crossing.contactCount).toBe(0);
  return times;
}

const atPriority = (cars: CrossingPlan['cars'], hazards: CrossingPlan['hazards'] = []): Crossing =>
  new Crossing({ control: 'priority', row: 'collector', cars, hazards });

const atEquals = (cars: CrossingPlan['cars']): Crossing => new Crossing({ control: 'none', cars });

describe('At amber', () => {
  /**
   * The choice of a car whose front bumper is `distanceM` before the line at the end of the first
   * tick of amber. Amber of the main street begins after 1 s of red and amber and 20 to 24 s of green.
   */
  function choiceAt(row: 'local' | 'collector' | 'arterial', kmh: number, distanceM: number) {
    const speedMps = kmh * KMH;
    const crossing = new Crossing({
      control: 'signals',
      row,
      signal: { light: 'amber', sinceS: 0 },
      cars: {
        0: { from: 'west', turn: 'straight', distanceM: distanceM + speedMps * 0.02, speedMps },
      },
    });
    crossing.step();
    return crossing.car(0).choice;
  }

  // Stopping at 3 m/s² after 0.3 s takes 14.07, 36.32 and 51.30 m.
  test.each([
    ['local', 30, 14.07],
    ['collector', 50, 36.32],
    ['arterial', 60, 51.3],
  ] as const)('on a %s street at %i km/h a car stops from %f m on.', (row, kmh, stopM) => {
    expect(choiceAt(row, kmh, stopM + 0.1)).toBe(CHOICE_STOP);
    expect(choiceAt(row, kmh, stopM - 0.1)).toBe(CHOICE_GO);
    expect(choiceAt(row, kmh, 5)).toBe(CHOICE_GO);
    expect(choiceAt(row, kmh, 89)).toBe(CHOICE_STOP);
  });

  // At 90 km/h it goes 75 m in 3 s, needs 111.67 m at 3 m/s² and 76.94 m at 4.5 m/s².
  it('in the dilemma zone a car stops if 4.5 m/s² suffice, and else goes.', () => {
    expect(choiceAt('collector', 90, 74.9)).toBe(CHOICE_GO);
    expect(choiceAt('collector', 90, 76.8)).toBe(CHOICE_GO);
    expect(choiceAt('collector', 90, 77.1)).toBe(CHOICE_STOP);
    expect(choiceAt('collector', 90, 89)).toBe(CHOICE_STOP);
  });
});

describe('At lights', () => {
  /** The light of the main street has just turned green, or will. */
  const atGreen = (sinceS: number, cars: CrossingPlan['cars']): Crossing =>
    new Crossing({
      control: 'signals',
      row: 'collector',
      signal: { light: 'green', sinceS },
      cars,
    });

  it('[C20] a car waits before the line and starts 0.8 to 1.2 s after green.', () => {
    const crossing = atGreen(-10, {
      0: { from: 'west', turn: 'straight', distanceM: 60, speedMps: 10 },
    });
    watch(crossing, 10, () => expect(crossing.car(0).distanceM).toBeGreaterThan(0));
    expect(crossing.car(0).distanceM).toBeLessThan(2);
    expect(crossing.car(0).speedMps).toBeLessThan(0.1);
    const delay = crossing.until(() => crossing.car(0).speedMps > 0.1, 3 * TICKS_PER_S);
    expect(delay / TICKS_PER_S).toBeGreaterThan(0.8);
    expect(delay / TICKS_PER_S).toBeLessThan(1.2);
  });

  it('[C21] a left turn on green lets oncoming traffic pass, which does not slow down.', () => {
    const crossing = atGreen(2, {
      0: { from: 'west', turn: 'left', ...WAITING },
      1: { from: 'east', turn: 'straight', distanceM: 60, speedMps: 50 * KMH },
    });
    const gone = crossing.until(() => crossing.car(1).where === 'inside', 10 * TICKS_PER_S);
    expect(gone).toBeGreaterThan(0);
    expect(crossing.car(0).distanceM).toBeGreaterThan(0);
    expect(crossing.car(1).speedMps).toBeGreaterThan(13.5);
    const [turned] = crossingTimes(crossing, [0], 10);
    expect(turned).toBeLessThan(6);
  });

  it('two opposite left turns do not wait for the cars behind them.', () => {
    const crossing = atGreen(2, {
      0: { from: 'west', turn: 'left', ...WAITING },
      1: { from: 'east', turn: 'left', ...WAITING },
      2: { from: 'west', turn: 'straight', distanceM: 8, speedMps: 0 },
      3: { from: 'east', turn: 'straight', distanceM: 8, speedMps: 0 },
    });
    const times = crossingTimes(crossing, [0, 1, 2, 3], 12);
    expect(Math.max(...times.slice(0, 2))).toBeLessThan(4);
    expect(Math.max(...times)).toBeLessThan(10);
  });

  it('a left turn goes if oncoming traffic is far away.', () => {
    const crossing = atGreen(2, {
      0: { from: 'west', turn: 'left', ...WAITING },
      1: { from: 'east', turn: 'straight', distanceM: 130, speedMps: 50 * KMH },
    });
    const [left = 0, straight = 0] = crossingTimes(crossing, [0, 1], 15);
    expect(left).toBeLessThan(straight);
  });
});

describe('On a priority road', () => {
  /** A car of the side street stands at its line, another one approaches on the main road. */
  const meeting = (distanceM: number): Crossing =>
    atPriority({
      0: { from: 'south', turn: 'straight', ...WAITING },
      1: { from: 'west', turn: 'straight', distanceM, speedMps: 50 * KMH },
    });

  /** Steps until the car of the main road is in the junction; its least speed on the way. */
  function slowestOfMain(crossing: Crossing): number {
    let slowest = Number.POSITIVE_INFINITY;
    crossing.until(() => {
      slowest = Math.min(slowest, crossing.car(1).speedMps);
      return crossing.car(1).where === 'inside';
    }, 15 * TICKS_PER_S);
    return slowest;
  }

  // The lanes meet 10.0 to 13.0 m behind the lines. To clear that the waiting car drives 1 + 13 +
  // 4.56 m: 0.5 s + 4.5 s, and with 1.5 s more the other must be 6.5 s off, some 80 m.
  it('the waiting car yields to a car 60 m away, which does not slow down.', () => {
    const crossing = meeting(60);
    expect(slowestOfMain(crossing)).toBeGreaterThan(13.5);
    expect(crossing.car(0).distanceM).toBeGreaterThan(0);
    const [waited = 0] = crossingTimes(crossing, [0], 10);
    expect(waited).toBeLessThan(4);
  });

  it('the waiting car goes before a car 110 m away, which does not slow down.', () => {
    const crossing = meeting(110);
    expect(slowestOfMain(crossing)).toBeGreaterThan(13);
    expect(crossing.car(0).where).toBe('beyond');
  });

  it.each([
    [70, true],
    [45, false],
  ])('after 30 s of waiting a car %i m away yields: %s.', (distanceM, letsGo) => {
    const crossing = atPriority({
      0: { from: 'south', turn: 'straight', ...WAITING, waitedS: 31 },
      1: { from: 'west', turn: 'straight', distanceM, speedMps: 50 * KMH },
    });
    const [waited = 0, main = 0] = crossingTimes(crossing, [0, 1], 20);
    expect(waited < main).toBe(letsGo);
  });

  it('a car that must yield slows down, and does not stop if no car approaches.', () => {
    const cars = { 0: { from: 'south', turn: 'straight', distanceM: 60, speedMps: 8 } } as const;
    const yielding = new Crossing({ control: 'priority', row: 'collector', cars });
    const stopping = new Crossing({ control: 'stop', row: 'collector', cars });
    const slowestOf = (crossing: Crossing): number => {
      let slowest = Number.POSITIVE_INFINITY;
      watch(crossing, 25, () => {
        const { distanceM, speedMps } = crossing.car(0);
        if (distanceM > 0 && distanceM < 3) slowest = Math.min(slowest, speedMps);
      });
      expect(crossing.car(0).where).toBe('beyond');
      return slowest;
    };
    expect(slowestOf(yielding)).toBeGreaterThan(3);
    expect(slowestOf(stopping)).toBeLessThan(0.3);
  });
});

describe('Where all streets are equal', () => {
  // To the right, and with a left turn to oncoming traffic.
  it.each([
    ['south', 'straight', 'east'],
    ['east', 'straight', 'north'],
    ['north', 'straight', 'west'],
    ['west', 'straight', 'south'],
    ['south', 'left', 'north'],
  ] as const)('[C21] a car from the %s, %s, yields to the %s.', (own, turn, other) => {
    const crossing = atEquals({
      0: { from: own, turn, distanceM: 40, speedMps: 8 },
      1: { from: other, turn: 'straight', distanceM: 40, speedMps: 8 },
    });
    const [waits = 0, goes = 0] = crossingTimes(crossing, [0, 1], 20);
    expect(goes).toBeLessThan(6);
    expect(waits).toBeGreaterThan(goes + 1);
    expect(waits).toBeLessThan(15);
  });

  it('four cars that wait for one another: after two seconds the lowest index goes.', () => {
    const car = { turn: 'straight', ...WAITING } as const;
    const crossing = atEquals({
      7: { from: 'south', ...car },
      2: { from: 'west', ...car },
      9: { from: 'north', ...car },
      5: { from: 'east', ...car },
    });
    watch(crossing, 2, () => {
      for (const one of [2, 5, 7, 9]) expect(crossing.car(one).hasClaim).toBe(false);
    });
    const times = crossingTimes(crossing, [2, 5, 7, 9], 40);
    expect(times[0]).toBe(Math.min(...times));
    expect(Math.max(...times)).toBeLessThan(30);
  });

  it('a car that cannot start gives way after ten seconds.', () => {
    const crossing = atEquals({
      0: { from: 'south', turn: 'straight', ...WAITING },
      1: { from: 'east', turn: 'straight', ...WAITING, features: WITHOUT_THROTTLE },
    });
    const [waits = 0] = crossingTimes(crossing, [0], 20);
    expect(waits).toBeGreaterThan(10);
    expect(waits).toBeLessThan(13);
  });
});

describe('Into a junction', () => {
  /** One car stands `roomM` behind the end of the junction, and another one follows. */
  const blocked = (roomM: number): Crossing =>
    atPriority({
      0: { from: 'west', turn: 'straight', distanceM: 60, speedMps: 12 },
      1: {
        from: 'west',
        turn: 'straight',
        distanceM: -(roomM + CAR_LENGTH_M / 2),
        speedMps: 0,
        features: WITHOUT_THROTTLE,
      },
    });

  it('[C22] a car does not enter if it could not leave.', () => {
    const crossing = blocked(CAR_LENGTH_M + 1.5);
    watch(crossing, 30, () => expect(crossing.car(0).distanceM).toBeGreaterThan(0));
    expect(crossing.car(0).distanceM).toBeLessThan(2);
  });

  it.each([16, 18, 20])(
    'a car does not enter while one inside brakes for an obstacle %i m behind its line.',
    (behindM) => {
      const crossing = atPriority(
        {
          0: { from: 'west', turn: 'straight', distanceM: 8, speedMps: 9 },
          1: { from: 'south', turn: 'straight', distanceM: 10, speedMps: 5 },
        },
        [spotOf(VEHICLE, 0)],
      );
      crossing.until(() => crossing.car(0).distanceM < 2, 2 * TICKS_PER_S);
      crossing.edit((world) => {
        const aheadM = behindM + crossing.car(0).distanceM + CAR_LENGTH_M;
        const [x, y] = [world.real(C_X, 0) + aheadM, world.real(C_Y, 0)];
        world.placeActor(0, { x, y, hx: 1, hy: 0 });
      });
      watch(crossing, 6, () => expect(crossing.car(1).where).toBe('before'));
      expect(crossing.car(0)).toMatchObject({ where: 'inside', speedMps: 0 });
    },
  );

  it.each([12, 13, 14, 15])(
    'a car does not turn past one that stands with its front %i m behind the line, half in its path.',
    (behindM) => {
      const crossing = atPriority({
        0: { from: 'west', turn: 'right', distanceM: 18, speedMps: 6 },
        1: { from: 'west', turn: 'straight', distanceM: 2, speedMps: 7 },
      });
      crossing.until(() => crossing.car(1).distanceM < -behindM, 6 * TICKS_PER_S);
      crossing.edit((world) => {
        world.setReal(C_VX, 1, 0);
        world.setI32(C_EFFECTIVE, 1, WITHOUT_THROTTLE);
      });
      watch(crossing, 8, () => {});
      expect(crossing.contactCount).toBe(0);
    },
  );

  it('a car enters if there is room behind it.', () => {
    const crossing = blocked(CAR_LENGTH_M + 5);
    watch(crossing, 30, () => {});
    expect(crossing.car(0).where).toBe('beyond');
    expect(crossing.car(0).speedMps).toBeLessThan(0.1);
    expect(crossing.contactCount).toBe(0);
  });

  it('cars follow each other without a pause.', () => {
    const crossing = atPriority({
      0: { from: 'west', turn: 'straight', distanceM: 30, speedMps: 12 },
      1: { from: 'west', turn: 'straight', distanceM: 55, speedMps: 12 },
    });
    const both = crossing.until(
      () => crossing.car(0).hasClaim && crossing.car(1).hasClaim,
      2 * TICKS_PER_S,
    );
    expect(both).toBeGreaterThanOrEqual(0);
  });
});
