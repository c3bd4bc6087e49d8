import { useMemo, useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Empty, ResourceView } from '../common/states.tsx';
import { type Column, Table } from '../common/table.tsx';
import { Tabs } from '../common/tabs.tsx';
import { AddCar } from './add-car.tsx';
import { BulkSwitches } from './bulk.tsx';
import { FLAGS, FlagSwitch } from './flags.tsx';
import { LivingCell } from './living-cell.tsx';
import { OwnerDialog } from './owner.tsx';
import { CarLooks, dayWritten, nameOf, Page, Refresh, Vin } from './parts.tsx';
import { allReplaced, replaced, useCars, without } from './records.tsx';
import { RemoveCar } from './remove-car.tsx';
import { route } from './route.ts';
import { session } from './session.ts';
import type { Car } from './types.ts';

/** The fleet of a dealer; for admins, all fleets. */
export function FleetPage() {
  const cars = useCars();
  const isAdmin = session.value?.role === 'admin';
  const change = (car: Car) => cars.set(replaced(car));
  const changeMany = (some: readonly Car[]) => cars.set(allReplaced(some));
  const remove = (car: Car) => cars.set(without(car.vin));
  const changes = { onChange: change, onManyChange: changeMany, onRemove: remove };
  return (
    <Page
      title={isAdmin ? 'Cars' : 'Your fleet'}
      lead={
        isAdmin ? 'All cars, with or without a fleet.' : 'Your cars, their owners and their state.'
      }
      actions={<Refresh of={cars} />}
    >
      <AddCar key={route.value.query.get('add')} onAdded={change} />
      <ResourceView resource={cars} what="the cars">
        {(all) =>
          isAdmin ? (
            <CarTable label="Cars" {...{ cars: all, ...changes }} />
          ) : (
            <FleetTabs cars={all} {...changes} />
          )
        }
      </ResourceView>
    </Page>
  );
}

/** By what dealers look for. */
const KINDS: Readonly<Record<string, (car: Car) => boolean>> = {
  'In a city': ({ world }) => world !== null,
  Unlocked: ({ locked }) => locked === false,
  'Being warmed': ({ climate }) => climate === true,
  Charging: ({ charging }) => charging === true,
  'Without an owner': ({ owner, locked }) => owner === null && locked !== null,
};

interface CarsProps {
  cars: readonly Car[];
  onChange: (car: Car) => void;
  onManyChange: (cars: readonly Car[]) => void;
  onRemove: (car: Car) => void;
}

function FleetTabs({ cars, ...changes }: CarsProps) {
  const [chosen, setChosen] = useState<'own' | 'all'>('own');
  const username = session.value?.username;
  const own = useMemo(() => cars.filter(({ dealer }) => dealer === username), [cars, username]);
  const tabs = { own: `Own fleet (${own.length})`, all: `All cars (${cars.length})` };
  return (
    <Tabs label="Which cars" tabs={tabs} chosen={chosen} onChoose={setChosen}>
      <CarTable
        key={chosen}
        label={chosen === 'own' ? 'Own fleet' : 'All cars'}
        cars={chosen === 'own' ? own : cars}
        {...changes}
      />
    </Tabs>
  );
}

function CarTable({
  label,
  cars,
  onChange,
  onManyChange,
  onRemove,
}: CarsProps & { label: string }) {
  const [owned, setOwned] = useState<string>();
  const [removed, setRemoved] = useState<Car>();
  const { role, username } = session.value ?? {};
  const columns = useMemo(() => columnsFor(label === 'Own fleet', onChange), [label]);
  const car = cars.find(({ vin }) => vin === owned);
  return (
    <>
      <Table
        label={label}
        rows={cars}
        columns={columns}
        idOf={({ vin }) => vin}
        alsoFindBy={({ model, colour, owner }) =>
          [model, colour, owner?.username].filter(Boolean).join('\n')
        }
        kinds={KINDS}
        choice={{
          nameOf,
          canChoose: ({ locked }) => locked !== null,
          actions: (chosen) => <BulkSwitches cars={chosen} onChange={onManyChange} />,
        }}
        actions={(row) =>
          role === 'admin' || row.dealer === username ? (
            <CarActions
              car={row}
              onOwner={() => setOwned(row.vin)}
              onRemove={() => setRemoved(row)}
            />
          ) : null
        }
        empty={
          <Empty title="There is no car yet">
            <p>Enter a VIN above to add the first car.</p>
          </Empty>
        }
      />
      {car === undefined ? null : (
        <OwnerDialog car={car} onClose={() => setOwned(undefined)} onChange={onChange} />
      )}
      {removed === undefined ? null : (
        <RemoveCar
          car={removed}
          onClose={() => setRemoved(undefined)}
          onRemoved={() => {
            setRemoved(undefined);
            onRemove(removed);
          }}
        />
      )}
    </>
  );
}

interface CarActionsProps {
  car: Car;
  onOwner: () => void;
  onRemove: () => void;
}

/** What may be done to a car; it cannot be removed while it has an owner. */
function CarActions({ car, onOwner, onRemove }: CarActionsProps) {
  const name = nameOf(car);
  return (
    <>
      <Button size="small" label={`Owner of ${name}`} onClick={onOwner}>
        Owner
      </Button>
      {car.owner === null ? (
        <Button size="small" kind="quiet" label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      ) : null}
    </>
  );
}

function columnsFor(isOwnFleet: boolean, onChange: (car: Car) => void): readonly Column<Car>[] {
  const dealer: Column<Car> = { key: 'dealer', head: 'Dealer', value: (car) => car.dealer };
  return [
    {
      key: 'plate',
      head: 'Car',
      value: nameOf,
      cell: (car) => <CarLooks car={car} isLink />,
    },
    { key: 'vin', head: 'VIN', value: ({ vin }) => vin, cell: ({ vin }) => <Vin vin={vin} /> },
    ...(isOwnFleet ? [] : [dealer]),
    {
      key: 'owner',
      head: 'Owner',
      value: ({ owner }) => owner?.email ?? null,
      cell: ({ owner }) => <OwnerCell owner={owner} />,
    },
    ...FLAGS.map((each) => ({
      key: each.flag,
      head: each.label,
      isShort: true,
      value: (car: Car) => car[each.flag],
      cell: (car: Car) => <FlagSwitch car={car} of={each} isInTable onChange={onChange} />,
    })),
    {
      key: 'world',
      head: 'City',
      value: ({ world }) => world,
      cell: (car) => <LivingCell car={car} />,
    },
  ];
}

function OwnerCell({ owner }: Pick<Car, 'owner'>) {
  if (owner === null) return <span class="soft">–</span>;
  return (
    <span class="two-lines">
      {owner.email}
      <span class="soft small">
        {owner.username === null ? 'no account' : owner.username}, since {dayWritten(owner.since)}
      </span>
    </span>
  );
}
