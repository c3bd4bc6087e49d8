import { describe, expect, it } from 'vitest';
import type { Mark } from '../life/life.ts';
import { placeMarks } from './marks.ts';

const mark = (
  tick: number,
  kind: Mark['kind'],
  message: string = kind,
  incident: string | null = null,
): Mark => ({ tick, kind, message, incident });

describe('marks on a time line', () => {
  it('stand where they belong, and say what happened', () => {
    const marks = [mark(100, 'hazard', 'a child (h12) runs'), mark(900, 'configuration')];
    expect(placeMarks(marks, [0, 1000], 20)).toEqual([
      { kind: 'hazard', tick: 100, part: 0.1, words: 'A child runs' },
      { kind: 'configuration', tick: 900, part: 0.9, words: 'Configuration' },
    ]);
  });

  it('are those of the part that is shown', () => {
    const marks = [mark(100, 'hazard'), mark(500, 'hazard'), mark(1200, 'hazard')];
    expect(placeMarks(marks, [200, 1000], 20).map(({ tick }) => tick)).toEqual([500]);
  });

  it('are one where they have no room, with the gravest of them in front', () => {
    const marks = [
      mark(400, 'hazard'),
      mark(402, 'incident', 'one contact', 'i402-0'),
      mark(403, 'incident', 'another contact', 'i402-0'),
      mark(404, 'event'),
    ];
    const [placed, ...others] = placeMarks(marks, [0, 1000], 20);
    expect(others).toEqual([]);
    expect(placed).toEqual({
      ...{ kind: 'incident', tick: 402, part: 0.402 },
      words: '1 collision, 1 hazard and 1 other event',
    });
  });

  it('have room between each other, however many there are', () => {
    const many = Array.from({ length: 5000 }, (_, i) => mark(i * 7, 'event', `${i}`));
    const placed = placeMarks(many, [0, 35_000], 24);
    expect(placed.length).toBeGreaterThan(12);
    expect(placed.length).toBeLessThanOrEqual(25);
    const gaps = placed.slice(1).map(({ part }, i) => part - (placed[i]?.part ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.75 / 24);
  });

  it('keep together while the part moves on', () => {
    const marks = [mark(410, 'hazard'), mark(440, 'hazard'), mark(480, 'hazard')];
    const ticks = (from: number) =>
      placeMarks(marks, [from, from + 1000], 20).map(({ tick }) => tick);
    for (let from = 1; from < 400; from += 13) expect(ticks(from)).toEqual(ticks(0));
  });
});
