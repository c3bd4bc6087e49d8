import { ResourceView } from '../common/states.tsx';
import { useDealers } from './dealer-options.tsx';
import { DealerTable } from './dealers.tsx';
import { Figures, usePlatformState } from './figures.tsx';
import { LogInCard } from './log-in.tsx';
import { Page } from './parts.tsx';
import { NEW_CITY_URL } from './settings.ts';
import type { PlatformState } from './types.ts';

/** What a visitor sees who has not logged in. */
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
          {(figures) => <Figures figures={shownOf(figures)} />}
        </ResourceView>
        <LogInCard />
        <section class="section" aria-labelledby="dealers">
          <h2 id="dealers">Our dealers</h2>
          <ResourceView resource={dealers} what="the dealers">
            {(all) => <DealerTable dealers={all} isPlain />}
          </ResourceView>
          <p class="soft">
            Cars of a living city can join a fleet. <a href={NEW_CITY_URL}>Open a city</a>, pick a
            car and copy its VIN.
          </p>
        </section>
      </div>
    </Page>
  );
}

function shownOf({ dealers, customers, cars, worlds }: PlatformState) {
  return { Dealers: dealers, Customers: customers, Cars: cars.total, 'Living cities': worlds };
}
