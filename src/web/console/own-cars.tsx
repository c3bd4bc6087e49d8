import { useMemo } from 'preact/hooks';
import { Pairs } from '../common/pairs.tsx';
import { Empty, ResourceView } from '../common/states.tsx';
import { FLAGS, FlagSwitch } from './flags.tsx';
import { LivingCell } from './living-cell.tsx';
import { CarLooks, dayWritten, nameOf, Page, Refresh, Vin } from './parts.tsx';
import { replaced, useCars } from './records.tsx';
import { session } from './session.ts';
import type { Car } from './types.ts';

/** The cars of a customer, with their switches. */
export function OwnCarsPage() {
  const cars = useCars();
  const username = session.value?.username;
  const own = useMemo(
    () => (cars.value ?? []).filter(({ owner }) => owner?.username === username),
    [cars.value, username],
  );
  return (
    <Page
      title="Your cars"
      lead="Whoever opens a car’s city from here sees there what you switch. It does not change how the car drives."
      actions={<Refresh of={cars} />}
    >
      <ResourceView resource={cars} what="your cars">
        {() =>
          own.length === 0 ? (
            <Empty title="You have no car yet">
              <p>
                When your dealer sets you as the owner with the email in{' '}
                <a href="#/profile">your profile</a>, the car appears here.
              </p>
            </Empty>
          ) : (
            <ul class="own-cars" aria-label="Your cars">
              {own.map((car) => (
                <OwnCar car={car} key={car.vin} onChange={(now) => cars.set(replaced(now))} />
              ))}
            </ul>
          )
        }
      </ResourceView>
    </Page>
  );
}

interface OwnCarProps {
  car: Car;
  onChange: (car: Car) => void;
}

function OwnCar({ car, onChange }: OwnCarProps) {
  return (
    <li class="panel own-car" aria-label={nameOf(car)}>
      <CarLooks car={car} isLink />
      <div class="own-car-flags">
        {FLAGS.map((each) => (
          <FlagSwitch car={car} of={each} key={each.flag} onChange={onChange} />
        ))}
      </div>
      <Pairs
        pairs={[
          ['VIN', <Vin vin={car.vin} key="vin" />],
          ['Dealer', car.dealer ?? 'none'],
          ['Yours since', dayWritten(car.owner?.since)],
          ['In a city', <LivingCell car={car} elsewhere="not now" key="city" />],
        ]}
      />
    </li>
  );
}
