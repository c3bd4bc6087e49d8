import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import type { Resource } from './resource.ts';

const LINES = [1, 2, 3, 4, 5];

/** A placeholder while something loads. */
export function Loading({ what }: { what: string }) {
  return (
    <div class="skeleton" role="status">
      <p class="visually-hidden">Loading {what}</p>
      {LINES.map((line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** A placeholder for an empty list. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

interface NoteProps {
  kind?: 'good' | 'warn' | 'bad';
  children: ComponentChildren;
}

/** A message in the page. Screen readers announce a bad one at once. */
export function Note({ kind, children }: NoteProps) {
  return (
    <div class="note" data-kind={kind} role={kind === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** The error of a form or an action; nothing without a text. */
export function Failure({ text }: { text: string }) {
  if (!text) return null;
  return (
    <Note kind="bad">
      <p>{text}</p>
    </Note>
  );
}

interface ResourceViewProps<T> {
  resource: Resource<T>;
  /** Its name inside a sentence: "your cars". */
  what: string;
  children: (value: T) => ComponentChildren;
}

/** Shows a resource: loading, failed with a button to try again, or its value. */
export function ResourceView<T>({ resource, what, children }: ResourceViewProps<T>) {
  const { value, error, isLoading, reload } = resource;
  const failure = error ? (
    <Note kind="bad">
      <p>
        Could not load {what}. {error.message}
      </p>
      <Button size="small" disabled={isLoading} onClick={reload}>
        Try again
      </Button>
    </Note>
  ) : null;
  if (value === undefined) return failure ?? <Loading what={what} />;
  return (
    <>
      {failure}
      {children(value)}
    </>
  );
}
