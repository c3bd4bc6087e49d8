import '../common/base.css';
import '../common/widgets.css';
import './console.css';
import { render } from 'preact';
import { startTheme } from '../common/theme.ts';
import { App } from './app.tsx';
import { answerViewers } from './viewer-session.ts';

startTheme();
answerViewers();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
