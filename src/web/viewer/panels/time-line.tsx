import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { TICKS_PER_S } from '../api/types.ts';
import { ago } from '../formatting.ts';
import { usePage, useViewer } from '../page/context.ts';
import { FRAME_TICKS } from '../page/frame-buffer.ts';
import { placeMarks } from '../page/marks.ts';
import { spoken, type Zoom, zoomsFor } from '../page/time-line.ts';
import { IconButton } from './icons.tsx';
import { PlayButtons, Select, SpeedSelect, Track } from './track.tsx';

const PAGE_TICKS = 30 * TICKS_PER_S;
const ZOOM_WORDS: Readonly<Record<Zoom, string>> = {
  'last-5-min': 'Last 5 min',
  'last-30-min': 'Last 30 min',
  life: 'Whole life',
};

/** The whole life of the city, over the map: a slim line while it is live. */
export function TimeLine() {
  const { timeLine, replay, whatIf, live } = useViewer();
  const isKnown = useComputed(() => timeLine.extent.value !== undefined);
  const isShown =
    isKnown.value &&
    replay.id.value === null &&
    !whatIf.isOpen.value &&
    live.status.value !== 'gone';
  const isOpen = timeLine.isOpen.value;
  const line = useRef<HTMLElement>(null);
  if (!isShown) return null;
  return (
    <section class="time-line" aria-label="Time line" data-open={isOpen} ref={line}>
      {isOpen ? <Controls /> : null}
      <div class="time-line-row">
        <Line />
        {isOpen ? null : (
          <Button
            size="small"
            kind="quiet"
            expanded={false}
            onClick={() => {
              timeLine.isOpen.value = true;
              // The button is gone: without this, keyboard users would start at the top.
              line.current?.querySelector<HTMLElement>('input')?.focus();
            }}
          >
            Look back
          </Button>
        )}
      </div>
    </section>
  );
}

function Line() {
  const { timeLine } = useViewer();
  const { player } = timeLine;
  const isPast = timeLine.isPast.value;
  const extent = timeLine.window.value;
  const marks = timeLine.marks.value;
  const tick = isPast ? player.tick.value : extent[1];
  return (
    <Track
      label="Moment"
      extent={extent}
      tick={tick}
      // The time since then grows by itself: it is told as of the last move.
      words={isPast ? spoken(timeLine.nowTick.peek() - tick) : 'Live'}
      pageTicks={PAGE_TICKS}
      marks={(placesMax) => placeMarks(marks, extent, placesMax)}
      canJump={timeLine.isOpen.value}
      // The line ends at the last whole second: the live world may be further on already.
      onMove={(to) => {
        if (to < extent[1]) timeLine.seek(to);
        else if (isPast) timeLine.goLive();
      }}
      onHold={() => {
        player.isPlaying.value = false;
      }}
      onToggle={() => timeLine.toggle()}
      onJump={(to) => timeLine.jumpTo(to)}
    />
  );
}

function Controls() {
  const { viewer, display } = usePage();
  const { timeLine } = viewer;
  const { player } = timeLine;
  const isPast = timeLine.isPast.value;
  const isPlaying = isPast ? player.isPlaying.value : true;
  return (
    <>
      <p class="feature-error" role="alert">
        {player.failure.value}
      </p>
      <div class="time-line-controls">
        <PlayButtons
          what={isPast ? 'the past' : 'the city'}
          isPlaying={isPlaying}
          onToggle={() => timeLine.toggle()}
          onStep={(frames) => {
            player.isPlaying.value = false;
            timeLine.step(frames * FRAME_TICKS);
          }}
        />
        <SpeedSelect player={player} />
        <ZoomSelect />
        <p class="time-line-moment" data-also-in-header>
          {isPast ? ago(timeLine.agoTicks.value) : 'Live'}
        </p>
        <Button size="small" onClick={() => viewer.askWhatIf()}>
          What if…
        </Button>
        {isPast ? (
          <IconButton
            name="share"
            size="small"
            label="Share this moment"
            onClick={() => viewer.share(display.scene.peek()?.camera.use)}
          />
        ) : null}
        <Button size="small" kind="main" expanded onClick={() => viewer.goLive()}>
          {isPast ? 'Back to live' : 'Close'}
        </Button>
      </div>
    </>
  );
}

function ZoomSelect() {
  const { timeLine } = useViewer();
  const first = timeLine.extent.value?.[0] ?? 0;
  const zooms = zoomsFor([first, timeLine.nowTick.value]);
  if (zooms.length < 2) return null;
  const chosen = zooms.find((zoom) => zoom === timeLine.zoom.value) ?? 'life';
  return (
    <Select
      label="What the line shows"
      value={chosen}
      options={zooms.map((zoom) => [zoom, ZOOM_WORDS[zoom]])}
      onChoose={(zoom) => {
        timeLine.zoom.value = zooms.find((each) => each === zoom) ?? 'life';
      }}
    />
  );
}
