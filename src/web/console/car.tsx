import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Pairs } from '../common/pairs.tsx';
import { Empty, ResourceView } from '../common/states.tsx';
import { AuditTrail } from './audit-trail.tsx';
import { FLAGS, FlagSwitch } from './flags.tsx';
import { LivingCell } from './living-cell.tsx';
import { OwnerDialog } from './owner.tsx';
import { CarLooks, dayWritten, nameOf, Page, Refresh, timeOf, Vin } from './parts.tsx';
import { replaced, useCars } from './records.tsx';
import { session } from './session.ts';
import type { Car } from './types.ts';

/** One car, with what the account may see and change. */
export function CarPage({ vin }: { vin: string }) {
  const cars = useCars();
  const car = cars.value?.find((each) => each.vin === vin);
  const list = { user: 'Your cars', dealer: 'Your fleet', admin: 'All cars' };
  return (
    <Page
      title={car === undefined ? vin : nameOf(car)}
      lead={<a href="#/cars">{list[session.value?.role ?? 'admin']}</a>}
      actions={<Refresh of={cars} />}
    >
      <ResourceView resource={cars} what="the car">
        {() =>
          car === undefined ? (
            <Unknown vin={vin} />
          ) : (
            <CarSheets car={car} onChange={(now) => cars.set(replaced(now))} />
          )
        }
      </ResourceView>
    </Page>
  );
}

function Unknown({ vin }: { vin: string }) {
  return (
    <Empty title="This car is not on the platform">
      {session.value?.role === 'user' ? (
        <p>A dealer can add it by its VIN.</p>
      ) : (
        <a href={`#/cars?${new URLSearchParams({ add: vin })}`}>Add it to a fleet</a>
      )}
    </Empty>
  );
}

interface CarSheetsProps {
  car: Car;
  onChange: (car: Car) => void;
}

function CarSheets({ car, onChange }: CarSheetsProps) {
  // Only who may change the car sees its flags.
  const isOpen = car.locked !== null;
  return (
    <div class="sheets">
      <section class="panel" aria-label="The car">
        <CarLooks car={car} />
        <Pairs
          pairs={[
            ['VIN', <Vin vin={car.vin} key="vin" />],
            ['Dealer', car.dealer ?? 'none'],
            ['Changed', timeOf(car.updated_at)],
          ]}
        />
      </section>
      <section class="panel" aria-labelledby="drives">
        <h2 id="drives">In a city</h2>
        <LivingCell car={car} elsewhere="It drives in no city at the moment." />
      </section>
      {isOpen ? (
        <>
          <Remote car={car} onChange={onChange} />
          <Ownership car={car} onChange={onChange} />
          <AuditTrail
            of="car"
            path={`/api/cars/${encodeURIComponent(car.vin)}`}
            stamp={car.updated_at}
          />
        </>
      ) : null}
    </div>
  );
}

function Remote({ car, onChange }: CarSheetsProps) {
  return (
    <section class="panel own-car" aria-labelledby="remote">
      <h2 id="remote">Remote control</h2>
      <div class="own-car-flags">
        {FLAGS.map((each) => (
          <FlagSwitch car={car} of={each} key={each.flag} onChange={onChange} />
        ))}
      </div>
      <p class="small soft">This does not change how the car drives.</p>
    </section>
  );
}

function Ownership({ car, onChange }: CarSheetsProps) {
  const [isOpen, setOpen] = useState(false);
  const { owner } = car;
  const isUser = session.value?.role === 'user';
  return (
    <section class="panel" aria-labelledby="owner">
      <h2 id="owner">Owner</h2>
      {owner === null ? (
        <p class="soft">Nobody owns it.</p>
      ) : (
        <Pairs
          pairs={[
            ['Email', owner.email],
            ['Account', owner.username ?? 'none has this email'],
            ['Since', dayWritten(owner.since)],
          ]}
        />
      )}
      {isUser ? null : (
        <div>
          <Button size="small" onClick={() => setOpen(true)}>
            Change the owner
          </Button>
        </div>
      )}
      {isOpen ? <OwnerDialog car={car} onClose={() => setOpen(false)} onChange={onChange} /> : null}
    </section>
  );
}
