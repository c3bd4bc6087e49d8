import { Button } from '../common/button.tsx';
import { Dialog } from '../common/dialog.tsx';
import { Field } from '../common/field.tsx';
import { Failure, Note } from '../common/states.tsx';
import { showFailure, showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { CarLooks, nameOf, Submit } from './parts.tsx';
import { useCustomers } from './records.tsx';
import { call } from './session.ts';
import type { Car } from './types.ts';

interface OwnerDialogProps {
  car: Car;
  onClose: () => void;
  onChange: (car: Car) => void;
}

/** Sets or removes the owner of a car. */
export function OwnerDialog({ car, onClose, onChange }: OwnerDialogProps) {
  const path = `/api/cars/${encodeURIComponent(car.vin)}/owner`;
  const name = nameOf(car);
  const customers = useCustomers();
  const emails = (customers.value ?? []).flatMap(({ email }) => email ?? []);
  const since = car.owner?.since ?? new Date().toISOString().slice(0, 10);
  const form = useForm({ email: car.owner?.email ?? '', since }, async (body) => {
    const changed = await call<Car>(path, { method: 'PATCH', body });
    onChange(changed);
    // The dialog stays open to say that nobody has this email.
    if (changed.owner?.username === null) return;
    showToast(`${name} belongs to ${changed.owner?.email} now.`);
    onClose();
  });
  const removal = useForm({}, async () => {
    onChange(await call<Car>(path, { method: 'DELETE' }));
    const undo = () => void giveBack(car, onChange).catch(showFailure);
    const action = { words: 'Undo', run: undo };
    showToast(`${name} has no owner now.`, car.owner === null ? {} : { action });
    onClose();
  });
  return (
    <Dialog title={`Owner of ${name}`} onClose={onClose}>
      <CarLooks car={car} />
      <form class="form" {...form.attributes}>
        <Field
          label="Email of the owner"
          type="email"
          hint="Whoever has this email now may lock the car, warm it and charge it."
          suggestions={emails}
          required
          {...form.field('email')}
        />
        <Field label="Since" type="date" required {...form.field('since')} />
        <div role="status">
          {car.owner?.username === null ? <NoAccount email={car.owner.email} /> : null}
        </div>
        <Failure text={form.failure || removal.failure} />
        <div class="form-end">
          {car.owner === null ? null : (
            <Button disabled={removal.isSending} onClick={removal.attributes.onSubmit}>
              Remove the owner
            </Button>
          )}
          <Submit form={form}>Set the owner</Submit>
        </div>
      </form>
    </Dialog>
  );
}

/** Sets the former owner again. The rights go to whoever has the email by now. */
async function giveBack(car: Car, onChange: (car: Car) => void): Promise<void> {
  const { vin, owner } = car;
  if (owner === null) return;
  const { email, since, username } = owner;
  const path = `/api/cars/${encodeURIComponent(vin)}/owner`;
  const changed = await call<Car>(path, { method: 'PATCH', body: { email, since } });
  onChange(changed);
  if (changed.owner?.username === username) showToast(`${nameOf(car)} belongs to ${email} again.`);
  else
    showToast(`${username} no longer has the email ${email}, and got no rights back.`, {
      kind: 'bad',
    });
}

function NoAccount({ email }: { email: string }) {
  return (
    <Note kind="warn">
      <p>
        No account has the email {email}, so nobody got any rights. Once somebody has signed up with
        it, set the owner again.
      </p>
    </Note>
  );
}
