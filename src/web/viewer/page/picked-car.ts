import { batch, computed, signal } from '@preact/signals';
import { reasonOf } from '../../common/request.ts';
import { settleAll } from '../../common/settle-all.ts';
import { whileVisible } from '../../common/visible.ts';
import {
  changeFeatures,
  readCarOutlook,
  readFeatures,
  readRoute,
  resetFeatures,
} from '../api/twin.ts';
import type { CityMap, FeatureState, FleetEntry, MapPoint } from '../api/types.ts';
import { type NextStake, stakesOf } from '../stakes.ts';
import type { LiveWorld } from './live-world.ts';

/**
 * How often it is asked what is at stake next. The answer reaches 90 s ahead, and costs the service more than
 * to let somebody watch.
 */
const STAKES_MS = 60_000;
/** Cars that are switched at a time. */
const AT_ONCE = 5;
/** A route that could not be read is asked for again after so long. */
const ROUTE_MS = 3000;
/** Other visitors may switch the same car, so its features are read again this often. */
const REFRESH_MS = 1500;

/** The picked car: its features, its route and changes in progress. */
export class PickedCar {
  /** VIN. */
  readonly vin = signal<string | null>(null);
  readonly index = computed(() =>
    this.#live.fleet.value.findIndex(({ vin }) => vin === this.vin.value),
  );
  readonly entry = computed(() => this.#live.fleet.value[this.index.value] ?? null);
  readonly features = signal<FeatureState | null>(null);
  /** Values that a change in progress asks for. */
  readonly wanted = signal<Readonly<Record<string, boolean>>>({});
  readonly error = signal('');
  /** Features of all cars are being switched off. */
  readonly isSwitchingAll = signal(false);
  /** By feature: what would happen without it, the next first. */
  readonly stakes = signal<ReadonlyMap<string, readonly NextStake[]>>(new Map());
  readonly route = signal<readonly MapPoint[]>([]);
  readonly streets = signal<readonly string[]>([]);
  readonly #live: LiveWorld;
  #lanes: ReadonlyMap<string, readonly MapPoint[]> = new Map();
  /** Increased by each change and each pick, so that outdated answers are dropped. */
  #version = 0;

  constructor(live: LiveWorld) {
    this.#live = live;
    whileVisible(REFRESH_MS, () => this.refresh());
    whileVisible(STAKES_MS, () => this.#readStakes());
    whileVisible(ROUTE_MS, () => this.#readRoute());
  }

  /** Sets the map, which has the geometry of the route. */
  learn(map: CityMap): void {
    this.#lanes = new Map(map.lanes.map(({ id, polyline }) => [id, polyline]));
    void this.#readRoute();
  }

  pick(vin: string | null): void {
    if (vin === this.vin.peek()) return;
    this.#version++;
    batch(() => {
      this.vin.value = vin;
      this.features.value = null;
      this.wanted.value = {};
      this.error.value = '';
      this.stakes.value = new Map();
      this.route.value = [];
      this.streets.value = [];
    });
    void this.refresh();
    void this.#readRoute();
    void this.#readStakes();
  }

  /** Where the service cannot say it, nothing is shown. */
  async #readStakes(): Promise<void> {
    const vin = this.vin.peek();
    if (vin === null || this.#live.status.peek() === 'gone') return;
    const reading = this.#live.ask('carOutlook', [vin], () => readCarOutlook(vin));
    const answer = await reading.catch(() => null);
    if (answer === null || vin !== this.vin.peek()) return;
    const { tick, outlook } = answer;
    this.stakes.value = stakesOf(outlook, tick);
  }

  /** Reads the features, unless a change in progress will. */
  async refresh(): Promise<void> {
    const vin = this.vin.peek();
    if (vin === null || this.#live.status.peek() === 'gone') return;
    const version = this.#version;
    // The connection reports a service that cannot be reached.
    const reading = this.#live.ask('features', [vin], () => readFeatures(vin));
    const state = await reading.catch(() => null);
    if (state !== null && version === this.#version) this.#show(state);
  }

  // The page shows a change at once and reverts it where the request fails. What changes features returns why
  // that failed, and an empty text where it is done.

  /** Switches a feature. */
  switchTo(name: string, isOn: boolean): Promise<string> {
    this.wanted.value = { ...this.wanted.peek(), [name]: isOn };
    return this.#change((vin) => changeFeatures(vin, { [name]: isOn }));
  }

  /** Switches several features off, on this car or on all. */
  async switchOff(names: readonly string[], onAll: boolean): Promise<string> {
    if (this.isSwitchingAll.peek()) return 'The cars are still being switched.';
    const off = Object.fromEntries(names.map((name) => [name, false]));
    this.wanted.value = { ...this.wanted.peek(), ...off };
    // The visitor may pick another car meanwhile.
    const picked = this.vin.peek();
    const others = this.#live.fleet.peek().filter(({ vin }) => vin !== picked);
    this.isSwitchingAll.value = onAll;
    const why = await this.#change((vin) => changeFeatures(vin, off));
    const whyOthers = onAll && why === '' ? await switchOthers(others, off) : '';
    this.isSwitchingAll.value = false;
    if (whyOthers !== '' && picked === this.vin.peek()) this.error.value = whyOthers;
    return why || whyOthers;
  }

  reset(): Promise<string> {
    const names = Object.keys(this.features.peek()?.declared ?? {});
    this.wanted.value = Object.fromEntries(names.map((name) => [name, true]));
    return this.#change(resetFeatures);
  }

  async #change(call: (vin: string) => Promise<FeatureState>): Promise<string> {
    const vin = this.vin.peek();
    if (vin === null) return 'No car is picked.';
    const version = ++this.#version;
    this.error.value = '';
    try {
      const state = await call(vin);
      // The answer to a later change includes this one.
      if (version === this.#version) this.#settle(state, '');
      return '';
    } catch (error) {
      const why = `This could not be switched. ${reasonOf(error)}`;
      if (vin !== this.vin.peek()) return why;
      this.#version++;
      this.#settle(this.features.peek(), why);
      void this.refresh();
      return why;
    }
  }

  #settle(state: FeatureState | null, error: string): void {
    batch(() => {
      this.wanted.value = {};
      this.error.value = error;
      if (state !== null) this.#show(state);
    });
    this.#version++;
  }

  #show(state: FeatureState): void {
    const isSame = JSON.stringify(state) === JSON.stringify(this.features.peek());
    if (!isSame) this.features.value = state;
  }

  /** It never changes. */
  async #readRoute(): Promise<void> {
    const vin = this.vin.peek();
    const isRead = this.streets.peek().length > 0;
    if (vin === null || isRead || this.#lanes.size === 0) return;
    if (this.#live.status.peek() === 'gone') return;
    const route = await readRoute(vin).catch(() => null);
    if (route === null || vin !== this.vin.peek()) return;
    batch(() => {
      this.route.value = route.lanes.flatMap((lane) => this.#lanes.get(lane) ?? []);
      this.streets.value = route.streets;
    });
  }
}

/** Switches features of all cars but one, some cars at a time. Returns why some could not be switched. */
async function switchOthers(
  cars: readonly FleetEntry[],
  features: Readonly<Record<string, boolean>>,
): Promise<string> {
  const outcomes = await settleAll(cars, AT_ONCE, ({ vin }) => changeFeatures(vin, features));
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failed.length === 0) return '';
  return `${failed.length} of ${cars.length + 1} cars could not be switched. ${reasonOf(failed[0]?.reason)}`;
}
