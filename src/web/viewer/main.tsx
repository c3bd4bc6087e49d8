import { render } from 'preact';

const root = document.getElementById('app');
if (root) render(<h1>Driving twin</h1>, root);
