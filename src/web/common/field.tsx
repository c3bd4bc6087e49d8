import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface ControlProps {
  name: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** What is wrong with it. */
  error?: string | undefined;
  hint?: string | undefined;
  required?: boolean;
}

interface FieldProps extends ControlProps {
  type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'search';
  inputMode?: 'decimal' | 'text';
  autocomplete?: string;
  placeholder?: string;
  /** What may be meant. */
  suggestions?: readonly string[];
  /** Names and numbers of things are not words to correct. */
  spellcheck?: boolean;
}

/** A line of text with its name, and with what is wrong with it. */
export function Field(props: FieldProps) {
  const { suggestions, type = 'text' } = props;
  const id = useId();
  return (
    <Labelled id={id} {...props}>
      <input
        {...attributesOf(id, props)}
        // The types of Preact keep a list from some kinds of input; browsers do not.
        type={type as 'text'}
        inputMode={props.inputMode}
        autocomplete={props.autocomplete ?? 'off'}
        placeholder={props.placeholder}
        spellcheck={props.spellcheck ?? false}
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

/** One of several, with what is wrong with it. */
export function Select(props: SelectProps) {
  const id = useId();
  return (
    <Labelled id={id} {...props}>
      <select {...attributesOf(id, props)}>{props.children}</select>
    </Labelled>
  );
}

/** What every control has, whatever its kind. */
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

/** A control below its name, and above what there is to say of it. */
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
