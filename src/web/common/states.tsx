import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import type { Resource } from './resource.ts';

const LINES = [1, 2, 3, 4, 5];

/** That something is on its way. */
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

/** That there is nothing yet, and what would change that. */
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

/** Something to know. What is bad is read out at once. */
export function Note({ kind, children }: NoteProps) {
  return (
    <div class="note" data-kind={kind} role={kind === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

interface ResourceViewProps<T> {
  resource: Resource<T>;
  /** What it is, in a sentence: "your cars". */
  what: string;
  children: (value: T) => ComponentChildren;
}

/** A resource in whichever state it is: on its way, failed with a way to try again, or there. */
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
