import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { isNarrow } from './media.ts';
import { Empty } from './states.tsx';

export interface Column<Row> {
  /** Identifies the column. */
  key: string;
  head: string;
  /** Rows are sorted by it and, where it is text, filtered by it. */
  value?: (row: Row) => string | number | boolean | null;
  /** The content of the cell; by default the value. */
  cell?: (row: Row) => ComponentChildren;
  align?: 'end';
  /** Three such columns stand side by side in a card. */
  isShort?: boolean;
}

interface TableProps<Row> {
  /** The accessible name: "Cars". */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** Further text to filter by. */
  alsoFindBy?: (row: Row) => string;
  /** Buttons or links of a row. */
  actions?: (row: Row) => ComponentChildren;
  /** By name: kinds of rows that can be shown alone. */
  kinds?: Readonly<Record<string, (row: Row) => boolean>>;
  /** Rows can be chosen, for what is done with many at once. */
  choice?: Choice<Row>;
  /** Beside the filter. */
  tools?: ComponentChildren;
  /** Without filter and sorting. */
  isPlain?: boolean;
  /** Shown where there are no rows. */
  empty: ComponentChildren;
}

interface Choice<Row> {
  /** What a row is called. */
  nameOf: (row: Row) => string;
  canChoose: (row: Row) => boolean;
  /** Buttons for the rows that are chosen. */
  actions: (chosen: readonly Row[]) => ComponentChildren;
}

interface Order {
  key: string;
  isDown: boolean;
}

const ALL = 'All';
const NONE: ReadonlySet<string> = new Set();

/** Further rows are shown on request. */
const ROWS_SHOWN = 100;
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Rows with a filter and sorting: a table, or on narrow pages a list of cards. */
export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, empty } = props;
  const search = useSearch(props);
  const { found, order, setOrder } = search;
  const [chosen, setChosen] = useChoice(search);
  const finder = useRef<HTMLInputElement>(null);
  const [shownCount, setShownCount] = useState(ROWS_SHOWN);
  if (rows.length === 0)
    return (
      <div class="table-frame">
        {props.tools}
        {empty}
      </div>
    );
  const clear = () => {
    search.clear();
    // The button disappears: without this, keyboard users would start at the top of the page.
    finder.current?.focus();
  };
  const parts = { ...props, rows: found.slice(0, shownCount), order, setOrder, chosen, setChosen };
  if (props.isPlain) return <Rows {...parts} />;
  const List = isNarrow.value ? Cards : Rows;
  return (
    <div class="table-frame">
      <div class="table-tools">
        <input
          ref={finder}
          class="table-filter"
          type="search"
          value={search.sought}
          placeholder="Filter"
          aria-label={`Filter ${props.label.toLowerCase()}`}
          onInput={({ currentTarget }) => search.seek(currentTarget.value)}
        />
        {isNarrow.value ? <Sorter columns={columns} order={order} setOrder={setOrder} /> : null}
        <p class="soft small" role="status">
          {found.length === rows.length
            ? `${rows.length} in all`
            : `${found.length} of ${rows.length}`}
        </p>
        {props.tools}
      </div>
      {props.kinds ? <Kinds kinds={props.kinds} {...search} /> : null}
      <SelectionBar {...props} {...{ found, chosen, setChosen }} />
      {found.length === 0 ? (
        <Empty title="Nothing matches">
          <Button onClick={clear}>Clear the filter</Button>
        </Empty>
      ) : (
        <List {...parts} />
      )}
      {found.length > shownCount ? (
        <Button onClick={() => setShownCount(shownCount + ROWS_SHOWN)}>
          Show {Math.min(ROWS_SHOWN, found.length - shownCount)} more
        </Button>
      ) : null}
    </div>
  );
}

/** The rows that are chosen. What is no longer shown must not be changed unseen. */
function useChoice({ sought, kind }: { sought: string; kind: string }) {
  const choice = useState(NONE);
  const [, setChosen] = choice;
  useEffect(() => setChosen(NONE), [sought, kind]);
  return choice;
}

/** The rows that are found, in order, and what decides that. */
function useSearch<Row>(props: TableProps<Row>) {
  const { rows, columns } = props;
  const [sought, seek] = useState('');
  const [kind, setKind] = useState(ALL);
  const [order, setOrder] = useState<Order>({ key: columns[0]?.key ?? '', isDown: false });
  // Columns may be made anew for what their cells show, which decides nothing here.
  const found = useMemo(
    () => sorted(filtered(props, sought, kind), columns, order),
    [rows, sought, kind, order],
  );
  const clear = () => {
    seek('');
    setKind(ALL);
  };
  return { found, sought, seek, kind, setKind, order, setOrder, clear };
}

interface KindsProps {
  kinds: Readonly<Record<string, unknown>>;
  kind: string;
  setKind: (kind: string) => void;
}

function Kinds({ kinds, kind, setKind }: KindsProps) {
  return (
    <fieldset class="chips">
      <legend class="visually-hidden">Which are shown</legend>
      {[ALL, ...Object.keys(kinds)].map((name) => (
        <button
          type="button"
          class="chip"
          key={name}
          aria-pressed={name === kind}
          onClick={() => setKind(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface Chooser {
  chosen: ReadonlySet<string>;
  setChosen: (chosen: ReadonlySet<string>) => void;
}

/**
 * What can be done with the chosen rows. Only rows that are found count: one that was switched may no longer be
 * of the kind that is shown.
 */
function SelectionBar<Row>(props: TableProps<Row> & Chooser & { found: readonly Row[] }) {
  const { idOf, choice, chosen, setChosen, found } = props;
  if (choice === undefined) return null;
  const all = found.filter((row) => chosen.has(idOf(row)));
  const open = found.filter(choice.canChoose);
  return (
    <div class="chosen">
      <span class="small" role="status">
        {all.length === 0 ? 'Choose some to switch them together.' : `${all.length} chosen`}
      </span>
      {all.length === 0 ? null : choice.actions(all)}
      {all.length === 0 ? (
        <Button
          size="small"
          kind="quiet"
          disabled={open.length === 0}
          onClick={() => setChosen(new Set(open.map(idOf)))}
        >
          Choose all {open.length}
        </Button>
      ) : (
        <Button size="small" kind="quiet" onClick={() => setChosen(NONE)}>
          Choose none
        </Button>
      )}
    </div>
  );
}

/** The box by which a row is chosen. */
function RowCheckbox<Row>({ row, ...props }: RowsProps<Row> & { row: Row }) {
  const { idOf, choice, chosen, setChosen } = props;
  if (choice === undefined || !choice.canChoose(row)) return null;
  const id = idOf(row);
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={`Choose ${choice.nameOf(row)}`}
      checked={chosen.has(id)}
      onInput={({ currentTarget }) => {
        const others = [...chosen].filter((each) => each !== id);
        setChosen(new Set(currentTarget.checked ? [...others, id] : others));
      }}
    />
  );
}

interface SorterProps<Row> {
  columns: readonly Column<Row>[];
  order: Order;
  setOrder: (order: Order) => void;
}

function Sorter<Row>({ columns, order, setOrder }: SorterProps<Row>) {
  const id = useId();
  return (
    <div class="table-sorter">
      <label class="visually-hidden" for={id}>
        Sort by
      </label>
      <select
        id={id}
        value={order.key}
        onInput={({ currentTarget }) => setOrder({ ...order, key: currentTarget.value })}
      >
        {columns
          .filter(({ value }) => value !== undefined)
          .map(({ key, head }) => (
            <option value={key} key={key}>
              {head}
            </option>
          ))}
      </select>
      <Button
        icon
        label={order.isDown ? 'Sorted downwards; sort upwards' : 'Sorted upwards; sort downwards'}
        onClick={() => setOrder({ ...order, isDown: !order.isDown })}
      >
        <Arrow isDown={order.isDown} />
      </Button>
    </div>
  );
}

/** Not every font has arrows. */
function Arrow({ isDown }: { isDown: boolean }) {
  return (
    <svg class="arrow" viewBox="0 0 12 12" aria-hidden="true">
      <path d={isDown ? 'M6 2v8M3 7l3 3 3-3' : 'M6 10V2M3 5l3-3 3 3'} />
    </svg>
  );
}

type RowsProps<Row> = TableProps<Row> & SorterProps<Row> & Chooser;

function Rows<Row>(props: RowsProps<Row>) {
  const { label, rows, columns, idOf, actions } = props;
  return (
    <div class="table-scroll">
      <table class="table" aria-label={label}>
        <thead>
          <tr>
            {props.choice ? (
              <th scope="col">
                <span class="visually-hidden">Choose</span>
              </th>
            ) : null}
            {columns.map((column) => (
              <Head key={column.key} column={column} {...props} />
            ))}
            {actions ? (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {props.choice ? (
                <td>
                  <RowCheckbox row={row} {...props} />
                </td>
              ) : null}
              {columns.map((column, i) => cellOf(column, row, i === 0))}
              {actions ? (
                <td>
                  <div class="row-actions">{actions(row)}</div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf<Row>(column: Column<Row>, row: Row, isFirst: boolean) {
  const Cell = isFirst ? 'th' : 'td';
  return (
    <Cell scope={isFirst ? 'row' : undefined} key={column.key} data-align={column.align}>
      {contentOf(column, row)}
    </Cell>
  );
}

type HeadProps<Row> = RowsProps<Row> & { column: Column<Row> };

function Head<Row>({ column, order, setOrder, isPlain }: HeadProps<Row>) {
  const { key, head, value, align } = column;
  const isSorted = order.key === key;
  const sort = order.isDown ? 'descending' : 'ascending';
  return (
    <th scope="col" data-align={align} aria-sort={isSorted && !isPlain ? sort : undefined}>
      {value === undefined || isPlain ? (
        head
      ) : (
        <button
          type="button"
          class="table-sort"
          onClick={() => setOrder({ key, isDown: isSorted && !order.isDown })}
        >
          {head}
          {isSorted ? <Arrow isDown={order.isDown} /> : null}
        </button>
      )}
    </th>
  );
}

function Cards<Row>(props: RowsProps<Row>) {
  const { label, rows, columns, idOf, actions } = props;
  const [first, ...rest] = columns;
  return (
    <ul class="cards" aria-label={label}>
      {rows.map((row) => (
        <li class="card" key={idOf(row)}>
          <div class="card-title">
            <RowCheckbox row={row} {...props} />
            {first ? contentOf(first, row) : null}
          </div>
          <dl class="pairs">
            {rest
              .filter(({ value }) => value?.(row) !== null)
              .map((column) => (
                <div key={column.key} data-short={column.isShort ? '' : undefined}>
                  <dt>{column.head}</dt>
                  <dd>{contentOf(column, row)}</dd>
                </div>
              ))}
          </dl>
          {actions ? <div class="row-actions">{actions(row)}</div> : null}
        </li>
      ))}
    </ul>
  );
}

function contentOf<Row>({ cell, value }: Column<Row>, row: Row): ComponentChildren {
  return cell ? cell(row) : String(value?.(row) ?? '–');
}

/** The rows of a kind that contain every word of the filter. */
function filtered<Row>(
  { rows, columns, alsoFindBy, kinds }: TableProps<Row>,
  sought: string,
  kind: string,
): readonly Row[] {
  const isOfKind = kinds?.[kind];
  const some = isOfKind ? rows.filter(isOfKind) : rows;
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return some;
  return some.filter((row) => {
    const texts = columns
      .map(({ value }) => value?.(row))
      .filter((each) => typeof each === 'string');
    const text = [...texts, alsoFindBy?.(row) ?? ''].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Rows without a value come last in both directions. */
function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { key, isDown }: Order,
): readonly Row[] {
  const value = columns.find((column) => column.key === key)?.value;
  if (value === undefined) return rows;
  const isNothing = (each: unknown) => each === null || each === '';
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b));
    const compared = typeof a === 'string' ? collator.compare(a, String(b)) : Number(a) - Number(b);
    return isDown ? -compared : compared;
  });
}
