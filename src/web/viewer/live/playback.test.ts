import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../api/types.ts';
import { Playback } from './playback.ts';

const FLEET = [{ vin: 'A', model: 'Aurora Vela', plate: 'AB 123 CD', colour: 'silver' as const }];

/** A car that drives east at 10 m/s from x = 0 at tick 0. */
function frame(tick: number): Snapshot {
  const vehicle = { vin: 'A', x: tick / 5, y: 0, heading: 0, speed: 10, road: 'r1', gap: null };
  const still = { braking: false, aeb: false, esc: false, evasive: false };
  const vehicles = [{ ...vehicle, ...still, status: 'driving' as const }];
  const time = tick / 50;
  return { type: 'snapshot', world: 'w', tick, time, vehicles, lights: [], hazards: [] };
}

function playing(): Playback {
  const playback = new Playback();
  playback.setFleet(FLEET);
  return playback;
}

/** Frames that arrive on time, 5000 ms on the local clock being tick 0. */
function feed(playback: Playback, fromTick: number, toTick: number, lateMs = () => 0): void {
  for (let tick = fromTick; tick <= toTick; tick += 4) {
    playback.add(frame(tick), 5000 + tick * 20 + lateMs());
  }
}

const xOf = ({ shown }: Playback) => shown.cars[0]?.x;

describe('playback', () => {
  it('shows nothing before the first frame', () => {
    expect(playing().show(5000)).toBe(false);
  });

  it('shows a frame as soon as there is one', () => {
    const playback = playing();
    playback.add(frame(40), 5800);
    expect(playback.show(5801)).toBe(true);
    expect(xOf(playback)).toBe(8);
  });

  it('is a frame and a half late, and between two frames in proportion', () => {
    const playback = playing();
    feed(playback, 0, 100);
    // 120 ms before 7000 ms on the local clock is tick 94.
    playback.show(7000);
    expect(playback.shown.tick).toBeCloseTo(94);
    expect(xOf(playback)).toBeCloseTo(18.8);
    playback.show(7010);
    expect(playback.shown.tick).toBeCloseTo(94.5);
  });

  it('never runs backwards', () => {
    const playback = playing();
    feed(playback, 0, 100);
    playback.show(7000);
    feed(playback, 104, 140, () => 400);
    playback.show(7001);
    expect(playback.shown.tick).toBeGreaterThanOrEqual(94);
  });

  it('stops at the newest frame', () => {
    const playback = playing();
    feed(playback, 0, 100);
    playback.show(9000);
    expect(playback.shown.tick).toBe(100);
    expect(xOf(playback)).toBe(20);
  });

  it('interpolates across a lost frame', () => {
    const playback = playing();
    feed(playback, 0, 80);
    feed(playback, 88, 120);
    playback.show(5000 + 84 * 20 + playback.delayMs);
    expect(xOf(playback)).toBeCloseTo(16.8, 0);
  });

  it('increases the delay after late frames, and reduces it again', () => {
    const playback = playing();
    let i = 0;
    feed(playback, 0, 400, () => (i++ % 10 === 0 ? 150 : 0));
    for (let ms = 0; ms <= 4000; ms += 16) playback.show(13_000 + ms);
    expect(playback.delayMs).toBeGreaterThan(200);
    feed(playback, 404, 1600);
    for (let ms = 0; ms <= 4000; ms += 16) playback.show(37_000 + ms);
    expect(playback.delayMs).toBeLessThan(125);
  });

  it('increases the delay during polling, to a second and a half at most', () => {
    const playback = playing();
    for (let tick = 0; tick <= 500; tick += 20) playback.add(frame(tick), 5000 + tick * 20);
    playback.show(15_000);
    expect(playback.delayMs).toBeGreaterThan(550);
    expect(playback.delayMs).toBeLessThanOrEqual(1500);
  });

  it('continues at once after a tab slept', () => {
    const playback = playing();
    feed(playback, 0, 100);
    playback.show(7000);
    // A minute later all that the socket held comes in one heap, the newest on time.
    for (let tick = 2960; tick <= 3100; tick += 4) playback.add(frame(tick), 67_000);
    playback.show(67_001);
    expect(playback.shown.tick).toBeGreaterThan(3050);
  });

  it('ignores a frame that is older than the newest', () => {
    const playback = playing();
    feed(playback, 0, 100);
    playback.add(frame(48), 7001);
    expect(playback.newest?.tick).toBe(100);
  });
});

describe('behind', () => {
  it('is reported while frames are missing, until the next one', () => {
    const playback = playing();
    feed(playback, 0, 100);
    expect(playback.isBehind(7500)).toBe(false);
    expect(playback.isBehind(8200)).toBe(true);
    playback.add(frame(160), 8210);
    expect(playback.isBehind(8220)).toBe(false);
  });

  it('is reported while old frames arrive', () => {
    const playback = playing();
    feed(playback, 0, 100);
    feed(playback, 104, 200, () => 3000);
    expect(playback.isBehind(12_001)).toBe(true);
    feed(playback, 204, 400);
    expect(playback.isBehind(13_001)).toBe(false);
  });
});

/** Frames of every second tick, which say when they were due; they come 50 ms later. */
function feedDue(playback: Playback, fromTick: number, toTick: number, lateMs = () => 50): void {
  for (let tick = fromTick; tick <= toTick; tick += 2) {
    const dueMs = 5000 + tick * 20;
    playback.add(frame(tick), dueMs + lateMs(), dueMs);
  }
}

describe('playback of a world that lives in the page', () => {
  it('is a frame late, and by what its frames are late', () => {
    const playback = playing();
    feedDue(playback, 0, 400);
    // 90 ms before 13,100 ms on the local clock is tick 400.5; the newest frame is there.
    playback.show(13_070);
    expect(playback.shown.tick).toBeCloseTo(399, 1);
    playback.show(13_080);
    expect(playback.shown.tick).toBeCloseTo(399.5, 1);
  });

  it('is not late for long because frames came in a burst', () => {
    const playback = playing();
    feedDue(playback, 0, 400);
    const before = playback.delayMs;
    for (let tick = 402; tick <= 450; tick += 2) {
      playback.add(frame(tick), 15_000, 5000 + tick * 20);
    }
    playback.show(15_000);
    expect(playback.delayMs).toBeLessThan(before + 20);
  });

  const corrected = (tick: number, northM: number): Snapshot => {
    const state = frame(tick);
    return { ...state, vehicles: state.vehicles.map((car) => ({ ...car, y: northM })) };
  };
  const yAt = (playback: Playback, nowMs: number) => {
    playback.show(nowMs);
    return playback.shown.cars[0]?.y;
  };
  const correctedFrom = (playback: Playback, northM: number, isCut: boolean) => {
    feedDue(playback, 0, 400);
    expect(yAt(playback, 13_050)).toBe(0);
    const frames = [396, 398, 400, 402, 404, 406, 408, 410, 412, 414].map((tick) =>
      corrected(tick, northM),
    );
    playback.correct(frames, isCut, 13_050);
  };

  it('[P42] glides to where a change has led that came late', () => {
    const playback = playing();
    correctedFrom(playback, 0.4, false);
    expect(yAt(playback, 13_050)).toBeCloseTo(0);
    expect(yAt(playback, 13_150)).toBeCloseTo(0.2);
    expect(yAt(playback, 13_250)).toBe(0.4);
  });

  it('[P42] glides on where the next change comes before anything else is displayed', () => {
    const playback = playing();
    correctedFrom(playback, 0.4, false);
    const frames = [396, 398, 400, 402, 404, 406, 408].map((tick) => corrected(tick, 0.6));
    playback.correct(frames, false, 13_050);
    expect(yAt(playback, 13_050)).toBeCloseTo(0);
    expect(yAt(playback, 13_150)).toBeCloseTo(0.3);
    expect(yAt(playback, 13_250)).toBe(0.6);
  });

  it('[P42] jumps there at once if it came too late, or leads far away', () => {
    const cut = playing();
    correctedFrom(cut, 0.4, true);
    expect(yAt(cut, 13_051)).toBe(0.4);
    const far = playing();
    correctedFrom(far, 40, false);
    expect(yAt(far, 13_051)).toBe(40);
  });
});
