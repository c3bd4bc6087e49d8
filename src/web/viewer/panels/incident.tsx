import { useSignal } from '@preact/signals';
import { Button } from '../../common/button.tsx';
import { Pairs } from '../../common/pairs.tsx';
import { Empty, Note } from '../../common/states.tsx';
import { showToast } from '../../common/toasts.tsx';
import type { Incident, IncidentVehicle } from '../api/types.ts';
import { carName, formatInteger, joinWords, kmh, percent, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { canSaveVideo, saveAsJson, saveAsVideo } from '../page/saving.ts';
import { explanations, whose } from '../replay/explanations.ts';
import { headline } from '../replay/headline.ts';
import {
  fixedThings,
  impactOnCar,
  impactOnOther,
  introduction,
  shortcomings,
  story,
} from '../replay/report.ts';
import { extent } from '../replay/timeline.ts';
import { StillOff } from './demonstration.tsx';
import { ReplayPlots } from './replay-plots.tsx';
import { OpeningReport, RightPanel } from './right-panel.tsx';

/** The report of the open incident. */
export function IncidentPanel() {
  const viewer = useViewer();
  const { replay } = viewer;
  const incident = replay.incident.value;
  if (replay.isUnknown.value) {
    return (
      <RightPanel title="Incident" subtitle="">
        <Empty title="There is no such incident in this city">
          <Button onClick={() => viewer.showIncidents()}>See all incidents</Button>
        </Empty>
      </RightPanel>
    );
  }
  return (
    <RightPanel
      title="Incident"
      subtitle={incident === null ? '' : headline(incident, viewer.spots.value)}
    >
      {replay.error.value === '' ? null : (
        <Note kind="bad">
          <p>This could not be loaded. {replay.error.value}</p>
          <Button size="small" onClick={() => replay.retry()}>
            Try again
          </Button>
        </Note>
      )}
      {replay.hasNoReplay.value ? (
        <Note kind="warn">
          <p>
            There is no replay: an earlier version of the simulation recorded this collision, and
            this one cannot run it again.
          </p>
        </Note>
      ) : null}
      {incident === null ? null : <Report incident={incident} />}
      {incident === null && replay.error.value === '' ? <OpeningReport /> : null}
    </RightPanel>
  );
}

function Report({ incident }: { incident: Incident }) {
  const { demonstration, replay, spots, linked } = useViewer();
  const { severity, injury_risk, points, repair_cost } = incident.earned;
  return (
    <>
      {incident.id === linked ? <p class="soft">{introduction(incident)}</p> : null}
      <p>{story(incident, spots.value)}</p>
      <Explanations incident={incident} />
      <StillOff />
      <Pairs
        kind="figures figures-pairs"
        label="Consequences"
        pairs={[
          ['Severity', title(severity)],
          ['Injury risk', percent(injury_risk)],
          ['Points', formatInteger(points)],
          ['Repair cost', `${formatInteger(repair_cost)} units`],
          ['Speed at contact', kmh(Math.max(0, ...incident.vehicles.map(({ speed }) => speed)))],
          ['Deformation', `${formatInteger(incident.deformation_energy / 1000)} kJ`],
        ]}
      />
      <p class="small soft">
        Points add up how badly people may be hurt and how fast it was: 0 is nothing, 1,000 one
        person hurt for certain. A repair costs 250 units for each kilojoule that bent metal; they
        are of no currency. At the first contact the gap closed at {kmh(incident.closing_speed)}; if
        a car only grazes something, that is less than its own speed.
      </p>
      <ReplayPlots incident={incident} />
      <InvolvedList incident={incident} />
      {replay.asItWas.value === null ? null : <Files />}
      <section class="section" aria-labelledby="another">
        <h3 id="another">More of it</h3>
        <div>
          <Button size="small" onClick={() => demonstration.begin()}>
            Show me another one
          </Button>
        </div>
      </section>
    </>
  );
}

/** The replay as files. */
function Files() {
  const { replay, mapError } = useViewer();
  const isRecording = useSignal(false);
  const record = async () => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas.map');
    if (canvas === null) return;
    isRecording.value = true;
    try {
      const name = await saveAsVideo(replay, canvas);
      if (name !== undefined) showToast(`Saved: ${name}`);
    } catch (error) {
      console.warn(error);
      showToast('The video could not be saved.', { kind: 'bad' });
    } finally {
      isRecording.value = false;
    }
  };
  return (
    <section class="section" aria-labelledby="files">
      <h3 id="files">Save it</h3>
      <div class="row-line">
        <Button size="small" onClick={() => saveAsJson(replay)}>
          Save as JSON
        </Button>
        {canSaveVideo() && mapError.value === '' ? (
          <Button size="small" disabled={isRecording.value} onClick={record}>
            {isRecording.value ? <Recording /> : 'Save as a video'}
          </Button>
        ) : null}
      </div>
    </section>
  );
}

function Recording() {
  const { replay } = useViewer();
  const [first, last] = extent(replay.frames);
  const part = (replay.tick.value - first) / Math.max(1, last - first);
  return <>Recording… {Math.round(100 * part)} %</>;
}

function Explanations({ incident }: { incident: Incident }) {
  const { replay } = useViewer();
  const all = explanations(incident);
  if (replay.hasNoReplay.value && !incident.explained) return null;
  return (
    <section class="section" aria-labelledby="why">
      <h3 id="why">What would have prevented or reduced it</h3>
      {incident.explained ? null : (
        <p class="soft" role="status">
          The last seconds are being simulated again with the missing features on…
        </p>
      )}
      {incident.explained && all.length === 0 ? (
        <p>Nothing that was switched off would have avoided or mitigated it.</p>
      ) : null}
      <ul class="explanations">
        {all.map((explanation, index) => (
          <li key={explanation.set}>
            <button
              type="button"
              class="explanation"
              aria-pressed={replay.chosen.value === index}
              onClick={() => replay.choose(index)}
            >
              <span class="row-line">
                <span>
                  <strong>{joinWords(explanation.features.map(title))}</strong>{' '}
                  {whose(explanation, incident)}
                </span>
                <span class="tag" data-kind={explanation.effect === 'avoids' ? 'good' : 'warn'}>
                  {title(explanation.effect)}
                </span>
              </span>
              {explanation.sentences.map((sentence) => (
                <span class="row-text" key={sentence}>
                  {sentence}
                </span>
              ))}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Cars and whoever else moved one by one, and what stands beside the road together. */
function InvolvedList({ incident }: { incident: Incident }) {
  const { spots } = useViewer();
  const moving = incident.other.filter(({ mass }) => mass !== null);
  return (
    <section class="section" aria-labelledby="involved">
      <h3 id="involved">Who was involved</h3>
      <ul class="involved">
        {incident.vehicles.map((vehicle) => (
          <Involved vehicle={vehicle} incident={incident} key={vehicle.vin} />
        ))}
        {moving.map((other) => (
          <li key={`${other.kind} ${other.hazard}`}>
            <strong>{title(other.kind)}</strong>
            <p class="small">{impactOnOther(other)}</p>
          </li>
        ))}
        {fixedThings(incident, spots.value).map(({ name, text }) => (
          <li key={name}>
            <strong>{name}</strong>
            <p class="small">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Involved({ vehicle, incident }: { vehicle: IncidentVehicle; incident: Incident }) {
  const viewer = useViewer();
  const index = viewer.live.fleet.value.findIndex(({ vin }) => vin === vehicle.vin);
  const lack = shortcomings(vehicle);
  return (
    <li>
      <div class="row-line">
        <strong>{carName(vehicle)}</strong>
        <span class="tag">{title(vehicle.role)}</span>
      </div>
      <p class="small">{impactOnCar(vehicle, incident)}</p>
      {lack === '' ? null : <p class="small soft">{lack}</p>}
      <Button size="small" onClick={() => viewer.pickIndex(index)}>
        Go to this car<span class="visually-hidden">, {carName(vehicle)}</span>
      </Button>
    </li>
  );
}
