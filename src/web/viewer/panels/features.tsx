import { useSignal } from '@preact/signals';
import { Button, Switch } from '../../common/button.tsx';
import { Loading } from '../../common/states.tsx';
import { showFailure, showToast } from '../../common/toasts.tsx';
import { type Feature, TICKS_PER_S } from '../api/types.ts';
import { inSentence, joinWords, missingText, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import type { LiveWorld } from '../page/live-world.ts';
import type { NextStake } from '../page/picked-car.ts';
import { placeOf } from '../stakes.ts';

/** In the order of the page: functions are switched most often. */
export const GROUPS: readonly { group: Feature['group']; name: string }[] = [
  { group: 'function', name: 'Functions' },
  { group: 'sensor', name: 'Sensors' },
  { group: 'actuator', name: 'Actuators' },
];

interface Preset {
  name: string;
  off: readonly string[];
}

const PRESETS: readonly Preset[] = [
  { name: 'No brakes', off: ['brakes'] },
  { name: 'Blind', off: ['front_camera', 'front_radar', 'corner_radars'] },
  {
    name: 'A car from 1995',
    off: ['aeb', 'animal_detection', 'evasive_steering', 'intersection_assist', 'esc'],
  },
];

/** Several switches at once. */
function Presets() {
  const { car } = useViewer();
  const onAll = useSignal(false);
  const switchOff = async (name: string, off: readonly string[]) => {
    // The visitor may choose otherwise, or pick another car, before it is done.
    const isAll = onAll.peek();
    const vin = car.vin.peek();
    const whose = isAll ? 'all cars' : car.entry.peek()?.plate;
    const why = await car.switchOff(off, isAll);
    if (why === '')
      showToast(`${name}: ${joinWords(off.map(inSentence))} off on ${whose}.`, { topic: 'preset' });
    // The panel of the car says it as well, while that is open.
    else if (vin !== car.vin.peek()) showFailure(`${whose}: ${why}`);
  };
  return (
    <div class="presets">
      {PRESETS.map(({ name, off }) => (
        <Button
          size="small"
          key={name}
          pressed={off.every(
            (each) => car.features.value?.declared[each as Feature['name']] === false,
          )}
          disabled={car.isSwitchingAll.value}
          onClick={() => switchOff(name, off)}
        >
          {name}
        </Button>
      ))}
      <Switch
        label="On all cars"
        isOn={onAll.value}
        onChange={(isOn) => {
          onAll.value = isOn;
        }}
      />
    </div>
  );
}

/** The twelve features of the picked car as switches. */
export function Features() {
  const { car, catalogue } = useViewer();
  const isThere = car.features.value !== null && catalogue.value.length > 0;
  return (
    <section class="section" aria-labelledby="features">
      <div class="section-head">
        <h3 id="features">Features</h3>
        <Button size="small" disabled={!isThere} onClick={() => car.reset()}>
          Reset
          <span class="visually-hidden"> all features to on</span>
        </Button>
      </div>
      <p class="feature-error" role="alert">
        {car.error.value}
      </p>
      {isThere ? <Presets /> : <Loading what="the features" />}
      {isThere &&
        GROUPS.map(({ group, name }) => (
          <fieldset class="features" key={group}>
            <legend>{name}</legend>
            {catalogue.value
              .filter((feature) => feature.group === group)
              .map((feature) => (
                <FeatureSwitch feature={feature} key={feature.name} />
              ))}
          </fieldset>
        ))}
    </section>
  );
}

/** “Next: a deer in 14 s”; empty where nothing is known to come. */
function nextText(next: NextStake | undefined, { latest }: LiveWorld): string {
  // What reads the tick is drawn again with every frame.
  if (next === undefined) return '';
  const tick = latest.value?.tick;
  if (tick === undefined) return '';
  const seconds = Math.round((next.dueTick - tick) / TICKS_PER_S);
  return seconds < 1 ? '' : `Next: ${placeOf(next)} in ${seconds} s`;
}

function FeatureSwitch({ feature: { name, description } }: { feature: Feature }) {
  const { car, live } = useViewer();
  const wanted = car.wanted.value[name];
  const state = car.features.value;
  const isOn = wanted ?? state?.declared[name] ?? false;
  // The effect of a change is known when it is answered.
  const effective = wanted === undefined ? state?.effective[name] : isOn ? 'on' : 'off';
  const why = missingText(effective, state?.missing[name] ?? []);
  const next = effective === 'on' ? nextText(car.stakes.value.get(name), live) : '';
  return (
    <button
      type="button"
      class="switch feature"
      role="switch"
      data-feature={name}
      data-effect={effective}
      aria-checked={isOn}
      aria-busy={wanted !== undefined}
      aria-describedby={`does-${name}`}
      onClick={() => car.switchTo(name, !isOn)}
    >
      <span class="feature-name">
        {title(name)}
        {why === '' ? null : <span class="feature-why">{why}</span>}
        {next === '' ? null : <span class="feature-next">{next}</span>}
      </span>
      <span class="feature-effect" data-effect={effective}>
        {effective === 'degraded' ? 'Not working' : title(effective ?? '')}
      </span>
      <span class="switch-track" />
      <span id={`does-${name}`} hidden>
        {description}
      </span>
    </button>
  );
}
