import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  name: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** What is wrong with it. */
  error?: string | undefined;
  hint?: string | undefined;
  type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'search';
  inputMode?: 'decimal' | 'text';
  autocomplete?: string;
  placeholder?: string;
  /** What may be meant. */
  suggestions?: readonly string[];
  required?: boolean;
  /** Names and numbers of things are not words to correct. */
  spellcheck?: boolean;
}

/** A line of text with its name, and with what is wrong with it. */
export function Field(props: FieldProps) {
  const { label, name, value, error, hint, suggestions, type = 'text' } = props;
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        name={name}
        // The types of Preact keep a list from some kinds of input; browsers do not.
        type={type as 'text'}
        value={value}
        inputMode={props.inputMode}
        autocomplete={props.autocomplete ?? 'off'}
        placeholder={props.placeholder}
        spellcheck={props.spellcheck ?? false}
        autocapitalize={type === 'text' ? 'off' : undefined}
        list={suggestions ? `${id}-list` : undefined}
        aria-required={props.required}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, hint, error)}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      />
      {suggestions ? (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option value={each} key={each} />
          ))}
        </datalist>
      ) : null}
      <Below id={id} hint={hint} error={error} />
    </div>
  );
}

interface SelectProps {
  name: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  error?: string | undefined;
  hint?: string | undefined;
  required?: boolean;
  /** `<option>`s. */
  children: ComponentChildren;
}

/** One of several, with what is wrong with it. */
export function Select(props: SelectProps) {
  const { label, name, value, error, hint, children } = props;
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        value={value}
        aria-required={props.required}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, hint, error)}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      >
        {children}
      </select>
      <Below id={id} hint={hint} error={error} />
    </div>
  );
}

function describedBy(id: string, hint?: string, error?: string): string | undefined {
  const parts = [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`];
  return parts.filter((part) => part !== '').join(' ') || undefined;
}

function Below({
  id,
  hint,
  error,
}: {
  id: string;
  hint?: string | undefined;
  error?: string | undefined;
}) {
  return (
    <>
      {error === undefined ? null : (
        <span class="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
      {hint === undefined ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </>
  );
}
