import { Button } from '../../common/button.tsx';
import { ThemeToggle } from '../../common/theme-toggle.tsx';
import { usePage, useViewer } from '../page/context.ts';
import { Icon, IconButton } from './icons.tsx';
import { StatusChip } from './status.tsx';

export function Header() {
  const { viewer, display } = usePage();
  const name = viewer.map.value?.city;
  const city = viewer.cities.value.find((each) => each.name === name);
  const what =
    city === undefined
      ? ' of twenty cars'
      : `: ${city.title.charAt(0).toLowerCase()}${city.title.slice(1)}`;
  return (
    <header class="top">
      <div class="top-name">
        <h1>Driving twin</h1>
        <p class="small soft">A simulated city{what}</p>
      </div>
      <StatusChip />
      <Watchers />
      <div class="top-actions">
        {viewer.demonstration.phase.value.name === 'invitation' ? null : (
          <Button size="small" onClick={() => viewer.demonstration.begin()}>
            Show me
          </Button>
        )}
        <IconButton
          name="city"
          kind="quiet"
          label="New city"
          onClick={() => viewer.open('new-city')}
        />
        <IconButton
          name="share"
          kind="quiet"
          label="Share this view"
          onClick={() => viewer.share(display.scene.peek()?.camera.use)}
        />
        <IconButton name="help" kind="quiet" label="Help" onClick={() => viewer.open('help')} />
        <ThemeToggle />
      </div>
    </header>
  );
}

function Watchers() {
  const { live } = useViewer();
  const count = live.watchers.value;
  // The service does not count pages that poll.
  if (count === 0 || live.status.value === 'gone') return null;
  const words = count === 1 ? '1 watcher' : `${count} watchers`;
  return (
    <p class="watchers" title={words}>
      <Icon name="watchers" />
      <span aria-hidden="true">{count}</span>
      <span class="visually-hidden">{words}</span>
    </p>
  );
}
