import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The theme that is shown: what the visitor chose here, otherwise what the system asks for. */
export const theme = signal<Theme>(remembered() ?? preferred());

function preferred(): Theme {
  return dark.matches ? 'dark' : 'light';
}

function remembered(): Theme | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    // A browser may keep nothing for anybody.
    return undefined;
  }
}

function remember(chosen: Theme): void {
  try {
    // Who goes back to what the system says follows the system again.
    if (chosen === preferred()) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // It holds as long as the page.
  }
}

/** Shows the remembered theme, and follows the system where there is none. Call it once. */
export function startTheme(): void {
  theme.subscribe((shown) => {
    document.documentElement.dataset.theme = shown;
  });
  dark.addEventListener('change', () => {
    if (remembered() === undefined) theme.value = preferred();
  });
}

/** Shows the other theme and remembers it. */
export function toggleTheme(): void {
  const chosen = theme.peek() === 'dark' ? 'light' : 'dark';
  remember(chosen);
  theme.value = chosen;
}
