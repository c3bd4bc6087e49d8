import type { ComponentChildren } from 'preact';
import { useViewer } from '../page/context.ts';
import { IconButton } from './icons.tsx';

interface RightPanelProps {
  title: string;
  subtitle: string;
  colour?: string;
  children: ComponentChildren;
}

/** The panel of the picked car or incident. */
export function RightPanel({ title, subtitle, colour, children }: RightPanelProps) {
  const viewer = useViewer();
  const close = () => {
    viewer.closeRight();
    // The button disappears: without this, keyboard users would start at the top of the page.
    document.querySelector<HTMLElement>('.map')?.focus();
  };
  return (
    <section class="panel panel-right" aria-labelledby="right-title">
      <div class="panel-head">
        {colour === undefined ? null : <span class="swatch" style={{ background: colour }} />}
        <div class="panel-title">
          <h2 id="right-title">{title}</h2>
          <p class="small soft">{subtitle}</p>
        </div>
        <IconButton name="close" kind="quiet" label={`Close ${title}`} onClick={close} />
      </div>
      <div class="panel-body">{children}</div>
    </section>
  );
}

/** In the place of the report of an incident. */
export function OpeningReport() {
  return (
    <p class="soft" role="status">
      Opening the report and its replay…
    </p>
  );
}
