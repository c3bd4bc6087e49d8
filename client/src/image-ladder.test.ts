import { describe, expect, test } from 'vitest';
import { ImageLadder, MINUTE_TICKS, RECENT_EVERY_TICKS, RECENT_TICKS } from './image-ladder.ts';

const image = (tick: number) => ({ tick, seq: 0, bytes: new Uint8Array() });

/** A ladder of a life of so many minutes. */
function lived(minutes: number): ImageLadder {
  const ladder = new ImageLadder();
  for (let minute = 0; minute <= minutes; minute++) ladder.add(image(minute * MINUTE_TICKS));
  return ladder;
}

describe('the images of a life', () => {
  test('are every four ticks for two seconds, before that one a minute', () => {
    const ladder = new ImageLadder();
    const endTick = 2 * MINUTE_TICKS + 1003;
    for (let tick = 0; tick <= endTick; tick += RECENT_EVERY_TICKS) ladder.add(image(tick));
    for (let tick = endTick; tick > endTick - RECENT_TICKS; tick--) {
      expect(ladder.newest(tick)?.tick).toBe(tick - (tick % RECENT_EVERY_TICKS));
    }
    expect(ladder.newest(endTick - RECENT_TICKS)?.tick).toBe(2 * MINUTE_TICKS);
    expect(ladder.newest(2 * MINUTE_TICKS - 1)?.tick).toBe(MINUTE_TICKS);
    expect(ladder.count).toBe(RECENT_TICKS / RECENT_EVERY_TICKS + 3);
  });

  test('are thinner further back: none is missing by more than a 128th of its age, or a minute', () => {
    const minutes = 3000;
    const ladder = lived(minutes);
    for (let minute = 0; minute <= minutes; minute++) {
      const tick = minute * MINUTE_TICKS;
      const gapMinutes = (tick - (ladder.newest(tick)?.tick ?? 0)) / MINUTE_TICKS;
      expect(gapMinutes).toBeLessThanOrEqual((minutes - minute) / 128);
    }
  });

  test('of 496 days are at most 1,800', () => {
    const ladder = lived(496 * 24 * 60);
    expect(ladder.count).toBeGreaterThan(1000);
    expect(ladder.count).toBeLessThanOrEqual(1800);
  });

  test('are forgotten after a tick to which a life returns', () => {
    const ladder = lived(10);
    ladder.add(image(10 * MINUTE_TICKS + 4));
    ladder.dropAfter(4 * MINUTE_TICKS);
    expect(ladder.newest(Number.POSITIVE_INFINITY)?.tick).toBe(4 * MINUTE_TICKS);
    expect(ladder.count).toBe(5);
  });
});
