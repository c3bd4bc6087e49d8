import { render } from 'preact';

const root = document.getElementById('app');
if (root) render(<h1>Dealer platform</h1>, root);
