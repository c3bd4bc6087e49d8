import { Button, Switch } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { Pairs } from '../../common/pairs.tsx';
import { Loading } from '../../common/states.tsx';
import type { Feature } from '../api/types.ts';
import { needsText, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { SHORTCUTS, shortcutsAreOn, switchShortcuts } from '../page/shortcuts.ts';
import { GROUPS } from './features.tsx';

/** The features with their needs, and the keys of the page. */
export function Help() {
  const viewer = useViewer();
  const close = () => viewer.open(null);
  return (
    <Dialog title="Help" onClose={close}>
      <p>
        This is a simulated city with twenty cars that drive themselves, each with twelve features:
        actuators that move it, sensors that see, and functions that need both. Switch one off, and
        what needs it stops working. When a car crashes, a report says what would have saved it.
      </p>
      <div>
        <Button
          onClick={() => {
            close();
            void viewer.demonstration.begin();
          }}
        >
          Show me what a feature is for
        </Button>
      </div>
      {viewer.catalogue.value.length === 0 ? <Loading what="the features" /> : null}
      {GROUPS.map(({ group, name }) => (
        <section class="section" key={group}>
          <h3>{name}</h3>
          <Pairs
            kind="help-features"
            pairs={viewer.catalogue.value
              .filter((feature) => feature.group === group)
              .map((feature) => [title(feature.name), <Purpose feature={feature} key="does" />])}
          />
        </section>
      ))}
      <Keys />
    </Dialog>
  );
}

function Purpose({ feature }: { feature: Feature }) {
  return (
    <>
      {feature.description} <span class="soft">{needsText(feature)}</span>
    </>
  );
}

function Keys() {
  return (
    <section class="section">
      <h3>Keys</h3>
      <Switch label="Single-key shortcuts" isOn={shortcutsAreOn.value} onChange={switchShortcuts} />
      <Pairs
        kind="help-keys"
        pairs={SHORTCUTS.map(({ keys, does }) => [
          keys.map((key) => <kbd key={key}>{key}</kbd>),
          does,
        ])}
      />
    </section>
  );
}
