import { Button } from '../../common/button.tsx';
import { carName, inSentence, joinWords, relativeToContact } from '../formatting.ts';
import { usePage, useViewer } from '../page/context.ts';
import { extent, isSlow, SPEEDS } from '../replay/timeline.ts';
import { Choice } from './choice.tsx';
import { IconButton } from './icons.tsx';

const FRACTIONS = { 0.25: '¼', 0.5: '½', 1: '1' } as const;
const SPEED_OPTIONS = SPEEDS.map((speed) => {
  const label = (
    <>
      {FRACTIONS[speed]}
      <span aria-hidden="true">×</span>
      <span class="visually-hidden"> of real time</span>
    </>
  );
  return [speed, label] as const;
});
/** Ticks of a step of the scrubber: one frame. */
const STEP = 4;
/** Keys that move the thumb of the scrubber. */
const MOVES = /^(Arrow|Page|Home|End)/;

/** Position on the scrubber, whose thumb is 16 px wide and stays within its ends. */
function contactAt(part: number): string {
  return `calc(8px + (100% - 16px) * ${part})`;
}

/** The controls of the replay, over the map. */
export function ReplayDock() {
  const { viewer, display } = usePage();
  const { replay } = viewer;
  const was = replay.asItWas.value;
  if (replay.id.value === null || was === null) return null;
  const [first, last] = extent(was.frames);
  const contact = replay.incident.value?.tick ?? was.contact_tick ?? first;
  const isPlaying = replay.isPlaying.value;
  const [icon, label] = playWords(isPlaying, replay.tick.value >= last);
  const isSlowMotion = isPlaying && replay.speed.value === 1 && isSlow(replay.tick.value, contact);
  const step = (ticks: number) => {
    replay.isPlaying.value = false;
    replay.seek(replay.tick.peek() + ticks);
  };
  return (
    <section class="dock" aria-label="Replay">
      <div class="dock-line">
        <IconButton name={icon} kind="main" label={label} onClick={() => replay.toggle()} />
        <IconButton name="frame-back" label="One frame back" onClick={() => step(-STEP)} />
        <IconButton name="frame-on" label="One frame on" onClick={() => step(STEP)} />
        <Scrubber first={first} last={last} contact={contact} />
        <output class="dock-time">
          {relativeToContact(replay.tick.value, contact)}
          {isSlowMotion ? ', slow motion' : ''}
        </output>
      </div>
      <div class="dock-line dock-foot">
        <Choice
          legend="Speed of the replay"
          options={SPEED_OPTIONS}
          chosen={replay.speed.value}
          onChoose={(speed) => {
            replay.speed.value = speed;
          }}
        />
        <GhostLegend />
        <Button
          size="small"
          kind="main"
          onClick={() => viewer.share(display.scene.peek()?.camera.use)}
        >
          Share this
        </Button>
        <Button size="small" onClick={() => viewer.openIncident(null)}>
          Back to live
        </Button>
      </div>
    </section>
  );
}

function playWords(isPlaying: boolean, isAtEnd: boolean) {
  if (isPlaying) return ['pause', 'Pause the replay'] as const;
  return isAtEnd ? (['again', 'Play again'] as const) : (['play', 'Play the replay'] as const);
}

/** All properties are ticks; `contact` is that of the first contact. */
function Scrubber({ first, last, contact }: { first: number; last: number; contact: number }) {
  const { replay } = useViewer();
  // A thumb that is pressed but not moved fires no input event, and the replay would play on.
  const hold = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    replay.isPlaying.value = false;
    replay.seek(Number(currentTarget.value));
  };
  return (
    <div class="scrubber">
      <input
        type="range"
        aria-label="Moment of the replay"
        aria-valuetext={relativeToContact(replay.tick.value, contact)}
        min={first}
        max={last}
        step={STEP}
        value={replay.tick.value}
        onInput={hold}
        onPointerDown={hold}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (MOVES.test(event.key)) hold(event);
          else if (event.key === ' ') {
            event.preventDefault();
            replay.toggle();
          }
        }}
      />
      <span
        class="contact"
        title="Moment of the collision"
        style={{ insetInlineStart: contactAt((contact - first) / Math.max(1, last - first)) }}
      />
    </div>
  );
}

function GhostLegend() {
  const { replay, live } = useViewer();
  const explanation = replay.explanation.value;
  if (explanation === null) return <p class="legend small soft">What really happened</p>;
  const cars = live.fleet.value.filter(({ vin }) => explanation.vins.includes(vin));
  const isThere = replay.asItWouldHaveBeen.value !== null;
  return (
    <p class="legend small">
      <span class="ghost-mark" aria-hidden="true" />
      {isThere ? 'Ghost: ' : 'Loading the ghost: '}
      {joinWords(cars.map(carName))} with {joinWords(explanation.features.map(inSentence))}
    </p>
  );
}
