import { expect, onTestFinished, test } from 'vitest';
import { begin, join, leave } from './lived.ts';

/** What a page has of the package, for one world that shows what it is told to. */
class ShownWorld {
  static shown = { tick: 7, vehicles: [{ x: 0, y: 0 }] };
  static tell: (event: object) => void;

  snapshot() {
    return ShownWorld.shown;
  }

  subscribe(listener: (event: object) => void) {
    ShownWorld.tell = listener;
  }

  async *snapshots() {}

  close() {}
}

test('how far a late change moves a car is measured, between states of one tick', () => {
  Object.assign(globalThis, { client: { LiveWorld: ShownWorld } });
  begin();
  onTestFinished(leave);
  join({ id: 'world', stream_url: '', isMeasured: true });
  const late = { type: 'rollback', tick: 2, ticks: 5 };
  ShownWorld.shown = { tick: 7, vehicles: [{ x: 3, y: 4 }] };
  ShownWorld.tell(late);
  ShownWorld.shown = { tick: 8, vehicles: [{ x: 50, y: 4 }] };
  ShownWorld.tell(late);
  expect(globalThis.lives.get('world')?.jumps).toEqual([{ ticks: 5, m: 5 }]);
});
