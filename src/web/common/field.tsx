import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface ControlProps {
  name: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** Why the value was refused. */
  error?: string | undefined;
  hint?: string | undefined;
  required?: boolean;
}

interface FieldProps extends ControlProps {
  type?: 'text' | 'password' | 'email' | 'tel' | 'date';
  inputMode?: 'decimal';
  autocomplete?: string;
  placeholder?: string;
  /** Values to choose from. */
  suggestions?: readonly string[];
}

/** A text input with label, hint and error. */
export function Field(props: FieldProps) {
  const { suggestions, type = 'text' } = props;
  const id = useId();
  return (
    <Labelled id={id} {...props}>
      <input
        {...attributesOf(id, props)}
        // Preact's types allow `list` for some types only; browsers allow it for all of these.
        type={type as 'text'}
        inputMode={props.inputMode}
        autocomplete={props.autocomplete ?? 'off'}
        placeholder={props.placeholder}
        // Names and numbers are not words.
        spellcheck={false}
        autocapitalize={type === 'text' ? 'off' : undefined}
        list={suggestions ? `${id}-list` : undefined}
      />
      {suggestions ? (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option value={each} key={each} />
          ))}
        </datalist>
      ) : null}
    </Labelled>
  );
}

interface SelectProps extends ControlProps {
  /** `<option>`s. */
  children: ComponentChildren;
}

/** A select with label, hint and error. */
export function Select(props: SelectProps) {
  const id = useId();
  return (
    <Labelled id={id} {...props}>
      <select {...attributesOf(id, props)}>{props.children}</select>
    </Labelled>
  );
}

/** Attributes of every control. */
function attributesOf(id: string, { name, value, required, error, hint, onInput }: ControlProps) {
  const below = [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`];
  return {
    id,
    name,
    value,
    'aria-required': required,
    'aria-invalid': error !== undefined,
    'aria-describedby': below.filter((part) => part !== '').join(' ') || undefined,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onInput(currentTarget.value),
  };
}

type LabelledProps = Pick<ControlProps, 'label' | 'error' | 'hint'> & {
  id: string;
  children: ComponentChildren;
};

/** A control with its label above, and its error and hint below. */
function Labelled({ id, label, error, hint, children }: LabelledProps) {
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children}
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
    </div>
  );
}
