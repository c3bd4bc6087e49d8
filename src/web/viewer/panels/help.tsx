import { Button, Switch } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { Loading } from '../../common/states.tsx';
import { needsText, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { SHORTCUTS, shortcutsAreOn, switchShortcuts } from '../page/shortcuts.ts';
import { GROUPS } from './features.tsx';
import { startTour } from './tour.tsx';

/** The features with their needs, and the keys of the page. */
export function Help() {
  const viewer = useViewer();
  const close = () => {
    viewer.dialog.value = null;
  };
  return (
    <Dialog title="Help" onClose={close}>
      <p>
        Every car here drives itself with twelve features: actuators that move it, sensors that see,
        and functions that need both. Switch something off, and the functions that need it are
        degraded: they are still switched on, and do nothing.
      </p>
      <div>
        <Button
          onClick={() => {
            close();
            startTour();
          }}
        >
          Take the tour
        </Button>
      </div>
      {viewer.catalogue.value.length === 0 ? <Loading what="the features" /> : null}
      {GROUPS.map(({ group, name }) => (
        <section class="section" key={group}>
          <h3>{name}</h3>
          <dl class="help-features">
            {viewer.catalogue.value
              .filter((feature) => feature.group === group)
              .map((feature) => (
                <div key={feature.name}>
                  <dt>{title(feature.name)}</dt>
                  <dd>
                    {feature.description} <span class="soft">{needsText(feature)}</span>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <Keys />
    </Dialog>
  );
}

function Keys() {
  return (
    <section class="section">
      <h3>Keys</h3>
      <Switch label="Single-key shortcuts" isOn={shortcutsAreOn.value} onChange={switchShortcuts} />
      <dl class="help-keys">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
