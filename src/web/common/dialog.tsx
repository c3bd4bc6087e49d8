import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  /** Called by the button and by Escape. Clicks outside do not close: they are often accidental. */
  onClose: () => void;
  /** Label of the button that closes. */
  closeLabel?: string;
  children: ComponentChildren;
}

type Field = HTMLInputElement | HTMLSelectElement;

/** A modal dialog, open while it is rendered. */
export function Dialog({ title, onClose, closeLabel = 'Close', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The browser would focus the close button.
    const fields = [
      ...(dialog.current?.querySelectorAll<Field>('.dialog-body :is(input, select)') ?? []),
    ];
    (fields.find(({ value }) => value === '') ?? fields[0])?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" size="small" onClick={onClose}>
          {closeLabel}
        </Button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
