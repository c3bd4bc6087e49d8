import { signal } from '@preact/signals';
import { Button } from './button.tsx';

interface Toast {
  id: number;
  kind: 'good' | 'bad';
  text: string;
}

const SHOWN_MS = 7000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says what was done, or could not be: on the page for a moment, and to a screen reader. */
export function showToast(text: string, kind: Toast['kind'] = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.peek(), { id, kind, text }];
  // What went wrong stays until it was read.
  if (kind === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

/** Where toasts are shown. It is there from the start: screen readers only tell of what is put in. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div class="toast" data-kind={kind} key={id}>
          <p>{text}</p>
          <Button kind="quiet" size="small" onClick={() => dismiss(id)}>
            Close<span class="visually-hidden"> this message</span>
          </Button>
        </div>
      ))}
    </div>
  );
}
