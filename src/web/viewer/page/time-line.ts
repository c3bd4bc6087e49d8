import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { prefersReducedMotion } from '../../common/media.ts';
import { showToast } from '../../common/toasts.tsx';
import { type FleetEntry, TICKS_PER_S, type WorldEvent } from '../api/types.ts';
import { ago, duration } from '../formatting.ts';
import type { Extent, Life, Mark } from '../life/life.ts';
import type { ShownWorld } from '../scene/types.ts';
import { frameBefore } from './frame-buffer.ts';
import { FramePlayer } from './frame-player.ts';

const MIN_TICKS = 60 * TICKS_PER_S;

/** The parts of a life that the line can show: the last ones, or all. The shortest first. */
export const ZOOMS = ['last-5-min', 'last-30-min', 'life'] as const;
export type Zoom = (typeof ZOOMS)[number];
const ZOOM_TICKS: Readonly<Record<Zoom, number>> = {
  'last-5-min': 5 * MIN_TICKS,
  'last-30-min': 30 * MIN_TICKS,
  life: Number.POSITIVE_INFINITY,
};

/** Whoever asks for a moment so near to now wants what is live. */
const LIVE_TICKS = TICKS_PER_S / 2;
/** A mark is reached so long before what it stands for. */
export const LEAD_TICKS = 2 * TICKS_PER_S;
/** A link to a moment is given up when that is not known here after so long. */
const LINK_MS = 30_000;
const TOPIC = 'moment';

interface Parts {
  life: ReadonlySignal<Life | null>;
  /** Of what was before that. */
  earlierMarks: ReadonlySignal<readonly Mark[]>;
  fleet: ReadonlySignal<readonly FleetEntry[]>;
  /** The tick of the live world that is on display. */
  liveTick: () => number;
}

/** The whole life of the world, and the moment of it that is shown: the live one, or one of the past. */
export class TimeLine {
  readonly isPast = signal(false);
  /** The visitor sees the controls; the live page begins with a slim line. */
  readonly isOpen = signal(false);
  readonly zoom = signal<Zoom>('last-30-min');
  /** What is known of the life; undefined: nothing, and there is no time line. */
  readonly extent = computed<Extent | undefined>(() => this.#parts.life.value?.extent.value);
  readonly marks = computed(() => {
    const { life, earlierMarks } = this.#parts;
    return [...earlierMarks.value, ...(life.value?.marks.value ?? [])];
  });
  /** The newest moment, in whole seconds: what shows it need not change with every tick. */
  readonly nowTick = computed(() => {
    const last = this.extent.value?.[1] ?? 0;
    return last - (last % TICKS_PER_S);
  });
  /** The part of the life that the line shows. */
  readonly window = computed<Extent>(() => {
    const first = this.extent.value?.[0] ?? 0;
    const tick = this.isPast.value ? this.player.tick.value : this.nowTick.value;
    return windowOf([first, this.nowTick.value], this.zoom.value, tick);
  });
  /** How long ago the moment is that is shown, ticks. */
  readonly agoTicks = computed(() =>
    this.isPast.value ? Math.max(0, this.nowTick.value - this.player.tick.value) : 0,
  );
  /** The last events before the moment, newest first. */
  readonly events = signal<readonly WorldEvent[]>([]);
  readonly player: FramePlayer;
  readonly #parts: Parts;
  #eventsWanted: number | null = null;
  #stopLink = () => {};
  #isReadingEvents = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.player = new FramePlayer({
      source: (part, everyTicks) => {
        const life = parts.life.peek();
        return life === null ? Promise.reject(new Error(LOST)) : life.frames(part, everyTicks);
      },
      known: () => this.extent.peek() ?? [0, 0],
      fleet: parts.fleet,
    });
    effect(() => {
      if (this.extent.value !== undefined || !this.isPast.peek()) return;
      this.goLive();
      showToast(LOST, { kind: 'bad', topic: TOPIC, stays: false });
    });
    effect(() => {
      parts.life.value?.edition.value;
      if (this.isPast.peek()) this.player.reread();
    });
  }

  get shown(): ShownWorld {
    return this.player.shown;
  }

  /** Shows a moment and stops there; the live world if it is as good as now. */
  seek(tick: number): void {
    if (this.extent.peek() === undefined) return;
    this.#stopLink();
    if (tick >= this.#parts.liveTick() - LIVE_TICKS) {
      this.goLive();
      return;
    }
    this.#enter();
    this.player.isPlaying.value = false;
    this.player.seek(tick);
  }

  /** Goes on from the moment that is shown by ticks. */
  step(ticks: number): void {
    if (this.isPast.peek()) this.seek(frameBefore(Math.round(this.player.exactTick)) + ticks);
    else if (ticks < 0) this.seek(this.#parts.liveTick() + Math.min(ticks, -2 * LIVE_TICKS));
  }

  /** Plays or stops; the live world stops where it is. */
  toggle(): void {
    if (this.extent.peek() === undefined) return;
    this.#stopLink();
    if (this.isPast.peek()) this.player.toggle();
    else {
      this.#enter();
      this.player.seek(this.#parts.liveTick());
    }
  }

  /** Shows what happens just before a mark. */
  jumpTo(tick: number): void {
    const [first] = this.extent.peek() ?? [0];
    this.seek(Math.max(first, tick - LEAD_TICKS));
    if (this.isPast.peek()) this.player.isPlaying.value = !prefersReducedMotion.peek();
  }

  goLive(): void {
    this.#stopLink();
    batch(() => {
      this.isPast.value = false;
      this.isOpen.value = false;
      this.player.clear();
    });
  }

  /** What a link asks for: a moment, as soon as it is known. The beginning of a life may come last. */
  openAt(tick: number): void {
    this.#stopLink();
    const end = () => {
      clearTimeout(timer);
      this.#stopLink = () => {};
      // The first call comes before there is anything to stop.
      queueMicrotask(() => stop());
    };
    this.#stopLink = end;
    const timer = setTimeout(() => {
      end();
      this.#refuseLink(tick);
    }, LINK_MS);
    const stop = this.extent.subscribe((extent) => {
      const isKnown = extent !== undefined && tick >= extent[0];
      if (this.#stopLink !== end || (Number.isInteger(tick) && !isKnown)) return;
      end();
      if (whyUnknown(tick, extent) !== '') this.#refuseLink(tick);
      else {
        this.#enter();
        this.player.seek(tick);
      }
    });
  }

  /** The visitor turns to something else: no link leads to a moment any more. */
  dropLink(): void {
    this.#stopLink();
  }

  #refuseLink(tick: number): void {
    const why = whyUnknown(tick, this.extent.peek());
    showToast(`${why} You see it live.`, { kind: 'bad', topic: TOPIC, stays: false });
  }

  /** Advances by seconds of real time. */
  advance(seconds: number): void {
    if (!this.isPast.peek() || !this.player.isPlaying.peek()) return;
    this.player.advance(seconds);
    const nowTick = Math.min(this.#parts.liveTick(), this.player.range[1]);
    if (this.player.exactTick >= nowTick) this.goLive();
  }

  /** Interpolates the past at the moment; false where the live world is shown. */
  show(): boolean {
    return this.isPast.peek() && this.player.show();
  }

  /** Reads the last events before a moment; the newest one that is asked for counts. */
  async readEvents(tick: number): Promise<void> {
    this.#eventsWanted = tick;
    if (this.#isReadingEvents) return;
    this.#isReadingEvents = true;
    while (this.#eventsWanted !== null) {
      const wanted = this.#eventsWanted;
      this.#eventsWanted = null;
      const events = await this.#parts.life
        .peek()
        ?.events(wanted)
        .catch(() => null);
      if (events) this.events.value = events;
    }
    this.#isReadingEvents = false;
  }

  #enter(): void {
    batch(() => {
      // What is left of the last visit to the past is not of this moment.
      if (!this.isPast.peek()) this.player.clear();
      this.isPast.value = true;
      this.isOpen.value = true;
    });
  }
}

const LOST = 'The past of this city cannot be shown now.';
/** Why a link cannot lead to a tick; empty where it can. */
function whyUnknown(tick: number, extent: Extent | undefined): string {
  if (!Number.isInteger(tick) || tick < 0) return 'The link leads to no moment of this city.';
  if (extent === undefined) return 'This page does not know the past of this city.';
  const [first, last] = extent;
  const seconds = (tick > last ? tick - last : first - tick) / TICKS_PER_S;
  if (tick > last) return `The link leads to a moment ${duration(seconds)} after now.`;
  if (tick >= first) return '';
  return `The link leads to a moment ${duration(seconds)} before what is known of this city.`;
}

/** The part of a life that a line shows: what was chosen, or more where the moment is farther back. */
export function windowOf([first, last]: Extent, zoom: Zoom, tick: number): Extent {
  for (const each of ZOOMS.slice(ZOOMS.indexOf(zoom))) {
    const from = Math.max(first, last - ZOOM_TICKS[each]);
    if (tick >= from) return [from, last];
  }
  return [first, last];
}

/** The choices that show different parts of a life. */
export function zoomsFor([first, last]: Extent): readonly Zoom[] {
  return ZOOMS.filter((zoom) => zoom === 'life' || ZOOM_TICKS[zoom] < last - first);
}

/** “12 minutes 4 seconds ago”, for a screen reader. */
export const spoken = (agoTicks: number): string => ago(agoTicks, true);
