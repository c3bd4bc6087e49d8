import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { Loading } from '../../common/states.tsx';
import { useViewer } from '../page/context.ts';
import { OpeningReport, RightPanel } from './right-panel.tsx';

type LaterPanels = typeof import('./later-panels.ts');

const TITLES: Partial<Record<keyof LaterPanels, string>> = {
  CarPanel: 'This car',
  IncidentPanel: 'Incident',
  WhatIfPanel: 'What if…',
};

const panels = signal<LaterPanels | null>(null);
const hasFailed = signal(false);

/** Loads the panels that nobody sees at first. */
export async function loadLaterPanels(): Promise<void> {
  if (panels.peek() !== null) return;
  try {
    panels.value = await import('./later-panels.ts');
    hasFailed.value = false;
  } catch {
    hasFailed.value = true;
  }
}

/** What stands in the place of a panel until it is there; dialogs just come. */
function Opening({ name }: { name: keyof LaterPanels }) {
  const title = TITLES[name];
  if (title === undefined) return null;
  return (
    <RightPanel title={title} subtitle="">
      {name === 'IncidentPanel' ? <OpeningReport /> : <Loading what="this panel" />}
    </RightPanel>
  );
}

/** One of them, as soon as it is there. */
export function Later({ name }: { name: keyof LaterPanels }) {
  useEffect(() => void loadLaterPanels(), []);
  const Panel = panels.value?.[name];
  if (Panel !== undefined) return <Panel />;
  return hasFailed.value ? <Missing name={name} /> : <Opening name={name} />;
}

/** What stands in the place of a panel or dialog that could not be loaded. */
function Missing({ name }: { name: keyof LaterPanels }) {
  const viewer = useViewer();
  const title = 'This could not be loaded';
  const why = 'The connection may be gone.';
  // A browser may not ask for a script again that it could not load.
  const again = <Button onClick={() => location.reload()}>Load the page again</Button>;
  if (TITLES[name] !== undefined) {
    return (
      <RightPanel title={title} subtitle={why}>
        {again}
      </RightPanel>
    );
  }
  return (
    <Dialog title={title} onClose={() => viewer.open(null)}>
      <p>{why}</p>
      <div>{again}</div>
    </Dialog>
  );
}
