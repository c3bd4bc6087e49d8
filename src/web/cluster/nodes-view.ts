import type { NodeStatus } from '../../cluster-operator.ts';
import { element, setText } from './dom.ts';
import type { NodeNames } from './names.ts';

/** A node of the list. */
interface Card {
  root: HTMLElement;
  title: HTMLElement;
  tags: HTMLElement;
  values: ReadonlyMap<string, HTMLElement>;
  button: HTMLButtonElement;
  /** As shown. */
  node: NodeStatus;
}

const LABELS = [
  ...['Partitions', 'Worlds', 'Watched worlds', 'Link', 'Clock', 'Unreachable from it'],
  ...['Build', 'Kernel', 'Process', 'Public address', 'Link address'],
];

/** The list of nodes. What is shown changes in place: focus and selections stay. */
export class NodesView {
  readonly #list: HTMLElement;
  readonly #names: NodeNames;
  readonly #ask: (node: NodeStatus) => void;
  readonly #cards = new Map<string, Card>();

  /** @param ask drains a node, or ends its drain */
  constructor(list: HTMLElement, names: NodeNames, ask: (node: NodeStatus) => void) {
    this.#list = list;
    this.#names = names;
    this.#ask = ask;
  }

  /** @param isAlone nothing can be given to anybody */
  show(nodes: readonly NodeStatus[], isAlone: boolean): void {
    for (const [process, { root }] of this.#cards) {
      if (nodes.some((node) => node.process === process)) continue;
      root.remove();
      this.#cards.delete(process);
    }
    for (const node of nodes) {
      const card = this.#cards.get(node.process) ?? this.#add(node);
      card.node = node;
      this.#fill(card, isAlone);
    }
  }

  #add(node: NodeStatus): Card {
    const title = element('h3', { class: 'node-name' });
    const tags = element('p', { class: 'tags' });
    const button = element('button', { class: 'button', 'data-size': 'small', type: 'button' });
    const values = new Map(LABELS.map((label) => [label, element('dd')]));
    const pairs = element('dl', { class: 'pairs' });
    for (const [label, value] of values) {
      pairs.append(element('div', {}, element('dt', {}, label), value));
    }
    const head = element('div', { class: 'node-head' }, title, tags, button);
    const root = element('li', { class: 'card node' }, head, pairs);
    const card: Card = { root, title, tags, values, button, node };
    button.addEventListener('click', () => this.#ask(card.node));
    this.#cards.set(node.process, card);
    this.#list.append(root);
    return card;
  }

  #fill({ root, title, tags, values, button, node }: Card, isAlone: boolean): void {
    root.dataset.hue = this.#names.hueOf(node.process);
    setText(title, node.name);
    this.#tag(tags, node);
    button.hidden = isAlone;
    setText(button, node.draining ? 'End the drain' : 'Drain');
    button.setAttribute('aria-label', `${button.textContent}: ${node.name}`);
    const texts: Readonly<Record<string, string>> = {
      Partitions: String(node.partitions),
      Worlds: textOf(node.worlds),
      'Watched worlds': textOf(node.hot_worlds),
      Link: linkOf(node),
      Clock: clockOf(node),
      'Unreachable from it': node.unreachable.map((each) => this.#names.of(each)).join(', ') || '–',
      Build: String(node.build),
      Kernel: node.kernel,
      Process: node.process,
      'Public address': textOf(node.twin_url),
      'Link address': textOf(node.link_url),
    };
    for (const [label, value] of values) setText(value, texts[label] ?? '');
  }

  #tag(tags: HTMLElement, { is_this, draining, link, admits, unreachable }: NodeStatus): void {
    const wanted = [
      ...(is_this ? [['this node', 'plain']] : []),
      ...(draining ? [['drains', 'warn']] : []),
      ...(link === 'down' ? [['link down', 'bad']] : []),
      ...(unreachable.length > 0 ? [['misses nodes', 'bad']] : []),
      ...(admits ? [] : [['full', 'warn']]),
    ];
    if (tags.textContent === wanted.map(([text]) => text).join('')) return;
    tags.replaceChildren(
      ...wanted.map(([text = '', kind = '']) =>
        element('span', { class: 'tag', 'data-kind': kind }, text),
      ),
    );
  }
}

function textOf(value: string | number | null): string {
  return value === null ? '–' : String(value);
}

function linkOf({ link, round_trip_ms }: NodeStatus): string {
  if (link === null) return '–';
  return round_trip_ms === null ? link : `${link}, ${round_trip_ms.toFixed(1)} ms there and back`;
}

function clockOf({ clock_offset_ms }: NodeStatus): string {
  if (clock_offset_ms === null) return '–';
  const ms = Math.abs(clock_offset_ms).toFixed(1);
  return `${ms} ms ${clock_offset_ms < 0 ? 'behind' : 'ahead'}`;
}
