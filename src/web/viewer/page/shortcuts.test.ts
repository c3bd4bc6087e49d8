import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Display } from './display.ts';
import { listenToKeys } from './shortcuts.ts';
import type { Viewer } from './viewer.ts';

class FakeElement {
  matches = () => false;
  closest = () => null;
}

let press: (event: object) => void;
let done: string[];
beforeEach(() => {
  done = [];
  vi.stubGlobal('Element', FakeElement);
  vi.stubGlobal('document', {
    addEventListener: (_: string, listener: (event: object) => void) => {
      press = listener;
    },
  });
  const camera = { rotateBy: (by: number) => done.push(by < 0 ? 'left' : 'right') };
  listenToKeys(
    { dialog: { peek: () => null }, goLive: () => done.push('live') } as unknown as Viewer,
    { scene: { peek: () => ({ camera }) } } as unknown as Display,
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const key = (name: string, held: object = {}) =>
  press({ key: name, target: new FakeElement(), preventDefault: () => {}, ...held });

test('brackets turn the map, also where a keyboard has them with Option only', () => {
  key('[');
  key(']');
  key('[', { altKey: true });
  key(']', { altKey: true });
  expect(done).toEqual(['left', 'right', 'left', 'right']);
});

test('other keys with Alt, Ctrl or Meta are left to the browser', () => {
  key('l', { altKey: true });
  key('[', { ctrlKey: true });
  key('[', { metaKey: true });
  expect(done).toEqual([]);
  key('l');
  expect(done).toEqual(['live']);
});
