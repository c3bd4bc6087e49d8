import { Empty, ResourceView } from '../common/states.tsx';
import { type Column, Table } from '../common/table.tsx';
import { dayOf, Page } from './parts.tsx';
import { useCustomers } from './records.tsx';
import { session } from './session.ts';
import type { Customer } from './types.ts';

const COLUMNS: readonly Column<Customer>[] = [
  {
    key: 'name',
    head: 'Customer',
    value: ({ name, username }) => name ?? username,
    cell: ({ name, username }) => (
      <span class="two-lines">
        <a href={`#/customers/${encodeURIComponent(username)}`}>{name ?? username}</a>
        <span class="soft small">{username}</span>
      </span>
    ),
  },
  { key: 'email', head: 'Email', value: ({ email }) => email },
  { key: 'phone', head: 'Phone', value: ({ phone }) => phone },
  { key: 'address', head: 'Address', value: ({ address }) => address },
  { key: 'dealer', head: 'Dealer', value: ({ dealer }) => dealer },
  { key: 'cars', head: 'Cars', align: 'end', value: ({ cars }) => cars.length },
  {
    key: 'since',
    head: 'Since',
    value: (customer) => customer.created_at,
    cell: (customer) => dayOf(customer.created_at),
  },
];

/** The customers; each has a page of its own. */
export function CustomersPage() {
  const customers = useCustomers();
  const isAdmin = session.value?.role === 'admin';
  return (
    <Page
      title="Customers"
      lead={isAdmin ? 'The customers of all dealers.' : 'Customers who chose you as their dealer.'}
    >
      <ResourceView resource={customers} what="the customers">
        {(all) => (
          <Table
            label="Customers"
            rows={all}
            columns={isAdmin ? COLUMNS : COLUMNS.filter(({ key }) => key !== 'dealer')}
            idOf={({ username }) => username}
            alsoFindBy={({ username, cars }) => [username, ...cars].join('\n')}
            empty={
              <Empty title="There is no customer yet">
                <p>Customers choose their dealer when they sign up, or in their profile.</p>
              </Empty>
            }
          />
        )}
      </ResourceView>
    </Page>
  );
}
