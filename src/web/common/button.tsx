import type { ComponentChildren } from 'preact';

interface ButtonProps {
  kind?: 'main' | 'danger' | 'quiet' | undefined;
  size?: 'small' | undefined;
  type?: 'button' | 'submit';
  disabled?: boolean | undefined;
  /** The accessible name, where the content does not say what the button does. */
  label?: string | undefined;
  /** The content is an icon only. */
  icon?: boolean;
  /** What it does is done; undefined: it is no toggle. */
  pressed?: boolean;
  /** Whether what it opens is open; undefined: it opens nothing. */
  expanded?: boolean;
  onClick?: (event: MouseEvent) => void;
  children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind, size, type = 'button', disabled, label, icon, children } = props;
  return (
    <button
      type={type}
      class="button"
      data-kind={kind}
      data-size={size}
      data-icon={icon ? '' : undefined}
      disabled={disabled}
      aria-label={label}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      title={icon ? label : undefined}
      onClick={props.onClick}
    >
      {children}
    </button>
  );
}

interface SwitchProps {
  isOn: boolean;
  /** Read out, and shown unless `hidesLabel`. */
  label: string;
  hidesLabel?: boolean;
  /** A change is in progress. */
  isBusy?: boolean;
  onChange: (isOn: boolean) => void;
}

/** A toggle that takes effect at once. */
export function Switch(props: SwitchProps) {
  const { isOn, label, hidesLabel, isBusy = false, onChange } = props;
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-busy={isBusy}
      aria-label={hidesLabel ? label : undefined}
      onClick={() => {
        if (!isBusy) onChange(!isOn);
      }}
    >
      <span class="switch-track" />
      {hidesLabel ? null : <span>{label}</span>}
    </button>
  );
}
