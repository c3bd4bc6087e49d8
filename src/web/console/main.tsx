import '../common/base.css';
import '../common/widgets.css';
import { render } from 'preact';
import { startTheme } from '../common/theme.ts';
import { ThemeToggle } from '../common/theme-toggle.tsx';

startTheme();
const root = document.getElementById('app');
if (root)
  render(
    <>
      <h1>Dealer platform</h1>
      <ThemeToggle />
    </>,
    root,
  );
