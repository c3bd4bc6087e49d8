import { describe, expect, it } from 'vitest';
import { Meter } from './meter.ts';

/**
 * So many turns of four visits each, 0.1 ms a visit by the fine clock, twice as long apart.
 * `hadShare`: of the turns the thread had a processor for so much, which is known in steps of 4 ms.
 */
function live(meter: Meter, turns: number, hadShare = 1): void {
  for (let turn = 1; turn <= turns; turn++) {
    for (let visit = 0; visit < 4; visit++) meter.visited(4, 0.1);
    meter.turned(0.4, Math.floor((turn * 0.4 * hadShare) / 4) * 4);
    meter.roll(turn * 0.8);
  }
}

describe('the meter of a shard', () => {
  it('comes to the mean cost of a frame and to the share of its thread', () => {
    const meter = new Meter(0);
    live(meter, 10_000);
    expect(meter.frameNs / 100_000).toBeCloseTo(1, 1);
    expect(meter.hotPerMille / 500).toBeCloseTo(1, 1);
  });

  it('[L32] counts time in which the thread waits for a processor in its share, but not in costs', () => {
    const meter = new Meter(0);
    live(meter, 10_000, 0.5);
    expect(meter.frameNs / 50_000).toBeCloseTo(1, 1);
    expect(meter.hotPerMille / 500).toBeCloseTo(1, 1);
    // Four visits in 0.8 ms.
    expect(meter.hotCount / 400).toBeCloseTo(1, 1);
  });

  it('lets the share rise at once and fall slowly', () => {
    const meter = new Meter(0);
    const window = (busyMs: number, endMs: number) => {
      meter.visited(4, busyMs);
      meter.roll(endMs);
      return meter.hotPerMille;
    };
    const shares = [500, 500, 0, 0].map((busyMs, i) => window(busyMs, (i + 1) * 500));
    expect(shares).toEqual([1000, 1000, 900, 810]);
  });

  it('is not led astray where the machine becomes busy from one moment to the next', () => {
    const meter = new Meter(0);
    live(meter, 10_000);
    for (let turn = 1; turn <= 250; turn++) {
      for (let visit = 0; visit < 4; visit++) meter.visited(4, 0.2);
      meter.turned(0.8, 4000 + Math.floor((turn * 0.4) / 4) * 4);
    }
    expect(meter.frameNs / 100_000).toBeCloseTo(1, 1);
  });

  it('counts one frame if a visit steps the ticks of many', () => {
    const meter = new Meter(0);
    for (let turn = 1; turn <= 1000; turn++) {
      meter.visited(64, 1.6);
      meter.turned(1.6, turn * 1.6);
    }
    expect(meter.frameNs / 100_000).toBeCloseTo(1, 2);
  });

  it.each([4, 6, 50])('takes no single piece of %d ms for the mean', (ms) => {
    const meter = new Meter(0);
    for (let turn = 1; turn <= 4000; turn++) {
      meter.stepped(100, 0.5);
      meter.turned(0.5, turn * 0.5);
    }
    expect(meter.tickNs / 5000).toBeCloseTo(1, 1);
    meter.stepped(1, ms);
    meter.turned(ms, 2000 + ms);
    expect(meter.tickNs).toBeLessThan(2 * 5000);
  });
});
