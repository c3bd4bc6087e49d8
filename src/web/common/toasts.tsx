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

/** Shows a message for a moment; screen readers announce it. */
export function showToast(text: string, kind: Toast['kind'] = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.peek(), { id, kind, text }];
  // An error stays until it is closed.
  if (kind === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

/** The list of toasts. It is always rendered: screen readers announce only what is added to it. */
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
