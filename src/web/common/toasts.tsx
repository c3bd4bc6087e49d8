import { signal } from '@preact/signals';
import { Button } from './button.tsx';
import { reasonOf } from './request.ts';

interface Action {
  /** The text of its button. */
  words: string;
  run: () => void;
}

interface ToastOptions {
  kind?: 'good' | 'bad';
  action?: Action;
  /** It is only read out. */
  isHidden?: boolean;
  /** It stays until it is closed. By default an error does that cannot be acted on. */
  stays?: boolean;
  /** A new one of the same topic takes the place of the old one. */
  topic?: string;
}

interface Toast extends ToastOptions {
  id: number;
  text: string;
}

const SHOWN_MS = 7000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a message for a moment; screen readers announce it. */
export function showToast(text: string, options: ToastOptions = {}): void {
  const id = ++lastId;
  const { kind = 'good', topic, stays = kind === 'bad' && !options.action } = options;
  const others = toasts.peek().filter((toast) => topic === undefined || toast.topic !== topic);
  toasts.value = [...others, { ...options, id, kind, text }];
  if (!stays) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows why something failed that the page does not wait for. */
export function showFailure(error: unknown): void {
  showToast(reasonOf(error), { kind: 'bad' });
}

/** Takes away what was said on a topic that is settled; without one all that was said to somebody who has left. */
export function clearToasts(topic?: string): void {
  toasts.value = toasts.peek().filter((toast) => topic !== undefined && toast.topic !== topic);
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

/** The list of toasts. It is always rendered: screen readers announce only what is added to it. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text, action, isHidden }) => (
        <div class={isHidden ? 'visually-hidden' : 'toast'} data-kind={kind} key={id}>
          <p>{text}</p>
          {action === undefined ? null : (
            <Button
              size="small"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.words}
            </Button>
          )}
          {isHidden ? null : (
            <Button kind="quiet" size="small" onClick={() => dismiss(id)}>
              Close<span class="visually-hidden"> this message</span>
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
