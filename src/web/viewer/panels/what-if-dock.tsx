import { Button } from '../../common/button.tsx';
import { TICKS_PER_S } from '../api/types.ts';
import { duration } from '../formatting.ts';
import type { Mark } from '../life/life.ts';
import { useViewer } from '../page/context.ts';
import { FRAME_TICKS } from '../page/frame-buffer.ts';
import { placeMarks } from '../page/marks.ts';
import { headline } from '../replay/headline.ts';
import { PlayButtons, SpeedSelect, Track } from './track.tsx';

const PAGE_TICKS = 10 * TICKS_PER_S;

/** The controls of what might have been, over the map. */
export function WhatIfDock() {
  const { whatIf, replay } = useViewer();
  const isShown = whatIf.isOpen.value && replay.id.value === null;
  if (!isShown) return null;
  const { player } = whatIf;
  return (
    <section class="time-line" aria-label="What if" data-open>
      <p class="feature-error" role="alert">
        {player.failure.value}
      </p>
      <div class="time-line-controls">
        <PlayButtons
          what="the copy"
          isPlaying={player.isPlaying.value}
          onToggle={() => player.toggle()}
          onStep={(frames) => player.step(frames * FRAME_TICKS)}
        />
        <SpeedSelect player={player} />
        <p class="legend small">
          {whatIf.switchings.value.length === 0 ? null : (
            <>
              <span class="ghost-mark" aria-hidden="true" />
              Ghosts: as it was
            </>
          )}
        </p>
        <p class="time-line-moment">{afterText(player.tick.value - whatIf.fromTick.value)}</p>
        <Further />
        <Button size="small" kind="main" onClick={() => whatIf.close()}>
          Close
        </Button>
      </div>
      <div class="time-line-row">
        <Line />
      </div>
    </section>
  );
}

/** Goes on where it has ended. */
function Further() {
  const { whatIf } = useViewer();
  const { tick } = whatIf.player;
  const end = whatIf.fromTick.value + whatIf.spanTicks.value;
  if (tick.value < end - FRAME_TICKS || !whatIf.canGoOn) return null;
  return (
    <Button size="small" onClick={() => whatIf.goOn()}>
      Another minute
    </Button>
  );
}

function Line() {
  const { whatIf, spots } = useViewer();
  const { player, fromTick, spanTicks, collisions } = whatIf;
  const extent = [fromTick.value, fromTick.value + spanTicks.value] as const;
  const isSwitched = whatIf.switchings.value.length > 0;
  const marks = (isSwitched ? collisions.value : []).map((incident): Mark => {
    return {
      tick: incident.tick,
      kind: 'incident',
      message: headline(incident, spots.value),
      incident: incident.id,
    };
  });
  return (
    <Track
      label="Moment of the copy"
      extent={extent}
      tick={player.tick.value}
      words={afterText(player.tick.value - extent[0], true)}
      pageTicks={PAGE_TICKS}
      marks={(placesMax) => placeMarks(marks, extent, placesMax)}
      canJump
      onMove={(tick) => {
        player.isPlaying.value = false;
        player.seek(tick);
      }}
      onHold={() => {
        player.isPlaying.value = false;
      }}
      onToggle={() => player.toggle()}
      onJump={(tick) => whatIf.jumpTo(tick)}
    />
  );
}

function afterText(ticks: number, isSpoken = false): string {
  return `after ${duration(ticks / TICKS_PER_S, isSpoken)}`;
}
