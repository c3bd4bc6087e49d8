import { useMemo } from 'preact/hooks';
import { type Incident, type Snapshot, TICKS_PER_S } from '../api/types.ts';
import { carName, fixed } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { type Action, actionsOf, limitOf, type Sample, samplesOf } from '../replay/series.ts';
import { extent } from '../replay/timeline.ts';

const WIDTH = 300;
const HEIGHT = 70;
const SPEED_STEP_KMH = 20;
/** m/s²: emergency braking is harder than this, and a driver hardly ever brakes so hard. */
const HARD_BRAKING = -6;
const [ACCELERATION_MIN, ACCELERATION_MAX] = [-10, 5];
/** The first vehicle of the report stands out from the others. */
type Tone = 'accent' | 'soft';

interface Line {
  /** Of the car; a ghost has another one. */
  key: string;
  /** As it would have been. */
  isGhost: boolean;
  tone: Tone;
  samples: readonly Sample[];
}

const toneOf = ({ vehicles }: Incident, vin: string): Tone =>
  vehicles[0]?.vin === vin ? 'accent' : 'soft';

/** Speed and acceleration of the parties over the replay, with what acted in them. */
export function ReplayPlots({ incident }: { incident: Incident }) {
  const { replay, map } = useViewer();
  const was = replay.asItWas.value?.frames;
  const would = replay.asItWouldHaveBeen.value?.frames;
  const explanation = replay.explanation.value;
  const roads = map.value?.roads;
  const limit = useMemo(() => limitOf(incident, was ?? [], roads ?? []), [incident, was, roads]);
  const lines = useMemo(() => {
    const lineOf = (frames: readonly Snapshot[], vin: string, isGhost: boolean): Line => ({
      ...{ key: isGhost ? `ghost ${vin}` : vin, isGhost, tone: toneOf(incident, vin) },
      samples: samplesOf(frames, vin),
    });
    return [
      ...incident.vehicles.map(({ vin }) => lineOf(was ?? [], vin, false)),
      ...(explanation?.vins ?? []).map((vin) => lineOf(would ?? [], vin, true)),
    ];
  }, [incident, was, would, explanation]);
  const span = useMemo(() => extent(was ?? []), [was]);
  const top = useMemo(() => {
    const speeds = lines.flatMap(({ samples }) => samples.map(({ kmh }) => kmh));
    return Math.ceil(Math.max(...speeds, limit ?? 1) / SPEED_STEP_KMH) * SPEED_STEP_KMH;
  }, [lines, limit]);
  if (was === undefined) return null;
  const shared = { lines, span, contact: incident.tick, now: replay.tick.value };
  return (
    <section class="section" aria-labelledby="course">
      <h3 id="course">Speed and braking</h3>
      <Plot
        {...shared}
        {...{ bottom: 0, top }}
        name="Speed"
        unit="km/h"
        digits={0}
        mark={limit}
        marked="limit"
        of={speedOf}
      />
      <Plot
        {...shared}
        {...{ bottom: ACCELERATION_MIN, top: ACCELERATION_MAX }}
        name="Acceleration"
        unit="m/s²"
        digits={1}
        mark={HARD_BRAKING}
        marked="hard"
        of={accelerationOf}
      />
      <Acted incident={incident} />
    </section>
  );
}

/** What acted in each party before the contact. */
function Acted({ incident }: { incident: Incident }) {
  const { replay } = useViewer();
  const was = replay.asItWas.value?.frames;
  const would = replay.asItWouldHaveBeen.value?.frames;
  const explanation = replay.explanation.value;
  const acted = useMemo(
    () => [
      ...incident.vehicles.map((vehicle) => ({
        key: vehicle.vin,
        tone: toneOf(incident, vehicle.vin),
        text: `${carName(vehicle)}: ${actedText(actionsOf(was ?? [], vehicle.vin), incident.tick)}`,
      })),
      ...(would === undefined ? [] : (explanation?.vins ?? [])).map((vin) => ({
        key: `ghost ${vin}`,
        tone: null,
        text: `Ghost: ${actedText(actionsOf(would ?? [], vin), incident.tick)}`,
      })),
    ],
    [incident, was, would, explanation],
  );
  return (
    <ul class="acted small">
      {acted.map(({ key, tone, text }) => (
        <li key={key}>
          {tone === null ? (
            <span class="ghost-mark" aria-hidden="true" />
          ) : (
            <span class="line-mark" data-tone={tone} aria-hidden="true" />
          )}
          {text}
        </li>
      ))}
    </ul>
  );
}

const speedOf = ({ kmh }: Sample): number => kmh;
const accelerationOf = ({ acceleration }: Sample): number | null => acceleration;

/** “Braking from 1.6 s before, AEB from 0.9 s before”. */
function actedText(actions: readonly Action[], contactTick: number): string {
  const before = actions.filter(({ fromTick }) => fromTick <= contactTick);
  if (before.length === 0) return 'nothing acted before the contact';
  const texts = before.map(({ name, fromTick }) => {
    const seconds = (contactTick - fromTick) / TICKS_PER_S;
    return `${name} from ${seconds.toFixed(1)} s before`;
  });
  return texts.slice(-3).join(', ');
}

interface PlotProps {
  name: string;
  unit: string;
  /** Of its figure. */
  digits: number;
  lines: readonly Line[];
  /** The first and the last tick of the replay. */
  span: readonly [number, number];
  /** The tick of the contact. */
  contact: number;
  /** The tick that is shown. */
  now: number;
  bottom: number;
  top: number;
  /** A threshold that is drawn, and the word for it. */
  mark: number | null;
  marked: string;
  of: (sample: Sample) => number | null;
}

function Plot(props: PlotProps) {
  const { name, unit, digits, lines, span, contact, now, bottom, top, mark, marked, of } = props;
  const [first, last] = span;
  const xOf = (tick: number) => (WIDTH * (tick - first)) / Math.max(1, last - first);
  const yOf = (value: number) =>
    HEIGHT * (1 - (Math.min(top, Math.max(bottom, value)) - bottom) / (top - bottom));
  // While the replay plays, only the moment changes.
  const paths = useMemo(
    () =>
      lines.map(({ key, isGhost, tone, samples }) => (
        <path
          key={key}
          data-tone={tone}
          data-ghost={isGhost ? '' : undefined}
          d={pathOf(samples, xOf, (sample) => {
            const value = of(sample);
            return value === null ? null : yOf(value);
          })}
        />
      )),
    [lines, first, last, bottom, top, of],
  );
  const own = lines.find(({ isGhost }) => !isGhost)?.samples ?? [];
  const shown = own.findLast(({ tick }) => tick <= now) ?? own[0];
  const figure = shown === undefined ? null : of(shown);
  return (
    <figure class="plot">
      <figcaption>
        {name}{' '}
        <span class="soft">
          {`${bottom} to ${top} ${unit}`}
          {mark === null ? '' : `, ${marked}: ${fixed(mark, 0)}`}
        </span>
        <span class="plot-now">{figure === null ? '–' : `${fixed(figure, digits)} ${unit}`}</span>
      </figcaption>
      <svg
        class="replay-plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} of the parties over the replay`}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={yOf(0)} y2={yOf(0)} />
        {mark === null ? null : (
          <line class="threshold" x1="0" x2={WIDTH} y1={yOf(mark)} y2={yOf(mark)} />
        )}
        <line class="at-contact" x1={xOf(contact)} x2={xOf(contact)} y1="0" y2={HEIGHT} />
        {paths}
        <line class="now" x1={xOf(now)} x2={xOf(now)} y1="0" y2={HEIGHT} />
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
