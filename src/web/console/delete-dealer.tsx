import { Button } from '../common/button.tsx';
import { Dialog } from '../common/dialog.tsx';
import { Select } from '../common/field.tsx';
import { RequestError } from '../common/request.ts';
import { showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { count, FormEnd } from './parts.tsx';
import { dealerOptions } from './records.tsx';
import { call } from './session.ts';
import type { Dealer, DealerRemoval, PlatformState } from './types.ts';

/** No username has a space. */
const TO_NOBODY = ' ';

interface DeleteDealerProps {
  dealer: Dealer;
  others: readonly Dealer[];
  /** How many cars and customers the dealer has; undefined while unknown. */
  counts: PlatformState['fleets'][number] | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** Deletes a dealer; its cars and customers move to another dealer or to none. */
export function DeleteDealer({ dealer, others, counts, onClose, onDone }: DeleteDealerProps) {
  const form = useForm({ reassign_to: '' }, async ({ reassign_to }) => {
    if (reassign_to === '')
      throw new RequestError(0, 'Choose what becomes of its cars and customers.');
    const query = reassign_to === TO_NOBODY ? '' : `?${new URLSearchParams({ reassign_to })}`;
    const path = `/api/dealers/${encodeURIComponent(dealer.username)}${query}`;
    showToast(outcome(dealer, await call<DealerRemoval>(path, { method: 'DELETE' })));
    onDone();
  });
  const what = counts
    ? `${count(counts.cars, 'car')} and ${count(counts.customers, 'customer')}`
    : 'cars and customers';
  return (
    <Dialog title={`Delete ${dealer.name}?`} onClose={onClose}>
      <form class="form" {...form.attributes}>
        <p>
          Its log-in ends at once. Its {what} go to another dealer, or stay without one. This cannot
          be undone.
        </p>
        <Select label="Cars and customers" {...form.field('reassign_to')}>
          <option value="">Choose what becomes of them</option>
          <option value={TO_NOBODY}>Leave them without a dealer</option>
          <optgroup label="Move them to">{dealerOptions(others)}</optgroup>
        </Select>
        <FormEnd form={form} submit={`Delete ${dealer.name}`} kind="danger">
          <Button onClick={onClose}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}

function outcome({ name }: Dealer, { cars, customers, reassigned_to: to }: DealerRemoval): string {
  const moved = `${count(cars, 'car')} and ${count(customers, 'customer')}`;
  return to === null
    ? `${name} is deleted; ${moved} have no dealer now.`
    : `${name} is deleted; ${moved} went to ${to}.`;
}
