import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  /** By its button or by Escape; a click beside it is often none that was meant. */
  onClose: () => void;
  /** What closing it means; by default nothing. */
  closeLabel?: string;
  children: ComponentChildren;
}

type Field = HTMLInputElement | HTMLSelectElement;

/** Something to deal with before the page goes on. It is open while it is rendered. */
export function Dialog({ title, onClose, closeLabel = 'Close', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // Otherwise the way out would come first.
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
