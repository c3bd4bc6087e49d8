import { useRef, useState } from 'preact/hooks';

/**
 * A list that stands still while a mouse is over it: whoever aims at a row would meet another one.
 * Returns the items to show, and the handlers of the element around them.
 */
export function useHeld<Item>(items: readonly Item[]) {
  const held = useRef<readonly Item[] | null>(null);
  const [isOver, setOver] = useState(false);
  held.current = isOver ? (held.current ?? items) : null;
  const handlers = {
    onPointerEnter: ({ pointerType }: PointerEvent) => setOver(pointerType === 'mouse'),
    onPointerLeave: () => setOver(false),
  };
  return { shown: held.current ?? items, handlers };
}
