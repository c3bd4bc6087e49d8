import type { PartitionStatus } from '../../cluster-operator.ts';
import { element, setText } from './dom.ts';
import type { NodeNames } from './names.ts';

interface Cell {
  button: HTMLButtonElement;
  number: HTMLElement;
  holder: HTMLElement;
  /** What a screen reader reads instead of both. */
  spoken: HTMLElement;
  status: PartitionStatus;
}

/** What the bars of the cells show. */
type Measure = 'hot_worlds' | 'worlds';

/** All partitions as buttons. The tab key reaches one of them, the arrow keys go to the others. */
export class PartitionMap {
  readonly #root: HTMLElement;
  readonly #names: NodeNames;
  readonly #ask: (partition: PartitionStatus) => void;
  readonly #cells: Cell[] = [];

  /** @param ask shows a partition, and moves it */
  constructor(root: HTMLElement, names: NodeNames, ask: (partition: PartitionStatus) => void) {
    this.#root = root;
    this.#names = names;
    this.#ask = ask;
    root.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Returns what the bars show. */
  show(partitions: readonly PartitionStatus[]): string {
    const isWatched = partitions.some(({ hot_worlds }) => (hot_worlds ?? 0) > 0);
    const measure: Measure = isWatched ? 'hot_worlds' : 'worlds';
    const most = Math.max(1, ...partitions.map((each) => each[measure] ?? 0));
    for (const [i, status] of partitions.entries()) {
      const cell = this.#cells[i] ?? this.#add(status);
      cell.status = status;
      this.#fill(cell, (status[measure] ?? 0) / most);
    }
    const what = isWatched ? 'watched worlds' : 'worlds';
    return `Bars show the load of a partition: its ${what}. The longest stands for ${most}.`;
  }

  /** Points at a partition, and at no other; undefined: at none. */
  mark(partition: number | undefined): void {
    for (const { button, status } of this.#cells) {
      button.toggleAttribute('data-marked', status.partition === partition);
    }
  }

  #add(status: PartitionStatus): Cell {
    const part = (name: string) => element('span', { class: name, 'aria-hidden': 'true' });
    const [number, holder] = [part('cell-number'), part('cell-holder')];
    const spoken = element('span', { class: 'visually-hidden' });
    const shown = [number, holder, part('cell-bar'), spoken];
    const button = element('button', { class: 'cell', type: 'button' }, ...shown);
    button.tabIndex = this.#cells.length === 0 ? 0 : -1;
    const cell: Cell = { button, number, holder, spoken, status };
    button.addEventListener('click', () => this.#ask(cell.status));
    button.addEventListener('focus', () => this.#makeTabStop(cell));
    this.#cells.push(cell);
    this.#root.append(button);
    return cell;
  }

  #fill({ button, number, holder, spoken, status }: Cell, share: number): void {
    const { partition, worlds, hot_worlds } = status;
    const name = this.#names.of(status.holder);
    setText(number, String(partition));
    setText(holder, this.#names.short(status.holder));
    button.dataset.hue = this.#names.hueOf(status.holder);
    button.style.setProperty('--share', share.toFixed(3));
    const load = worlds === null ? '' : `, ${worlds} worlds, ${hot_worlds ?? 0} watched`;
    const text = `Partition ${partition}, ${status.holder === null ? 'held by nobody' : name}${load}`;
    setText(spoken, text);
    if (button.title !== text) button.title = text;
  }

  #makeTabStop({ button }: Cell): void {
    for (const each of this.#cells) each.button.tabIndex = each.button === button ? 0 : -1;
  }

  #focusCell(index: number): void {
    this.#cells[index]?.button.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#cells.findIndex(({ button }) => button === document.activeElement);
    const step = this.#stepOf(event.key);
    if (at < 0 || step === undefined) return;
    event.preventDefault();
    this.#focusCell(Math.min(this.#cells.length - 1, Math.max(0, at + step)));
  }

  #stepOf(key: string): number | undefined {
    const [first] = this.#cells;
    const isInFirstRow = ({ button }: Cell) => button.offsetTop === first?.button.offsetTop;
    const columns = this.#cells.filter(isInFirstRow).length;
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns },
      ...{ Home: -this.#cells.length, End: this.#cells.length },
    };
    return steps[key];
  }
}
