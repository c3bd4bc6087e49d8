import { Pairs } from '../common/pairs.tsx';
import { ResourceView } from '../common/states.tsx';
import { DealerTable } from './dealers.tsx';
import { LogInCard } from './log-in.tsx';
import { Page } from './parts.tsx';
import { useDealers, usePlatformState } from './records.tsx';
import { NEW_CITY_URL } from './settings.ts';
import type { PlatformState } from './types.ts';

/** The start page without a log-in. */
export function WelcomePage() {
  const state = usePlatformState();
  const dealers = useDealers();
  return (
    <Page
      title="Every car, from anywhere"
      lead="Fleets, owners and remote control for connected cars: lock them, warm them, charge them."
    >
      <div class="welcome">
        <ResourceView resource={state} what="the figures">
          {(figures) => <Pairs kind="figures" pairs={Object.entries(shownOf(figures))} />}
        </ResourceView>
        <LogInCard />
        <section class="panel" aria-labelledby="city">
          <h2 id="city">Twenty cars that drive themselves</h2>
          <p>
            Open a city of your own, switch off a car’s safety features, and see what happens and
            what would have saved it. Any of its cars can be put into a fleet here.
          </p>
          <p>
            <a class="button" data-kind="main" href={NEW_CITY_URL}>
              Open a city
            </a>
          </p>
        </section>
        <section class="section" aria-labelledby="dealers">
          <h2 id="dealers">Our dealers</h2>
          <ResourceView resource={dealers} what="the dealers">
            {(all) => <DealerTable dealers={all} isPlain />}
          </ResourceView>
          <ul class="roles">
            <li>
              <h3>For customers</h3>
              <p class="small soft">
                Lock your cars, warm them up and charge them from wherever you are, and keep your
                profile.
              </p>
            </li>
            <li>
              <h3>For dealers</h3>
              <p class="small soft">
                Put cars into your fleet by VIN, set who owns them, and look after your customers.
              </p>
            </li>
          </ul>
        </section>
      </div>
    </Page>
  );
}

function shownOf({ dealers, customers, cars, worlds }: PlatformState) {
  return { Dealers: dealers, Customers: customers, Cars: cars.total, Cities: worlds };
}
