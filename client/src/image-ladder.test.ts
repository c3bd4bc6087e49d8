import { describe, expect, test } from 'vitest';
import {
  ImageLadder,
  LASTING_EVERY_TICKS,
  RECENT_EVERY_TICKS,
  RECENT_TICKS,
} from './image-ladder.ts';

const image = (tick: number) => ({ tick, seq: 0, bytes: new Uint8Array() });

/** A ladder of a life of so many times ten seconds. */
function lived(count: number): ImageLadder {
  const ladder = new ImageLadder();
  for (let i = 0; i <= count; i++) ladder.add(image(i * LASTING_EVERY_TICKS));
  return ladder;
}

describe('the images of a life', () => {
  test('are every four ticks for two seconds, before that every ten seconds', () => {
    const ladder = new ImageLadder();
    const endTick = 2 * LASTING_EVERY_TICKS + 303;
    for (let tick = 0; tick <= endTick; tick += RECENT_EVERY_TICKS) ladder.add(image(tick));
    for (let tick = endTick; tick > endTick - RECENT_TICKS; tick--) {
      expect(ladder.newest(tick)?.tick).toBe(tick - (tick % RECENT_EVERY_TICKS));
    }
    expect(ladder.newest(endTick - RECENT_TICKS)?.tick).toBe(2 * LASTING_EVERY_TICKS);
    expect(ladder.newest(2 * LASTING_EVERY_TICKS - 1)?.tick).toBe(LASTING_EVERY_TICKS);
    expect(ladder.count).toBe(RECENT_TICKS / RECENT_EVERY_TICKS + 3);
  });

  test('are thinner further back: none is missing by more than a 128th of its age, or ten seconds', () => {
    const count = 3000;
    const ladder = lived(count);
    for (let i = 0; i <= count; i++) {
      const tick = i * LASTING_EVERY_TICKS;
      const gap = (tick - (ladder.newest(tick)?.tick ?? 0)) / LASTING_EVERY_TICKS;
      expect(gap).toBeLessThanOrEqual((count - i) / 128);
    }
  });

  test('of 496 days are at most 2,200', () => {
    const ladder = lived(496 * 24 * 360);
    expect(ladder.count).toBeGreaterThan(1000);
    expect(ladder.count).toBeLessThanOrEqual(2200);
  });

  test('are forgotten after a tick to which a life returns', () => {
    const ladder = lived(10);
    ladder.add(image(10 * LASTING_EVERY_TICKS + 4));
    ladder.dropAfter(4 * LASTING_EVERY_TICKS);
    expect(ladder.newest(Number.POSITIVE_INFINITY)?.tick).toBe(4 * LASTING_EVERY_TICKS);
    expect(ladder.count).toBe(5);
  });
});
