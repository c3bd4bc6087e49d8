import { Button } from '../../common/button.tsx';
import { Loading } from '../../common/states.tsx';
import type { Feature } from '../api/types.ts';
import { missingText, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';

/** In the order of the page: functions are switched most often. */
export const GROUPS: readonly { group: Feature['group']; name: string }[] = [
  { group: 'function', name: 'Functions' },
  { group: 'sensor', name: 'Sensors' },
  { group: 'actuator', name: 'Actuators' },
];

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
      {isThere ? null : <Loading what="the features" />}
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

function FeatureSwitch({ feature: { name, description } }: { feature: Feature }) {
  const { car } = useViewer();
  const wanted = car.wanted.value[name];
  const state = car.features.value;
  const isOn = wanted ?? state?.declared[name] ?? false;
  // The effect of a change is known when it is answered.
  const effective = wanted === undefined ? state?.effective[name] : isOn ? 'on' : 'off';
  const why = missingText(effective, state?.missing[name] ?? []);
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
      </span>
      <span class="feature-effect" data-effect={effective}>
        {title(effective ?? '')}
      </span>
      <span class="switch-track" />
      <span id={`does-${name}`} hidden>
        {description}
      </span>
    </button>
  );
}
