import { Pairs } from '../../common/pairs.tsx';
import { useViewer } from '../page/context.ts';
import { CONSOLE_URL } from '../page/remote-flags.ts';

/** What the dealer platform has to do with the car: its remote flags, and the way to the console. */
export function Remote({ vin }: { vin: string }) {
  const flags = useViewer().remote.flags.value;
  if (CONSOLE_URL === '') return null;
  const addPath = `cars?${new URLSearchParams({ add: vin })}`;
  return (
    <section class="section" aria-labelledby="remote">
      <h3 id="remote">Dealer platform</h3>
      {flags ? (
        <Pairs
          label="Remote flags"
          pairs={[
            ['Fleet of', flags.dealer ?? 'no dealer'],
            ['Doors', flags.locked ? 'Locked' : 'Unlocked'],
            ['Climate', flags.climate ? 'Being kept warm' : 'Off'],
            ['Battery', flags.charging ? 'Charging' : 'Not charging'],
          ]}
        />
      ) : null}
      <p class="row-line">
        {flags === null ? <ConsoleLink path={addPath}>Add to a fleet</ConsoleLink> : null}
        <ConsoleLink path={`cars/${encodeURIComponent(vin)}`}>
          Open in the dealer console
        </ConsoleLink>
      </p>
      <p class="small soft">
        Lock, climate and charging are switched there. They do not affect how the car drives.
      </p>
    </section>
  );
}

function ConsoleLink({ path, children }: { path: string; children: string }) {
  return (
    <a class="button" data-size="small" href={`${CONSOLE_URL}/#/${path}`} target="console">
      {children}
    </a>
  );
}
