import { useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { isNarrow } from '../../common/media.ts';
import { Toasts } from '../../common/toasts.tsx';
import { useViewer } from '../page/context.ts';
import type { LeftPanel } from '../page/viewer.ts';
import { Events } from './events.tsx';
import { Fleet } from './fleet.tsx';
import { Header } from './header.tsx';
import { Icon } from './icons.tsx';
import { Incidents } from './incidents.tsx';
import { Later, loadLaterPanels } from './later.tsx';
import { Stage } from './stage.tsx';

/** The page of one world. */
export function App() {
  const viewer = useViewer();
  const right = viewer.right.value;
  // The world lives here only after the first cars.
  useSignalEffect(() => {
    if (viewer.live.life.value !== null) void loadLaterPanels();
  });
  return (
    <div class="page" data-front={viewer.front.value ?? 'none'} data-right={right ?? 'none'}>
      <Header />
      <Places />
      <Left />
      <Stage />
      {right === 'car' ? <Later name="CarPanel" /> : null}
      {right === 'incident' ? <Later name="IncidentPanel" /> : null}
      {right === 'what-if' ? <Later name="WhatIfPanel" /> : null}
      {viewer.dialog.value === 'help' ? <Later name="Help" /> : null}
      {viewer.dialog.value === 'new-city' ? <Later name="NewCity" /> : null}
      <Toasts />
    </div>
  );
}

/** A badge has room for no more. */
const COUNT_MAX = 99;

const PLACES: readonly { name: LeftPanel; title: string; List: ComponentType }[] = [
  { name: 'cars', title: 'Cars', List: Fleet },
  { name: 'events', title: 'Events', List: Events },
  { name: 'incidents', title: 'Incidents', List: Incidents },
];

const RIGHT_WORDS = { car: 'This car', incident: 'Report', 'what-if': 'What if' } as const;

/** Buttons that open the panels. */
function Places() {
  const viewer = useViewer();
  const { left, front, right, eventFeed } = viewer;
  const isLeftOpen = !isNarrow.value || front.value === 'left';
  const count = eventFeed.incidents.value.length;
  return (
    <nav class="places" aria-label="Panels">
      {PLACES.map(({ name, title }) => {
        const isOpen = isLeftOpen && left.value === name;
        return (
          <button
            type="button"
            class="place"
            key={name}
            aria-pressed={isOpen}
            onClick={() => {
              left.value = isOpen && !isNarrow.value ? null : name;
              front.value = isOpen ? null : 'left';
            }}
          >
            <Icon name={name} />
            {title}
            {name === 'incidents' && count > 0 ? (
              <span class="count">
                <span aria-hidden="true">{count > COUNT_MAX ? `${COUNT_MAX}+` : count}</span>
                <span class="visually-hidden"> {count}</span>
              </span>
            ) : null}
          </button>
        );
      })}
      {isNarrow.value && right.value !== null ? (
        <button
          type="button"
          class="place"
          aria-pressed={front.value === 'right'}
          onClick={() => {
            front.value = front.value === 'right' ? null : 'right';
          }}
        >
          <Icon name={right.value === 'car' ? 'car' : 'play'} />
          {RIGHT_WORDS[right.value]}
        </button>
      ) : null}
    </nav>
  );
}

/** The lists. The cars stay in the document while another list is shown. */
function Left() {
  const { left } = useViewer();
  const shown = left.value;
  return (
    <div class="panel panel-left" hidden={shown === null}>
      {PLACES.map(({ name, title, List }) => (
        <section
          class="panel-list"
          key={name}
          aria-labelledby={`${name}-title`}
          hidden={shown !== name}
        >
          <h2 id={`${name}-title`} class="visually-hidden">
            {title}
          </h2>
          {shown === name || name === 'cars' ? <List /> : null}
        </section>
      ))}
    </div>
  );
}
