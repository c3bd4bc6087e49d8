import { signal } from '@preact/signals';

/** As in the style sheets; they cannot share it. */
const NARROW = '(max-width: 47.99rem)';
const query = matchMedia(NARROW);

/** Whether the page is as narrow as a phone's. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
