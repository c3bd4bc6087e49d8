import { batch, computed, signal } from '@preact/signals';
import { RequestError } from '../../common/request.ts';
import { changeFeatures, readFeatures, readRoute, resetFeatures } from '../api/twin.ts';
import type { CityMap, FeatureState, MapPoint } from '../api/types.ts';
import type { LiveWorld } from './live-world.ts';
import { whileVisible } from './visible.ts';

/** Others may switch the same car: what is shown is never much older than this. */
const REFRESH_MS = 1500;

/** The car that was picked: its features, its route, and what is being switched. */
export class PickedCar {
  /** VIN. */
  readonly vin = signal<string | null>(null);
  readonly index = computed(() =>
    this.#live.fleet.value.findIndex(({ vin }) => vin === this.vin.value),
  );
  readonly entry = computed(() => this.#live.fleet.value[this.index.value] ?? null);
  readonly features = signal<FeatureState | null>(null);
  /** What a change that is on its way asks for. */
  readonly wanted = signal<Readonly<Record<string, boolean>>>({});
  readonly error = signal('');
  readonly route = signal<readonly MapPoint[]>([]);
  readonly streets = signal<readonly string[]>([]);
  readonly #live: LiveWorld;
  #lanes: ReadonlyMap<string, readonly MapPoint[]> = new Map();
  /** Goes up with each change and each pick: an answer to what was asked before it is old. */
  #version = 0;

  constructor(live: LiveWorld) {
    this.#live = live;
    whileVisible(REFRESH_MS, () => this.refresh());
  }

  /** The map, from which the route gets its places. */
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
      this.route.value = [];
      this.streets.value = [];
    });
    void this.refresh();
    void this.#readRoute();
  }

  /** Reads what is switched on, unless a change is on its way that will bring it. */
  async refresh(): Promise<void> {
    const vin = this.vin.peek();
    if (vin === null || this.#live.status.peek() === 'gone') return;
    const version = this.#version;
    // That the service cannot be reached is said by the connection.
    const state = await readFeatures(vin).catch(() => null);
    if (state !== null && version === this.#version) this.#show(state);
  }

  /** Switches a feature; it shows at once, and goes back where that could not be done. */
  switchTo(name: string, isOn: boolean): Promise<void> {
    this.wanted.value = { ...this.wanted.peek(), [name]: isOn };
    return this.#change((vin) => changeFeatures(vin, { [name]: isOn }));
  }

  reset(): Promise<void> {
    const names = Object.keys(this.features.peek()?.declared ?? {});
    this.wanted.value = Object.fromEntries(names.map((name) => [name, true]));
    return this.#change(resetFeatures);
  }

  async #change(call: (vin: string) => Promise<FeatureState>): Promise<void> {
    const vin = this.vin.peek();
    if (vin === null) return;
    const version = ++this.#version;
    this.error.value = '';
    try {
      const state = await call(vin);
      // A later change brings the whole state, this one with it.
      if (version === this.#version) this.#settle(state, '');
    } catch (error) {
      if (vin !== this.vin.peek()) return;
      this.#version++;
      this.#settle(
        this.features.peek(),
        `This could not be switched. ${error instanceof RequestError ? error.message : 'The service did not answer.'}`,
      );
      void this.refresh();
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

  async #readRoute(): Promise<void> {
    const vin = this.vin.peek();
    if (vin === null || this.#lanes.size === 0) return;
    const route = await readRoute(vin).catch(() => null);
    if (route === null || vin !== this.vin.peek()) return;
    batch(() => {
      this.route.value = route.lanes.flatMap((lane) => this.#lanes.get(lane) ?? []);
      this.streets.value = route.streets;
    });
  }
}
