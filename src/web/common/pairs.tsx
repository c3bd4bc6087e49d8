import type { ComponentChildren } from 'preact';

interface PairsProps {
  /** Name and value, in order. */
  pairs: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
  /** `pairs`: one below the other; `figures`: side by side, the value large. */
  kind?: string;
  label?: string;
}

/** Names with their values. */
export function Pairs({ pairs, kind = 'pairs', label }: PairsProps) {
  return (
    <dl class={kind} aria-label={label}>
      {pairs.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
