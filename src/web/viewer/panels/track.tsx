import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { TICKS_PER_S } from '../api/types.ts';
import type { Extent } from '../life/life.ts';
import type { FramePlayer, Speed } from '../page/frame-player.ts';
import { SPEEDS } from '../page/frame-player.ts';
import type { PlacedMark } from '../page/marks.ts';
import { IconButton } from './icons.tsx';

/** A mark needs so much room: a finger must meet it. */
const MARK_PX = 24;
const FRACTIONS: Readonly<Record<number, string>> = { 0.25: '¼', 0.5: '½' };

/** A place on a track, whose thumb is 16 px wide and stays within its ends. */
function placeAt(part: number): string {
  return `calc(8px + (100% - 16px) * ${part})`;
}

interface TrackProps {
  label: string;
  extent: Extent;
  tick: number;
  /** The moment in words, for screen readers. */
  words: string;
  /** How far the page keys move, ticks; the arrows move by a second. */
  pageTicks: number;
  /** Makes marks of which so many have room. */
  marks: (placesMax: number) => readonly PlacedMark[];
  /** Marks can be pressed. */
  canJump: boolean;
  onMove: (tick: number) => void;
  onHold: () => void;
  onToggle: () => void;
  onJump: (tick: number) => void;
}

/** A slider over a part of a life, with marks. */
export function Track(props: TrackProps) {
  const { extent, tick, onMove } = props;
  const track = useRef<HTMLDivElement>(null);
  const widthPx = useSignal(0);
  useEffect(() => {
    if (track.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      widthPx.value = entry?.contentRect.width ?? 0;
    });
    observer.observe(track.current);
    return () => observer.disconnect();
  }, []);
  const marks = props.marks(Math.floor(widthPx.value / MARK_PX));
  return (
    <div class="track" ref={track}>
      <Marks marks={marks} canJump={props.canJump} onJump={props.onJump} />
      <input
        type="range"
        aria-label={props.label}
        aria-valuetext={props.words}
        min={extent[0]}
        max={extent[1]}
        step={1}
        value={Math.round(tick)}
        onInput={({ currentTarget }) => onMove(Number(currentTarget.value))}
        // A thumb that is pressed but not moved fires no input event.
        onPointerDown={props.onHold}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const target = movedBy(event.key, tick, extent, props.pageTicks);
          if (target !== undefined) onMove(target);
          else if (event.key === ' ') props.onToggle();
          else return;
          event.preventDefault();
        }}
      />
    </div>
  );
}

/** Where a key moves the thumb; undefined: it is no such key. */
function movedBy(
  key: string,
  tick: number,
  [first, last]: Extent,
  pageTicks: number,
): number | undefined {
  if (key === 'Home') return first;
  if (key === 'End') return last;
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: -TICKS_PER_S, ArrowDown: -TICKS_PER_S, PageDown: -pageTicks },
    ...{ ArrowRight: TICKS_PER_S, ArrowUp: TICKS_PER_S, PageUp: pageTicks },
  };
  const by = steps[key];
  return by === undefined ? undefined : Math.min(last, Math.max(first, tick + by));
}

interface MarksProps {
  marks: readonly PlacedMark[];
  canJump: boolean;
  onJump: (tick: number) => void;
}

/** Arrow keys go from mark to mark; the tab key reaches one of them. */
function Marks({ marks, canJump, onJump }: MarksProps) {
  const chosen = useSignal(Number.POSITIVE_INFINITY);
  const current = Math.min(chosen.value, marks.length - 1);
  if (!canJump) {
    return (
      <div class="marks" aria-hidden="true">
        {marks.map(({ tick, kind, part }) => (
          <span class="mark" data-kind={kind} key={tick} style={{ left: placeAt(part) }} />
        ))}
      </div>
    );
  }
  const go = (to: number, list: HTMLElement) => {
    chosen.value = Math.max(0, Math.min(marks.length - 1, to));
    list.querySelectorAll('button')[chosen.value]?.focus();
  };
  return (
    <div
      class="marks"
      role="toolbar"
      aria-label="What happened"
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'ArrowLeft') go(current - 1, currentTarget);
        if (key === 'ArrowRight') go(current + 1, currentTarget);
        if (key === 'Home') go(0, currentTarget);
        if (key === 'End') go(marks.length - 1, currentTarget);
      }}
    >
      {marks.map(({ tick, kind, part, words }, i) => (
        <button
          type="button"
          class="mark"
          data-kind={kind}
          data-side={part > 0.5 ? 'left' : 'right'}
          data-words={words}
          aria-label={`${words}. Show it`}
          key={tick}
          tabIndex={i === current ? 0 : -1}
          style={{ left: placeAt(part) }}
          onClick={() => onJump(tick)}
          onFocus={() => {
            chosen.value = i;
          }}
        />
      ))}
    </div>
  );
}

interface PlayButtonsProps {
  /** What is played: “the past”. */
  what: string;
  isPlaying: boolean;
  onToggle: () => void;
  onStep: (frames: -1 | 1) => void;
}

export function PlayButtons({ what, isPlaying, onToggle, onStep }: PlayButtonsProps) {
  return (
    <div class="play-buttons">
      <IconButton
        name={isPlaying ? 'pause' : 'play'}
        kind="main"
        label={`${isPlaying ? 'Pause' : 'Play'} ${what}`}
        onClick={onToggle}
      />
      <IconButton name="frame-back" label="One frame back" onClick={() => onStep(-1)} />
      <IconButton name="frame-on" label="One frame on" onClick={() => onStep(1)} />
    </div>
  );
}

export function SpeedSelect({ player }: { player: FramePlayer }) {
  return (
    <Select
      label="Speed"
      value={player.speed.value}
      options={SPEEDS.map((speed) => [speed, `${FRACTIONS[speed] ?? speed} ×`])}
      onChoose={(value) => {
        player.speed.value = Number(value) as Speed;
      }}
    />
  );
}

interface SelectProps {
  label: string;
  value: string | number;
  options: readonly (readonly [value: string | number, words: ComponentChildren])[];
  onChoose: (value: string) => void;
}

/** A choice that takes little room. */
export function Select({ label, value, options, onChoose }: SelectProps) {
  return (
    <select
      class="small-select"
      aria-label={label}
      title={label}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      {options.map(([each, words]) => (
        <option value={each} key={each}>
          {words}
        </option>
      ))}
    </select>
  );
}
