import { signal } from '@preact/signals';
import { readStored, store } from '../../common/storage.ts';
import type { Display } from './display.ts';
import type { Viewer } from './viewer.ts';

const OFF = ['localStorage', 'viewer.keys-off'] as const;
const PAN_PX = 90;
const ZOOM = 1.3;
const TURN_RAD = 0.15;
/** Five frames. */
const SEEK_TICKS = 20;

/** German and Nordic keyboards of a Mac have these with Option only. */
const WITH_ALT: ReadonlySet<string> = new Set(['[', ']']);

interface Shortcut {
  keys: readonly string[];
  does: string;
}

/** Shown in the help. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['/'], does: 'Search the cars' },
  { keys: ['n', 'p'], does: 'Next and previous car' },
  { keys: ['f'], does: 'Follow the picked car, or stop following' },
  { keys: ['c'], does: 'Chase camera behind the picked car' },
  { keys: ['v'], does: 'What the picked car sees' },
  { keys: ['Arrows'], does: 'Move the map' },
  { keys: ['+', '−'], does: 'Zoom in and out' },
  { keys: ['[', ']'], does: 'Turn the map' },
  { keys: ['<', '>'], does: 'Tilt the map' },
  { keys: ['0'], does: 'The whole city' },
  { keys: ['Space'], does: 'Play and pause, a replay or the city' },
  { keys: [',', '.'], does: 'Back and forward, in a replay or in the past of the city' },
  { keys: ['l'], does: 'Back to live' },
  { keys: ['w'], does: 'What if: try something in a copy of the city' },
  { keys: ['?'], does: 'This help' },
  { keys: ['Esc'], does: 'Close what is open' },
];

/** Visitors who dictate can switch single-key shortcuts off. */
export const shortcutsAreOn = signal(readStored(...OFF) === null);

export function switchShortcuts(isOn: boolean): void {
  shortcutsAreOn.value = isOn;
  store(...OFF, isOn ? null : 'yes');
}

/** Handles the keys of `SHORTCUTS`. */
export function listenToKeys(viewer: Viewer, display: Display): void {
  const actions = actionsOf(viewer, display);
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || viewer.dialog.peek() !== null) return;
    if (event.altKey && !WITH_ALT.has(key)) return;
    if (!(target instanceof Element) || isTyping(target)) return;
    if (key !== 'Escape' && !shortcutsAreOn.peek()) return;
    // A focused control keeps the keys that it handles itself.
    const isOwn = key === ' ' || key.startsWith('Arrow');
    if (isOwn && target.closest('button, a, input, [role="tablist"], .panel') !== null) return;
    const action = actions[key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target: Element): boolean {
  return target.matches('input:not([type="range"]), textarea, select');
}

function actionsOf(viewer: Viewer, display: Display): Readonly<Record<string, () => void>> {
  const { camera, car } = viewer;
  const toMode = (mode: 'follow' | 'chase') => () => {
    if (car.vin.peek() === null) return;
    camera.value = camera.peek() === mode ? 'city' : mode;
  };
  const pan = (x: number, y: number) => () => {
    camera.value = 'city';
    display.scene.peek()?.camera.panBy(x * PAN_PX, y * PAN_PX);
  };
  const zoom = (factor: number) => () => display.scene.peek()?.camera.zoomBy(factor);
  return {
    '/': () => searchCars(viewer),
    n: () => viewer.pickNext(1),
    p: () => viewer.pickNext(-1),
    f: toMode('follow'),
    c: toMode('chase'),
    v: () => viewer.showLayer('sight', !viewer.layers.peek().sight),
    ArrowLeft: pan(1, 0),
    ArrowRight: pan(-1, 0),
    ArrowUp: pan(0, 1),
    ArrowDown: pan(0, -1),
    '+': zoom(ZOOM),
    '=': zoom(ZOOM),
    '-': zoom(1 / ZOOM),
    '[': () => display.scene.peek()?.camera.rotateBy(-TURN_RAD),
    ']': () => display.scene.peek()?.camera.rotateBy(TURN_RAD),
    '<': () => display.scene.peek()?.camera.tiltBy(-TURN_RAD),
    '>': () => display.scene.peek()?.camera.tiltBy(TURN_RAD),
    '0': () => {
      camera.value = 'city';
      display.scene.peek()?.camera.showAll();
    },
    ' ': () => viewer.toggle(),
    ',': () => viewer.step(-SEEK_TICKS),
    '.': () => viewer.step(SEEK_TICKS),
    l: () => viewer.goLive(),
    w: () => viewer.askWhatIf(),
    '?': () => viewer.open('help'),
    Escape: () => viewer.closeOpen(),
  };
}

function searchCars(viewer: Viewer): void {
  viewer.showLeft('cars');
  // The list is rendered after queued updates, and must have the focus before the next key.
  queueMicrotask(() => document.getElementById('fleet-search')?.focus());
}
