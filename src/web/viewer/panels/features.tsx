import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { Button, Switch } from '../../common/button.tsx';
import { Loading } from '../../common/states.tsx';
import { showFailure, showToast } from '../../common/toasts.tsx';
import type { Effective, Feature } from '../api/types.ts';
import { inSentence, joinWords, missingText, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { nextText } from '../stakes.ts';

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

/** Several switches at once, of the picked car. */
function CarPresets() {
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
    <Presets
      isOff={(name) => car.features.value?.declared[name as Feature['name']] === false}
      disabled={car.isSwitchingAll.value}
      onAll={onAll}
      onChoose={switchOff}
    />
  );
}

interface PresetsProps {
  isOff: (feature: string) => boolean;
  disabled: boolean;
  /** Whether they are for all cars. */
  onAll: Signal<boolean>;
  onChoose: (name: string, off: readonly string[]) => void;
}

/** Several switches at once. */
export function Presets({ isOff, disabled, onAll, onChoose }: PresetsProps) {
  return (
    <div class="presets">
      {PRESETS.map(({ name, off }) => (
        <Button
          size="small"
          key={name}
          pressed={off.every(isOff)}
          disabled={disabled}
          onClick={() => onChoose(name, off)}
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
  const viewer = useViewer();
  const { car, catalogue, timeLine } = viewer;
  if (timeLine.isPast.value) return <PastFeatures />;
  const isThere = car.features.value !== null && catalogue.value.length > 0;
  return (
    <section class="section" aria-labelledby="features">
      <div class="section-head">
        <h3 id="features">Features</h3>
        <span class="presets">
          {timeLine.extent.value === undefined ? null : (
            <Button size="small" onClick={() => viewer.askWhatIf()}>
              What if…
            </Button>
          )}
          <Button size="small" disabled={!isThere} onClick={() => car.reset()}>
            Reset
            <span class="visually-hidden"> all features to on</span>
          </Button>
        </span>
      </div>
      <p class="feature-error" role="alert">
        {car.error.value}
      </p>
      {isThere ? <CarPresets /> : <Loading what="the features" />}
      {isThere && <FeatureGroups of={(feature) => <FeatureSwitch feature={feature} />} />}
    </section>
  );
}

/** Switches act on the live city: where an earlier moment is shown there are none. */
function PastFeatures() {
  const viewer = useViewer();
  return (
    <section class="section" aria-labelledby="features">
      <h3 id="features">Features</h3>
      <p class="small soft">
        You see an earlier moment. In a copy of the city you can switch features from here on.
      </p>
      <div>
        <Button size="small" onClick={() => viewer.askWhatIf()}>
          What if…
        </Button>
      </div>
    </section>
  );
}

/** All features in their groups. */
export function FeatureGroups({ of }: { of: (feature: Feature) => ComponentChildren }) {
  const { catalogue } = useViewer();
  return (
    <>
      {GROUPS.map(({ group, name }) => (
        <fieldset class="features" key={group}>
          <legend>{name}</legend>
          {catalogue.value
            .filter((feature) => feature.group === group)
            .map((feature) => (
              <Fragment key={feature.name}>{of(feature)}</Fragment>
            ))}
        </fieldset>
      ))}
    </>
  );
}

function FeatureSwitch({ feature }: { feature: Feature }) {
  const { car, live } = useViewer();
  const { name } = feature;
  const wanted = car.wanted.value[name];
  const state = car.features.value;
  const isOn = wanted ?? state?.declared[name] ?? false;
  // The effect of a change is known when it is answered.
  const effective = wanted === undefined ? state?.effective[name] : isOn ? 'on' : 'off';
  const stakes = effective === 'on' ? car.stakes.value.get(name) : undefined;
  // What reads the tick is drawn again with every frame.
  const tick = stakes && live.latest.value?.tick;
  return (
    <FeatureToggle
      feature={feature}
      isOn={isOn}
      effective={effective}
      missing={state?.missing[name] ?? []}
      next={stakes && tick !== undefined ? nextText(stakes, tick) : ''}
      isBusy={wanted !== undefined}
      onToggle={() => car.switchTo(name, !isOn)}
    />
  );
}

interface FeatureToggleProps {
  feature: Feature;
  isOn: boolean;
  effective: Effective | undefined;
  /** What it lacks if it is degraded. */
  missing: readonly string[];
  /** For what it is needed next, in words. */
  next?: string;
  isBusy: boolean;
  /** It cannot be switched now. */
  isDisabled?: boolean;
  onToggle: () => void;
}

/** A feature with its switch. */
export function FeatureToggle(props: FeatureToggleProps) {
  const { feature, isOn, effective, missing, next = '', isBusy, isDisabled, onToggle } = props;
  const { name, description } = feature;
  const why = missingText(effective, missing);
  return (
    <button
      type="button"
      class="switch feature"
      role="switch"
      data-feature={name}
      data-effect={effective}
      aria-checked={isOn}
      aria-busy={isBusy}
      aria-disabled={isDisabled}
      aria-describedby={`does-${name}`}
      onClick={onToggle}
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
