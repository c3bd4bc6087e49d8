import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Switch } from '../../common/button.tsx';
import { useViewer } from '../page/context.ts';
import type { Layer } from '../scene/layers.ts';
import { SENSOR_TONES } from '../scene/sight-view.ts';
import { IconButton } from './icons.tsx';

const NAMES: Readonly<Record<Layer, string>> = {
  sight: 'What the car sees',
  routes: 'Route',
  sensors: 'Sensor fields',
  zones: 'Zones',
  spots: 'Hazard spots',
  labels: 'Street names',
};
const SENSORS: Readonly<Record<keyof typeof SENSOR_TONES, string>> = {
  front_camera: 'Front camera',
  front_radar: 'Front radar',
  corner_radars: 'Corner radars',
  several: 'More than one of them',
};

/** The button that opens the list of layers, and the list. */
export function LayersButton() {
  const isOpen = useSignal(false);
  return (
    <>
      <IconButton
        name="layers"
        expanded={isOpen.value}
        label={isOpen.value ? 'Close the layers' : 'Layers'}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      />
      {isOpen.value ? (
        <LayerList
          onClose={() => {
            isOpen.value = false;
          }}
        />
      ) : null}
    </>
  );
}

function LayerList({ onClose }: { onClose: () => void }) {
  const viewer = useViewer();
  const layers = viewer.layers.value;
  // Wherever the focus is: Escape closes what was opened last.
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onClose();
    };
    addEventListener('keydown', close, { capture: true });
    return () => removeEventListener('keydown', close, { capture: true });
  }, [onClose]);
  return (
    <section class="layers" aria-label="Layers">
      {(Object.keys(NAMES) as Layer[]).map((layer) => (
        <Switch
          key={layer}
          label={NAMES[layer]}
          isOn={layers[layer]}
          onChange={(isOn) => viewer.showLayer(layer, isOn)}
        />
      ))}
      {layers.sight ? <Legend hasCar={viewer.car.vin.value !== null} /> : null}
    </section>
  );
}

/** What the boxes of “What the car sees” mean. */
function Legend({ hasCar }: { hasCar: boolean }) {
  if (!hasCar) return <p class="small soft">Pick a car to see what it sees.</p>;
  const tones = Object.entries(SENSOR_TONES) as [keyof typeof SENSOR_TONES, readonly number[]][];
  return (
    <div class="sight-legend small">
      <p class="soft">A box is what a sensor knows, with how sure it is. Seen by:</p>
      <ul>
        {tones.map(([sensor, tone]) => (
          <li key={sensor}>
            <span
              class="tone"
              aria-hidden="true"
              style={{ borderColor: `rgb(${tone.map((part) => Math.round(part * 255)).join()})` }}
            />
            {SENSORS[sensor]}
          </li>
        ))}
      </ul>
      <p class="soft">Dashes show where it will be within 3 s.</p>
    </div>
  );
}
