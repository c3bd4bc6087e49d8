import { useSignal } from '@preact/signals';
import { Button } from '../../common/button.tsx';
import { Failure, Loading } from '../../common/states.tsx';
import { type Feature, type Incident, TICKS_PER_S } from '../api/types.ts';
import { ago, capitalised, carName, duration, inSentence, joinWords } from '../formatting.ts';
import type { Switching } from '../life/life.ts';
import { useViewer } from '../page/context.ts';
import { stateIn } from '../page/needs.ts';
import { headline } from '../replay/headline.ts';
import { FeatureGroups, FeatureToggle, Presets } from './features.tsx';
import { RightPanel } from './right-panel.tsx';

/** A copy of the city from a moment on: what is switched in it, and what comes of that. */
export function WhatIfPanel() {
  const { whatIf, timeLine, catalogue } = useViewer();
  const agoTicks = Math.max(0, timeLine.nowTick.value - whatIf.fromTick.value);
  const isThere = catalogue.value.length > 0;
  return (
    <RightPanel title="What if…" subtitle={`A copy of the city as it was ${ago(agoTicks)}`}>
      <Outcome />
      <Failure text={whatIf.failure.value} />
      <WhichCar />
      {isThere ? <Switches /> : <Loading what="the features" />}
      <Real />
    </RightPanel>
  );
}

/** What comes of it, compared with the city as it was. */
function Outcome() {
  const { whatIf, spots } = useViewer();
  const { passed } = whatIf;
  const isSwitched = whatIf.switchings.value.length > 0;
  return (
    <section class="section" aria-label="What comes of it">
      <p role="status" aria-busy={whatIf.isLiving.value}>
        <Comparison />
        {isSwitched && passed.value !== undefined ? (
          <span class="visually-hidden"> Collision: {headline(passed.value, spots.value)}.</span>
        ) : null}
      </p>
      {isSwitched ? <SwitchedList /> : null}
      {isSwitched && whatIf.collisions.value.length > 0 ? <Collisions /> : null}
    </section>
  );
}

/** More of them would push the switches out of sight. */
const COLLISIONS_FIRST = 4;

function Collisions() {
  const { whatIf } = useViewer();
  const showsAll = useSignal(false);
  const all = whatIf.collisions.value;
  const shown = showsAll.value ? all : all.slice(0, COLLISIONS_FIRST);
  return (
    <>
      <ol class="acted what-if-collisions" aria-label="Collisions in the copy">
        {shown.map((incident) => (
          <Collision incident={incident} key={incident.id} />
        ))}
      </ol>
      {shown.length < all.length ? (
        <div>
          <Button
            size="small"
            kind="quiet"
            onClick={() => {
              showsAll.value = true;
            }}
          >
            Show all {all.length}
          </Button>
        </div>
      ) : null}
    </>
  );
}

const figure = (count: number): string =>
  count === 0 ? 'none' : `${count} collision${count === 1 ? '' : 's'}`;

/** “Within 1 min: no collision in the copy, none in the city.” Null is not known. */
export function compared(time: string, having: number | null, without: number | null): string {
  const inCopy = having === 0 ? 'no collision in the copy' : `${wordsOf(having)} in the copy`;
  return `Within ${time}: ${inCopy}, ${wordsOf(without)} in the city.`;
}

const wordsOf = (count: number | null): string => (count === null ? 'not known' : figure(count));

function Comparison() {
  const { whatIf } = useViewer();
  const { switchings, spanTicks, collisions, areKnown, without } = whatIf;
  const time = duration(spanTicks.value / TICKS_PER_S);
  if (switchings.value.length === 0) {
    return <>Switch something off below, and see what comes of it within {time}.</>;
  }
  if (whatIf.isLiving.value || whatIf.isComparing.value) return <>Living the next {time}…</>;
  const having = areKnown.value ? collisions.value.length : null;
  return <strong>{compared(time, having, without.value)}</strong>;
}

/** What was switched, in words. */
function SwitchedList() {
  const { whatIf } = useViewer();
  const groups = [...Map.groupBy(whatIf.switchings.value, keyOf).values()];
  return (
    <ul class="small soft">
      {groups.map((group) => (
        <Switched group={group} key={group[0] && keyOf(group[0])} />
      ))}
    </ul>
  );
}

/** The same features at the same time, on whatever cars. */
const keyOf = ({ tick, features }: Switching): string => `${tick} ${JSON.stringify(features)}`;

function Switched({ group }: { group: readonly Switching[] }) {
  const { whatIf, live } = useViewer();
  const [first] = group;
  if (first === undefined) return null;
  const names = (isOn: boolean) =>
    Object.entries(first.features).flatMap(([name, on]) => (on === isOn ? [inSentence(name)] : []));
  const parts = [
    ...(names(false).length === 0 ? [] : [`${joinWords(names(false))} off`]),
    ...(names(true).length === 0 ? [] : [`${joinWords(names(true))} on`]),
  ];
  const fleet = live.fleet.value;
  const [only] = group.length === 1 ? group : [];
  const plate = fleet.find(({ vin }) => vin === only?.vin)?.plate;
  const whose = plate ?? (group.length === fleet.length ? 'all cars' : `${group.length} cars`);
  const afterS = (first.tick - 1 - whatIf.fromTick.value) / TICKS_PER_S;
  return (
    <li>
      {capitalised(joinWords(parts))} on {whose}
      {afterS < 0.5 ? '' : `, after ${duration(afterS)}`}
    </li>
  );
}

function Collision({ incident }: { incident: Incident }) {
  const { whatIf, spots } = useViewer();
  const parties = headline(incident, spots.value);
  const afterS = (incident.tick - whatIf.fromTick.value) / TICKS_PER_S;
  const isPassed = incident.tick <= whatIf.player.tick.value;
  return (
    <li>
      <span class="tag" data-kind={isPassed ? 'bad' : 'plain'}>
        after {duration(afterS)}
      </span>
      <span class="what-if-parties small">{parties}</span>
      <Button size="small" onClick={() => whatIf.jumpTo(incident.tick)}>
        Jump there
        <span class="visually-hidden">: {parties}</span>
      </Button>
    </li>
  );
}

function WhichCar() {
  const viewer = useViewer();
  return (
    <label class="field">
      <span class="field-label">Car</span>
      <select
        value={viewer.car.vin.value ?? ''}
        onChange={({ currentTarget }) => viewer.pick(currentTarget.value || null)}
      >
        <option value="">Choose a car, or click one on the map</option>
        {viewer.live.fleet.value.map((entry) => (
          <option value={entry.vin} key={entry.vin}>
            {carName(entry)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Switches() {
  const { whatIf, car, live } = useViewer();
  const onAll = useSignal(false);
  const vin = car.entry.value?.vin;
  const all = live.fleet.value.map((each) => each.vin);
  const vins = () => (onAll.peek() || vin === undefined ? all : [vin]);
  const shown = onAll.value ? all : [vin ?? ''];
  return (
    <section class="section" aria-labelledby="what-if-features">
      <div class="section-head">
        <h3 id="what-if-features">Features</h3>
        <Button
          size="small"
          disabled={whatIf.switchings.value.length === 0}
          onClick={() => whatIf.reset()}
        >
          Reset<span class="visually-hidden"> what was switched here</span>
        </Button>
      </div>
      <Presets
        isOff={(name) => shown.every((each) => whatIf.isOn(each, name) === false)}
        disabled={vin === undefined && !onAll.value}
        onAll={onAll}
        onChoose={(_, off) =>
          whatIf.switchTo(vins(), Object.fromEntries(off.map((name) => [name, false])))
        }
      />
      {vin === undefined ? null : (
        <FeatureGroups of={(feature) => <CopySwitch feature={feature} vin={vin} />} />
      )}
    </section>
  );
}

/** A feature of a car of the copy. */
function CopySwitch({ feature, vin }: { feature: Feature; vin: string }) {
  const { whatIf, catalogue } = useViewer();
  const isOn = whatIf.isOn(vin, feature.name);
  const isOnIn = (name: string) => whatIf.isOn(vin, name) === true;
  const { effective, missing } = stateIn(catalogue.value, feature.name, isOnIn);
  return (
    <FeatureToggle
      feature={feature}
      isOn={isOn ?? false}
      effective={isOn === undefined ? undefined : effective}
      missing={missing}
      isBusy={isOn === undefined}
      isDisabled={isOn === undefined}
      onToggle={() => {
        if (isOn !== undefined) void whatIf.switchTo([vin], { [feature.name]: !isOn });
      }}
    />
  );
}

/** Makes a city of it that others can visit too. */
function Real() {
  const { whatIf, car } = useViewer();
  const isSwitched = whatIf.switchings.value.length > 0;
  return (
    <div class="panel-foot what-if-foot">
      <Button
        kind="main"
        disabled={!isSwitched || whatIf.isLiving.value || whatIf.isMakingReal.value}
        onClick={() => whatIf.makeReal(car.index.peek())}
      >
        {whatIf.isMakingReal.value ? 'Making it real…' : 'Make it real'}
      </Button>
      <Button onClick={() => whatIf.close()}>Close</Button>
      <p class="small soft">A new city begins with what you switched. Anybody can watch it.</p>
    </div>
  );
}
