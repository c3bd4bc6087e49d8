import { Button } from './button.tsx';
import { Outline } from './outline.tsx';
import { theme, toggleTheme } from './theme.ts';

const SUN =
  'M10 6.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8ZM10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18M4.3 4.3l1.2 1.2M14.5 14.5l1.2 1.2M4.3 15.7l1.2-1.2M14.5 5.5l1.2-1.2';
const MOON = 'M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z';

export function ThemeToggle() {
  const isDark = theme.value === 'dark';
  const label = isDark ? 'Use the light theme' : 'Use the dark theme';
  return (
    <Button kind="quiet" icon label={label} onClick={toggleTheme}>
      <Outline path={isDark ? SUN : MOON} />
    </Button>
  );
}
