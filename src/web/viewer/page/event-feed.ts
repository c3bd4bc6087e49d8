import { batch, signal } from '@preact/signals';
import { whileVisible } from '../../common/visible.ts';
import { readEvents, readIncidents } from '../api/twin.ts';
import type { Incident, WorldEvent } from '../api/types.ts';
import type { LiveWorld } from './live-world.ts';

const REFRESH_MS = 2000;

/** The last events of the world and all its incidents. */
export class EventFeed {
  /** Newest first. */
  readonly events = signal<readonly WorldEvent[]>([]);
  /** Newest first. */
  readonly incidents = signal<readonly Incident[]>([]);
  readonly areRead = signal(false);
  /** Called with the events since the last request, oldest first. */
  onNews: (events: readonly WorldEvent[]) => void = () => {};
  readonly #live: LiveWorld;

  constructor(live: LiveWorld) {
    this.#live = live;
  }

  start(): void {
    whileVisible(REFRESH_MS, () => this.#refresh());
  }

  /** Whether a car is one of the parties of an incident. */
  isInvolved(incident: string | null, vin: string): boolean {
    const found = this.incidents.peek().find(({ id }) => id === incident);
    return found?.vehicles.some((each) => each.vin === vin) ?? false;
  }

  async #refresh(): Promise<void> {
    if (this.#live.status.peek() === 'gone') return;
    const events = await readEvents(this.#live.id).catch(() => null);
    if (events === null) return;
    const isFirst = !this.areRead.peek();
    const newest = this.events.peek()[0]?.seq ?? -1;
    const news = events.filter(({ seq }) => seq > newest);
    const isOpen = this.incidents.peek().some(({ explained }) => !explained);
    if (isFirst || isOpen || news.some(({ kind }) => kind === 'collision'))
      await this.#readIncidents();
    batch(() => {
      this.areRead.value = true;
      if (news.length > 0) this.events.value = events.toReversed();
    });
    if (!isFirst && news.length > 0) this.onNews(news);
  }

  async #readIncidents(): Promise<void> {
    const incidents = await readIncidents(this.#live.id).catch(() => null);
    if (incidents !== null) this.incidents.value = incidents.toReversed();
  }
}
