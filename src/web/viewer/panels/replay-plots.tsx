import { useMemo } from 'preact/hooks';
import type { Incident, Snapshot } from '../api/types.ts';
import { carName } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { type Action, actionsOf, type Sample, samplesOf } from '../replay/series.ts';
import { extent } from '../replay/timeline.ts';

const WIDTH = 300;
const HEIGHT = 70;
const SPEED_STEP_KMH = 20;
/** m/s²: emergency braking is harder than this, and a driver hardly ever brakes so hard. */
const HARD_BRAKING = -6;
const [ACCELERATION_MIN, ACCELERATION_MAX] = [-10, 5];
const LINES = ['solid', 'second', 'third'] as const;

interface Line {
  /** As it would have been. */
  isGhost: boolean;
  kind: (typeof LINES)[number];
  samples: readonly Sample[];
}

/** Speed and acceleration of the parties over the replay, with what acted in them. */
export function ReplayPlots({ incident }: { incident: Incident }) {
  const { replay } = useViewer();
  const was = replay.asItWas.value?.frames;
  const would = replay.asItWouldHaveBeen.value?.frames;
  const explanation = replay.explanation.value;
  const lines = useMemo(() => {
    const kindOf = (vin: string) =>
      LINES[incident.vehicles.findIndex((each) => each.vin === vin)] ?? 'third';
    const lineOf = (frames: readonly Snapshot[], vin: string, isGhost: boolean): Line => ({
      ...{ isGhost, kind: kindOf(vin) },
      samples: samplesOf(frames, vin),
    });
    return [
      ...incident.vehicles.map(({ vin }) => lineOf(was ?? [], vin, false)),
      ...(explanation?.vins ?? []).map((vin) => lineOf(would ?? [], vin, true)),
    ];
  }, [incident, was, would, explanation]);
  if (was === undefined) return null;
  const fastest = Math.max(...lines.flatMap(({ samples }) => samples.map(({ kmh }) => kmh)), 1);
  const top = Math.ceil(fastest / SPEED_STEP_KMH) * SPEED_STEP_KMH;
  const [first, last] = extent(was);
  const time = { first, last, contact: incident.tick, now: replay.tick.value };
  return (
    <section class="section" aria-labelledby="course">
      <h3 id="course">Speed and braking</h3>
      <Plot {...{ lines, time, bottom: 0, top }} name="Speed" unit="km/h" of={({ kmh }) => kmh} />
      <Plot
        {...{ lines, time, bottom: ACCELERATION_MIN, top: ACCELERATION_MAX }}
        name="Acceleration"
        unit="m/s²"
        mark={HARD_BRAKING}
        of={({ acceleration }) => acceleration}
      />
      <ul class="acted small">
        {incident.vehicles.map((vehicle) => (
          <li key={vehicle.vin}>
            <span class="line-mark" data-line={lines.find(isOf(vehicle.vin, incident))?.kind} />
            {carName(vehicle)}: {actedText(actionsOf(was, vehicle.vin), incident.tick)}
          </li>
        ))}
        {would === undefined
          ? null
          : explanation?.vins.map((vin) => (
              <li key={`ghost ${vin}`}>
                <span class="ghost-mark" aria-hidden="true" />
                Ghost: {actedText(actionsOf(would, vin), incident.tick)}
              </li>
            ))}
      </ul>
    </section>
  );
}

const isOf =
  (vin: string, { vehicles }: Incident) =>
  (line: Line) =>
    !line.isGhost &&
    line.kind === (LINES[vehicles.findIndex((each) => each.vin === vin)] ?? 'third');

/** “Braking from 1.6 s before, AEB from 0.9 s before”. */
function actedText(actions: readonly Action[], contactTick: number): string {
  const before = actions.filter(({ fromTick }) => fromTick <= contactTick);
  if (before.length === 0) return 'nothing acted before the contact';
  const texts = before.map(({ name, fromTick }) => {
    const seconds = (contactTick - fromTick) / 50;
    return `${name} from ${seconds.toFixed(1)} s before`;
  });
  return texts.slice(-3).join(', ');
}

interface PlotProps {
  name: string;
  unit: string;
  lines: readonly Line[];
  time: { first: number; last: number; contact: number; now: number };
  bottom: number;
  top: number;
  /** A threshold that is drawn. */
  mark?: number;
  of: (sample: Sample) => number | null;
}

function Plot({ name, unit, lines, time, bottom, top, mark, of }: PlotProps) {
  const xOf = (tick: number) => (WIDTH * (tick - time.first)) / Math.max(1, time.last - time.first);
  const yOf = (value: number) =>
    HEIGHT * (1 - (Math.min(top, Math.max(bottom, value)) - bottom) / (top - bottom));
  const own = lines.find(({ isGhost }) => !isGhost)?.samples ?? [];
  const now = own.findLast(({ tick }) => tick <= time.now) ?? own[0];
  const figure = now === undefined ? null : of(now);
  const digits = unit === 'km/h' ? 0 : 1;
  return (
    <figure class="plot">
      <figcaption>
        {name} <span class="soft">{`${bottom} to ${top} ${unit}`}</span>
        <span class="plot-now">{figure === null ? '–' : `${figure.toFixed(digits)} ${unit}`}</span>
      </figcaption>
      <svg
        class="replay-plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} of the parties over the replay`}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={yOf(0)} y2={yOf(0)} />
        {mark === undefined ? null : (
          <line class="threshold" x1="0" x2={WIDTH} y1={yOf(mark)} y2={yOf(mark)} />
        )}
        <line class="at-contact" x1={xOf(time.contact)} x2={xOf(time.contact)} y1="0" y2={HEIGHT} />
        {lines.map(({ isGhost, kind, samples }) => (
          <path
            key={`${kind} ${isGhost}`}
            data-line={kind}
            data-ghost={isGhost ? '' : undefined}
            d={pathOf(samples, xOf, (sample) => {
              const value = of(sample);
              return value === null ? null : yOf(value);
            })}
          />
        ))}
        <line class="now" x1={xOf(time.now)} x2={xOf(time.now)} y1="0" y2={HEIGHT} />
      </svg>
    </figure>
  );
}

function pathOf(
  samples: readonly Sample[],
  xOf: (tick: number) => number,
  yOf: (sample: Sample) => number | null,
): string {
  let isDown = false;
  return samples
    .map((sample) => {
      const y = yOf(sample);
      const command =
        y === null ? '' : `${isDown ? 'L' : 'M'}${xOf(sample.tick).toFixed(1)} ${y.toFixed(1)}`;
      isDown = y !== null;
      return command;
    })
    .join('');
}
