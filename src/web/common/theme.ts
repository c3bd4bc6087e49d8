import { computed, signal } from '@preact/signals';
import { prefersDark } from './media.ts';
import { readStored, store } from './storage.ts';

export type Theme = 'light' | 'dark';

const KEY = 'theme';
const system = computed<Theme>(() => (prefersDark.value ? 'dark' : 'light'));
/** What the visitor chose here, where it differs from the system's theme. */
const chosen = signal(readStored('localStorage', KEY));

/** The theme that is shown. */
export const theme = computed<Theme>(() =>
  chosen.value === 'light' || chosen.value === 'dark' ? chosen.value : system.value,
);

/** Applies the theme to the document and keeps it up to date. Call it once. */
export function startTheme(): void {
  theme.subscribe((shown) => {
    document.documentElement.dataset.theme = shown;
  });
}

/** Shows the other theme and remembers it. */
export function toggleTheme(): void {
  const other = theme.peek() === 'dark' ? 'light' : 'dark';
  chosen.value = other === system.peek() ? null : other;
  store('localStorage', KEY, chosen.value);
}
