import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface TabsProps<Name extends string> {
  label: string;
  /** By name, in order. */
  tabs: Readonly<Record<Name, string>>;
  chosen: Name;
  onChoose: (name: Name) => void;
  /** The content of the chosen tab. */
  children: ComponentChildren;
}

/** Tabs; arrow keys move between them. */
export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, tabs, chosen, onChoose, children } = props;
  const id = useId();
  const names = Object.keys(tabs) as Name[];
  const step = (by: number, list: HTMLElement) => {
    const next = (names.indexOf(chosen) + by + names.length) % names.length;
    onChoose(names[next] as Name);
    list.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'ArrowRight') step(1, currentTarget);
          if (key === 'ArrowLeft') step(-1, currentTarget);
        }}
      >
        {names.map((name) => (
          <button
            type="button"
            class="tab"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
