import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { whileVisible } from '../../common/visible.ts';
import { readEvents, readIncidents, readIncidentsUntil } from '../api/twin.ts';
import { type Incident, TICKS_PER_S, type WorldEvent } from '../api/types.ts';
import { EarlierIncidents } from './earlier-incidents.ts';
import type { LiveWorld } from './live-world.ts';

const REFRESH_MS = 2000;
/** What has happened longer ago is no news: the computer slept, or the page was hidden. */
const NEWS_TICKS = 10 * TICKS_PER_S;

/** The last events of the world and all its incidents. */
export class EventFeed {
  /** Newest first. */
  readonly events = signal<readonly WorldEvent[]>([]);
  /** Newest first. */
  readonly incidents = signal<readonly Incident[]>([]);
  readonly areRead = signal(false);
  /** Those that cannot be shown again. */
  readonly earlier: EarlierIncidents;
  /** Called with the events since the last request that have just happened, oldest first. */
  onNews: (events: readonly WorldEvent[]) => void = () => {};
  readonly #live: LiveWorld;
  /** The life here began long ago, and what came first in it is not known yet: there may be more incidents. */
  readonly lacksEarlier = computed(() => {
    const life = this.#live.life.value;
    if (life === null) return false;
    return life.begin.value === undefined || this.earlier.reports.value === null;
  });

  constructor(live: LiveWorld) {
    this.#live = live;
    this.earlier = new EarlierIncidents(live.life, (tick) => readIncidentsUntil(live.id, tick));
  }

  /** From the life in this page, where there is one; else the service is asked again and again. */
  start(): void {
    effect(() => {
      const life = this.#live.life.value;
      if (life !== null) {
        const { events, incidents } = life.happened.value;
        const earlier = this.earlier.reports.value ?? [];
        untracked(() => this.#take(events, [...earlier, ...incidents], true));
        return undefined;
      }
      return this.#live.isTold.value ? whileVisible(REFRESH_MS, () => this.#refresh()) : undefined;
    });
  }

  /** Whether a car is one of the parties of an incident. */
  isInvolved(incident: string | null, vin: string): boolean {
    const found = this.incidents.peek().find(({ id }) => id === incident);
    return found?.vehicles.some((each) => each.vin === vin) ?? false;
  }

  /** Which of some collisions concerns a visitor most: the last one of the picked car, else the last one. */
  foremost(events: readonly WorldEvent[], picked: string | null): WorldEvent | undefined {
    const crashes = events.filter(({ incident }) => incident !== null);
    const own = crashes.filter(
      ({ incident }) => picked !== null && this.isInvolved(incident, picked),
    );
    return own.at(-1) ?? crashes.at(-1);
  }

  async #refresh(): Promise<void> {
    if (this.#live.status.peek() === 'gone') return;
    const events = await readEvents(this.#live.id).catch(() => null);
    // The world may live here by now.
    if (events === null || !this.#live.isTold.peek()) return;
    const isOpen = this.incidents.peek().some(({ explained }) => !explained);
    const mustRead =
      !this.areRead.peek() ||
      isOpen ||
      this.#newsOf(events).some(({ kind }) => kind === 'collision');
    const incidents = mustRead ? await readIncidents(this.#live.id).catch(() => null) : null;
    if (this.#live.isTold.peek()) this.#take(events, incidents);
  }

  #newsOf(events: readonly WorldEvent[]): readonly WorldEvent[] {
    const newest = this.events.peek()[0]?.seq ?? -1;
    return events.filter(({ seq }) => seq > newest);
  }

  /**
   * Takes the last events and all incidents, oldest first; null: the incidents are as they were.
   * @param isOtherwise they may have turned out otherwise than was known
   */
  #take(
    events: readonly WorldEvent[],
    incidents: readonly Incident[] | null,
    isOtherwise = false,
  ): void {
    const isFirst = !this.areRead.peek();
    const news = this.#newsOf(events);
    batch(() => {
      this.areRead.value = true;
      if (isOtherwise || news.length > 0) this.events.value = events.toReversed();
      if (incidents !== null) this.incidents.value = incidents.toReversed();
    });
    const sinceTick = this.#newestTick(events) - NEWS_TICKS;
    const recent = news.filter(({ tick }) => tick >= sinceTick);
    if (!isFirst && recent.length > 0) this.onNews(recent);
  }

  /** After a pause the first frame may come later than what has happened meanwhile. */
  #newestTick(events: readonly WorldEvent[]): number {
    const { life, playback } = this.#live;
    const [, lived = 0] = life.peek()?.extent.peek() ?? [];
    return Math.max(playback.newest?.tick ?? 0, lived, events.at(-1)?.tick ?? 0);
  }
}
