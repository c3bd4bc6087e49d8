import type { ComponentProps } from 'preact';
import { Button } from '../../common/button.tsx';
import { Outline } from '../../common/outline.tsx';

const PATHS = {
  cars: 'M3 13v-2.2l1.6-4A2 2 0 0 1 6.4 5.5h7.2a2 2 0 0 1 1.8 1.3l1.6 4V13m-14 0h14m-14 0v2.2h2.2V13m9.6 0v2.2H17V13M5.2 10.4h9.6',
  events: 'M4 5.5h.01M4 10h.01M4 14.5h.01M7.5 5.5H16M7.5 10H16M7.5 14.5H16',
  incidents: 'M10 3.5 17.5 16h-15L10 3.5Zm0 4.8v3.4m0 2.2v.1',
  car: 'M10 3.2a6.8 6.8 0 1 0 0 13.6 6.8 6.8 0 0 0 0-13.6Zm0 4.4a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8Zm0 4.8v4.2M7.7 9.4 3.5 8.3m8.8 1.1 4.2-1.1',
  share:
    'M13.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm-8-5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm1.8-1 4.4 3.4M11.7 5.6 7.3 9',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm-2-8.7a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4m0 2.2v.1',
  city: 'M3 17V8l4-2.5V17m0-6.5h6M7 17V3h6v14m0-9 4 2v7M9.5 6h1m-1 3.5h1m-1 3.5h1',
  close: 'm5 5 10 10M15 5 5 15',
  play: 'M6 4v12l10-6L6 4Z',
  again: 'M4.5 3.5v4h4M4.9 7.5a6.3 6.3 0 1 1-1 4.5',
  pause: 'M6.5 4.5v11m7-11v11',
  'frame-back': 'M14 5 8 10l6 5V5ZM5.5 5v10',
  'frame-on': 'm6 5 6 5-6 5V5Zm8.5 0v10',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  whole: 'M3.5 7V3.5H7m6 0h3.5V7m0 6v3.5H13m-6 0H3.5V13',
  tilt: 'M2.5 13.5 10 17l7.5-3.5L10 10l-7.5 3.5ZM10 7.5V3m-2.2 2L10 2.8 12.2 5',
  layers: 'm10 3 7.5 4L10 11 2.5 7 10 3Zm-7.5 7.5 7.5 4 7.5-4m-15 3.3 7.5 4 7.5-4',
  compass: 'M10 2.5 13 10l-3 7.5L7 10l3-7.5Zm-3 7.5h6',
  copy: 'M7 7V3.5h9.5V13H13M3.5 7H13v9.5H3.5V7Z',
  watchers:
    'M2.5 10S5.2 5 10 5s7.5 5 7.5 5-2.7 5-7.5 5-7.5-5-7.5-5Zm7.5 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  back: 'M12.5 4.5 7 10l5.5 5.5',
} as const;

type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <Outline path={PATHS[name]} />;
}

type IconButtonProps = Omit<ComponentProps<typeof Button>, 'icon' | 'children'> & {
  name: IconName;
};

/** A button with an icon only; its label is read out. */
export function IconButton({ name, ...button }: IconButtonProps) {
  return (
    <Button icon {...button}>
      <Icon name={name} />
    </Button>
  );
}
