import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { OpeningReport, RightPanel } from './right-panel.tsx';

type LaterPanels = typeof import('./later-panels.ts');

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

/** One of them, as soon as it is there. */
export function Later({ name }: { name: keyof LaterPanels }) {
  useEffect(() => void loadLaterPanels(), []);
  const Panel = panels.value?.[name];
  if (Panel !== undefined) return <Panel />;
  if (!hasFailed.value) {
    if (name !== 'IncidentPanel') return null;
    return (
      <RightPanel title="Incident" subtitle="">
        <OpeningReport />
      </RightPanel>
    );
  }
  return (
    <RightPanel title="This could not be loaded" subtitle="The connection may be gone.">
      {/* A browser may not ask for a script again that it could not load. */}
      <Button onClick={() => location.reload()}>Load the page again</Button>
    </RightPanel>
  );
}
