import { Button } from './button.tsx';
import { theme, toggleTheme } from './theme.ts';

export function ThemeToggle() {
  const isDark = theme.value === 'dark';
  return (
    <Button
      kind="quiet"
      icon
      label={isDark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={toggleTheme}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        {isDark ? (
          <g fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round">
            <circle cx="10" cy="10" r="3.4" />
            <path d="M10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18M4.3 4.3l1.2 1.2M14.5 14.5l1.2 1.2M4.3 15.7l1.2-1.2M14.5 5.5l1.2-1.2" />
          </g>
        ) : (
          <path
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
            stroke-linejoin="round"
            d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z"
          />
        )}
      </svg>
    </Button>
  );
}
