import { type ReadonlySignal, signal } from '@preact/signals';

function matching(query: string): ReadonlySignal<boolean> {
  const media = matchMedia(query);
  const isMatch = signal(media.matches);
  media.addEventListener('change', ({ matches }) => {
    isMatch.value = matches;
  });
  return isMatch;
}

/** Whether the page is as narrow as a phone's; the style sheets repeat this query. */
export const isNarrow = matching('(max-width: 47.99rem)');
export const prefersDark = matching('(prefers-color-scheme: dark)');
export const prefersReducedMotion = matching('(prefers-reduced-motion: reduce)');
