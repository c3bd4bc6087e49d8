import type { ComponentChildren, Ref } from 'preact';

interface ButtonProps {
  kind?: 'main' | 'danger' | 'quiet' | undefined;
  size?: 'small' | undefined;
  type?: 'button' | 'submit';
  disabled?: boolean | undefined;
  /** The accessible name, where the content does not say what the button does. */
  label?: string | undefined;
  /** The content is an icon only. */
  icon?: boolean;
  pressed?: boolean | undefined;
  buttonRef?: Ref<HTMLButtonElement>;
  onClick?: (event: MouseEvent) => void;
  children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind, size, type = 'button', disabled, label, icon, pressed, children } = props;
  return (
    <button
      ref={props.buttonRef ?? null}
      type={type}
      class="button"
      data-kind={kind}
      data-size={size}
      data-icon={icon ? '' : undefined}
      disabled={disabled}
      aria-label={label}
      aria-pressed={pressed}
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
  disabled?: boolean;
  onChange: (isOn: boolean) => void;
}

/** A toggle that takes effect at once. */
export function Switch(props: SwitchProps) {
  const { isOn, label, hidesLabel, isBusy = false, disabled = false, onChange } = props;
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-busy={isBusy}
      aria-label={hidesLabel ? label : undefined}
      disabled={disabled}
      onClick={() => {
        if (!isBusy) onChange(!isOn);
      }}
    >
      <span class="switch-track" />
      {hidesLabel ? null : <span>{label}</span>}
    </button>
  );
}
