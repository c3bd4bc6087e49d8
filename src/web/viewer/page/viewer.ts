import { computed, effect, signal } from '@preact/signals';
import { showToast } from '../../common/toasts.tsx';
import { makeWorld, readCatalogue, readCities, readMap } from '../api/twin.ts';
import type { City, CityMap, Feature } from '../api/types.ts';
import type { CameraMode } from '../scene/types.ts';
import { readAddress, writeAddress } from './address.ts';
import { EventFeed } from './event-feed.ts';
import { LiveWorld } from './live-world.ts';
import { PickedCar } from './picked-car.ts';
import { ReplayPlayer } from './replay-player.ts';

export type LeftPanel = 'cars' | 'events' | 'incidents';
type DialogName = 'help' | 'new-city';

const START_RETRY_MS = 3000;

/** The state of the page, and its actions. */
export class Viewer {
  readonly live: LiveWorld;
  readonly car: PickedCar;
  readonly eventFeed: EventFeed;
  readonly replay: ReplayPlayer;
  readonly map = signal<CityMap | null>(null);
  readonly catalogue = signal<readonly Feature[]>([]);
  readonly cities = signal<readonly City[]>([]);
  readonly camera = signal<CameraMode>('city');
  readonly left = signal<LeftPanel | null>('cars');
  /** The open panel where the page has room for one only. */
  readonly front = signal<'left' | 'right' | null>(null);
  readonly right = computed<'car' | 'incident' | null>(() => {
    if (this.replay.id.value !== null) return 'incident';
    return this.car.vin.value === null ? null : 'car';
  });
  readonly dialog = signal<DialogName | null>(null);
  /** Why the map cannot be drawn; empty where it can. */
  readonly mapError = signal('');

  constructor(world: string) {
    this.live = new LiveWorld(world);
    this.car = new PickedCar(this.live);
    this.eventFeed = new EventFeed(this.live);
    this.replay = new ReplayPlayer(this.live);
  }

  start(): void {
    this.live.start();
    this.eventFeed.start();
    this.eventFeed.onNews = (events) => {
      const vin = this.car.vin.peek();
      const isSwitched = events.some((each) => each.kind === 'configuration' && each.vin === vin);
      if (isSwitched) void this.car.refresh();
    };
    void this.#readOnce();
    this.#followAddress();
  }

  /** Map, features and cities never change: they are read once, and again after a failure. */
  async #readOnce(): Promise<void> {
    try {
      const [map, catalogue, cities] = await Promise.all([
        readMap(this.live.id),
        readCatalogue(),
        readCities(),
      ]);
      this.map.value = map;
      this.catalogue.value = catalogue;
      this.cities.value = cities;
      this.car.learn(map);
    } catch {
      // The connection reports the failure.
      if (this.live.status.peek() !== 'gone') setTimeout(() => this.#readOnce(), START_RETRY_MS);
    }
  }

  #followAddress(): void {
    const follow = () => {
      const { car, incident } = readAddress(location);
      if (car !== null) this.pick(car);
      if (incident !== null) this.openIncident(incident);
    };
    follow();
    addEventListener('hashchange', follow);
    effect(() => {
      const [car, incident] = [this.car.vin.value, this.replay.id.value];
      history.replaceState(null, '', writeAddress({ world: this.live.id, car, incident }));
    });
  }

  /** Picks a car and follows it; null picks none. */
  pick(vin: string | null): void {
    this.car.pick(vin);
    this.front.value = vin === null ? null : 'right';
    if (vin !== null && this.camera.peek() === 'city') this.camera.value = 'follow';
    if (vin === null) this.camera.value = 'city';
  }

  pickIndex(index: number | null): void {
    const vin = index === null ? undefined : this.live.fleet.peek()[index]?.vin;
    if (vin === undefined) return;
    this.openIncident(null);
    this.pick(vin);
  }

  pickNext(by: number): void {
    const { length } = this.live.fleet.peek();
    const from = Math.max(this.car.index.peek(), by > 0 ? -1 : 0);
    if (length > 0) this.pickIndex((from + by + length) % length);
  }

  openIncident(id: string | null): void {
    this.replay.open(id);
    if (id !== null) {
      this.camera.value = 'city';
      this.front.value = 'right';
    } else if (this.car.vin.peek() !== null) this.camera.value = 'follow';
  }

  /** Closes the incident and opens the list. */
  showIncidents(): void {
    this.openIncident(null);
    this.showLeft('incidents');
  }

  /** Opens a dialog; null closes it. */
  open(dialog: DialogName | null): void {
    this.dialog.value = dialog;
  }

  showLeft(panel: LeftPanel): void {
    this.left.value = panel;
    this.front.value = 'left';
  }

  /** Closes the panel on the right: the incident first, then the car. */
  closeRight(): void {
    if (this.replay.id.peek() === null) this.pick(null);
    else this.openIncident(null);
  }

  async goToNewCity(city: string): Promise<void> {
    const { id } = await makeWorld(city);
    location.assign(`/worlds/${id}`);
  }

  async share(): Promise<void> {
    const url = new URL(writeAddress(readAddress(location)), location.origin).href;
    const title = document.title;
    try {
      if ('share' in navigator && matchMedia('(pointer: coarse)').matches) {
        await navigator.share({ url, title });
        return;
      }
      await navigator.clipboard.writeText(url);
      showToast('The link is copied.');
    } catch (error) {
      // The visitor closed the share sheet.
      const isCancelled = error instanceof DOMException && error.name === 'AbortError';
      if (!isCancelled) showToast(`Copy this link: ${url}`, 'bad');
    }
  }
}
