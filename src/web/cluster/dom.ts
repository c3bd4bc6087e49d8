type Attributes = Readonly<Record<string, string>>;

/** Makes an element with attributes and content. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** The element of the page with an id. Throws if there is none of this kind. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} ${id}`);
}

/** Leaves an element alone that shows the text already: a selection in it stays. */
export function setText(shown: Element, text: string): void {
  if (shown.textContent !== text) shown.textContent = text;
}

/** Shows a message in an element, or nothing without a text. */
export function setNote(shown: Element, text: string, kind: 'good' | 'bad'): void {
  if (shown.textContent === text) return;
  const note = element('div', { class: 'note', 'data-kind': kind }, element('p', {}, text));
  shown.replaceChildren(...(text === '' ? [] : [note]));
}
