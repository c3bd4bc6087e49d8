import { h, options, render } from 'preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useHeld } from './held.ts';

let list: ReturnType<typeof useHeld<string>>;
function List({ items }: { items: readonly string[] }) {
  list = useHeld(items);
  return null;
}

/** A component that renders nothing needs no more of a document. */
const root = { childNodes: [], firstChild: null } as unknown as Element;
const show = (...items: string[]) => render(h(List, { items }), root);
const enter = (pointerType: string) =>
  list.handlers.onPointerEnter({ pointerType } as PointerEvent);

const { debounceRendering } = options;
beforeEach(() => {
  options.debounceRendering = (draw) => draw();
  show('a');
});
afterEach(() => {
  render(null, root);
  if (debounceRendering === undefined) delete options.debounceRendering;
  else options.debounceRendering = debounceRendering;
});

test('a list shows what is new', () => {
  expect(list.shown).toEqual(['a']);
  show('b', 'a');
  expect(list.shown).toEqual(['b', 'a']);
});

test('a list stands still while a mouse is over it, and then shows what came meanwhile', () => {
  enter('mouse');
  show('b', 'a');
  show('c', 'b', 'a');
  expect(list.shown).toEqual(['a']);
  list.handlers.onPointerLeave();
  expect(list.shown).toEqual(['c', 'b', 'a']);
  enter('mouse');
  show('d');
  expect(list.shown).toEqual(['c', 'b', 'a']);
});

test('a list does not wait for a finger, which never leaves', () => {
  enter('touch');
  show('b', 'a');
  expect(list.shown).toEqual(['b', 'a']);
});
