import { useSignal } from '@preact/signals';
import { Dialog } from '../../common/dialog.tsx';
import { reasonOf } from '../../common/request.ts';
import { Failure, Loading } from '../../common/states.tsx';
import { useViewer } from '../page/context.ts';

/** The catalogue of cities; a click makes a new world. */
export function NewCity() {
  const viewer = useViewer();
  const going = useSignal('');
  const error = useSignal('');
  const go = async (city: string) => {
    going.value = city;
    error.value = '';
    try {
      await viewer.goToNewCity(city);
    } catch (failure) {
      going.value = '';
      error.value = reasonOf(failure);
    }
  };
  return (
    <Dialog title="New city" onClose={() => viewer.open(null)}>
      <p>The new city has its own twenty cars. The current city stays as it is.</p>
      <Failure text={error.value} />
      {viewer.cities.value.length === 0 ? <Loading what="the cities" /> : null}
      <ul class="cities">
        {viewer.cities.value.map(({ name, title, description }) => (
          <li key={name}>
            <button
              type="button"
              class="explanation"
              disabled={going.value !== ''}
              aria-busy={going.value === name}
              onClick={() => go(name)}
            >
              <strong>{title}</strong>
              <span class="row-text">{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
