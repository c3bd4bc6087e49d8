import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Dialog } from '../common/dialog.tsx';
import { Field } from '../common/field.tsx';
import { Empty, ResourceView } from '../common/states.tsx';
import { type Column, Table } from '../common/table.tsx';
import { showToast } from '../common/toasts.tsx';
import { DeleteDealer } from './delete-dealer.tsx';
import { useForm } from './form.ts';
import { dayOf, FormEnd, Page } from './parts.tsx';
import { NEW_PASSWORD, USERNAME, USERNAME_HINT } from './profile-fields.ts';
import { useDealers, usePlatformState } from './records.tsx';
import { call, session } from './session.ts';
import type { Dealer, PlatformState } from './types.ts';

const COLUMNS: readonly Column<Dealer>[] = [
  { key: 'name', head: 'Dealer', value: ({ name }) => name },
  { key: 'city', head: 'City', value: ({ city }) => city },
  {
    key: 'username',
    head: 'Username',
    value: ({ username }) => username,
    cell: ({ username }) => <span class="mono small">{username}</span>,
  },
];

const SINCE: Column<Dealer> = {
  key: 'since',
  head: 'Since',
  value: (dealer) => dealer.created_at,
  cell: (dealer) => dayOf(dealer.created_at),
};

interface DealerTableProps {
  dealers: readonly Dealer[];
  isPlain?: boolean;
}

/** The public list of dealers. */
export function DealerTable({ dealers, isPlain = false }: DealerTableProps) {
  const actions = ({ username, name }: Dealer) => (
    <a href={`#/sign-up?dealer=${encodeURIComponent(username)}`}>
      Sign up<span class="visually-hidden"> with {name}</span>
    </a>
  );
  return (
    <Table
      label="Dealers"
      rows={dealers}
      columns={session.value === null ? COLUMNS.slice(0, 2) : [...COLUMNS, SINCE]}
      idOf={({ username }) => username}
      {...(session.value === null ? { actions } : {})}
      isPlain={isPlain}
      empty={<Empty title="There is no dealer yet" />}
    />
  );
}

/** The dealers; admins add and delete them here. */
export function DealersPage() {
  const isAdmin = session.value?.role === 'admin';
  const dealers = useDealers();
  return (
    <Page title="Dealers" lead="Companies that sell cars and look after them.">
      <ResourceView resource={dealers} what="the dealers">
        {(all) =>
          isAdmin ? (
            <ManagedDealers dealers={all} onChange={dealers.reload} />
          ) : (
            <DealerTable dealers={all} />
          )
        }
      </ResourceView>
    </Page>
  );
}

interface ManagedDealersProps {
  dealers: readonly Dealer[];
  onChange: () => void;
}

function ManagedDealers({ dealers, onChange }: ManagedDealersProps) {
  const state = usePlatformState();
  const [isAdding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<Dealer>();
  const changed = () => {
    setAdding(false);
    setDeleting(undefined);
    onChange();
    state.reload();
  };
  return (
    <>
      <Table
        label="Dealers"
        rows={dealers}
        columns={[...COLUMNS, ...countColumns(state.value), SINCE]}
        idOf={({ username }) => username}
        tools={
          <Button kind="main" onClick={() => setAdding(true)}>
            New dealer
          </Button>
        }
        actions={(dealer) => (
          <Button size="small" label={`Delete ${dealer.name}`} onClick={() => setDeleting(dealer)}>
            Delete
          </Button>
        )}
        empty={<Empty title="There is no dealer yet" />}
      />
      {isAdding ? <NewDealer onClose={() => setAdding(false)} onDone={changed} /> : null}
      {deleting === undefined ? null : (
        <DeleteDealer
          dealer={deleting}
          others={dealers.filter((each) => each !== deleting)}
          counts={state.value?.fleets.find(({ dealer }) => dealer === deleting.username)}
          onClose={() => setDeleting(undefined)}
          onDone={changed}
        />
      )}
    </>
  );
}

function countColumns(state: PlatformState | undefined): readonly Column<Dealer>[] {
  const of = ({ username }: Dealer) => state?.fleets.find(({ dealer }) => dealer === username);
  return [
    { key: 'cars', head: 'Cars', align: 'end', value: (dealer) => of(dealer)?.cars ?? null },
    {
      key: 'customers',
      head: 'Customers',
      align: 'end',
      value: (dealer) => of(dealer)?.customers ?? null,
    },
  ];
}

function NewDealer({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const empty = { username: '', password: '', name: '', city: '' };
  const form = useForm(empty, async (given) => {
    const { name } = await call<Dealer>('/api/dealers', { method: 'POST', body: given });
    showToast(`${name} is a dealer now.`);
    onDone();
  });
  return (
    <Dialog title="New dealer" onClose={onClose}>
      <form class="form" {...form.attributes}>
        <Field label="Name" required {...form.field('name')} />
        <Field label="City" required {...form.field('city')} />
        <Field hint={USERNAME_HINT} {...USERNAME} autocomplete="off" {...form.field('username')} />
        <Field hint="At least 3 characters" {...NEW_PASSWORD} {...form.field('password')} />
        <FormEnd form={form} submit="Add the dealer">
          <Button onClick={onClose}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}
