import { Button } from '../../common/button.tsx';
import { ThemeToggle } from '../../common/theme-toggle.tsx';
import { useViewer } from '../page/context.ts';
import { Icon } from './icons.tsx';
import { StatusChip } from './status.tsx';

export function Header() {
  const viewer = useViewer();
  const name = viewer.live.world.value?.city ?? viewer.map.value?.city;
  const city = viewer.cities.value.find((each) => each.name === name);
  return (
    <header class="top">
      <div class="top-name">
        <h1>Driving twin</h1>
        <p class="small soft">{city?.title ?? 'A city of twenty cars'}</p>
      </div>
      <StatusChip />
      <Watchers />
      <div class="top-actions">
        <Button
          kind="quiet"
          icon
          label="New city"
          onClick={() => (viewer.dialog.value = 'new-city')}
        >
          <Icon name="city" />
        </Button>
        <Button kind="quiet" icon label="Share this view" onClick={() => viewer.share()}>
          <Icon name="share" />
        </Button>
        <Button kind="quiet" icon label="Help" onClick={() => (viewer.dialog.value = 'help')}>
          <Icon name="help" />
        </Button>
        <ThemeToggle />
      </div>
    </header>
  );
}

function Watchers() {
  const { live } = useViewer();
  const count = live.world.value?.watchers ?? 0;
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
