import '../common/base.css';
import '../common/widgets.css';
import './viewer.css';
import { render } from 'preact';
import { startTheme } from '../common/theme.ts';
import { readAddress } from './page/address.ts';
import { PageContext } from './page/context.ts';
import { Display } from './page/display.ts';
import { listenToKeys } from './page/shortcuts.ts';
import { Viewer } from './page/viewer.ts';
import { App } from './panels/app.tsx';

startTheme();
const viewer = new Viewer(readAddress(location).world);
const display = new Display(viewer);
listenToKeys(viewer, display);
viewer.start();
const root = document.getElementById('app');
if (root) {
  const page = { viewer, display };
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    root,
  );
}
