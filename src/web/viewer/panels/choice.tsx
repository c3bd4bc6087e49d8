import type { ComponentChildren } from 'preact';

interface ChoiceProps<Value> {
  legend: string;
  options: readonly (readonly [value: Value, label: ComponentChildren])[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

/** One of a few values, as a row of buttons. */
export function Choice<Value extends string | number>(props: ChoiceProps<Value>) {
  return (
    <fieldset class="speeds">
      <legend class="visually-hidden">{props.legend}</legend>
      {props.options.map(([value, label]) => (
        <button
          type="button"
          class="tab"
          key={value}
          aria-pressed={value === props.chosen}
          onClick={() => props.onChoose(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
