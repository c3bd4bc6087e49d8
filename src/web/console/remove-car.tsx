import { Button } from '../common/button.tsx';
import { Dialog } from '../common/dialog.tsx';
import { showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { CarLooks, FormEnd, nameOf } from './parts.tsx';
import { call } from './session.ts';
import type { Car } from './types.ts';

interface RemoveCarProps {
  car: Car;
  onClose: () => void;
  onRemoved: () => void;
}

/** Removes a car from the platform. */
export function RemoveCar({ car, onClose, onRemoved }: RemoveCarProps) {
  const name = nameOf(car);
  const form = useForm({}, async () => {
    await call(`/api/cars/${encodeURIComponent(car.vin)}`, { method: 'DELETE' });
    showToast(`${name} is removed.`);
    onRemoved();
  });
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <form class="form" {...form.attributes}>
        <CarLooks car={car} />
        <p>
          It leaves the fleet and the platform. If it drives in a city, it drives on there, and can
          be added again by its VIN.
        </p>
        <FormEnd form={form} submit={`Remove ${name}`} kind="danger">
          <Button onClick={onClose}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}
