import { effect, signal } from '@preact/signals';
import type { Cars } from '../../../../build/api/dealer.d.ts';
import { pageSetting } from '../../common/page-setting.ts';
import { RequestError, request } from '../../common/request.ts';
import { ASKS_FOR_SESSION, isSessionMessage } from '../../common/session-messages.ts';
import { whileVisible } from '../../common/visible.ts';
import type { PickedCar } from './picked-car.ts';

const REFRESH_MS = 4000;
/** There is no request for one car: it is among those that share all but the last character of its VIN. */
const SHARED_PART = 16;
const NEAR_VINS = 36;

/** Base URL of the console; empty where the node names none. */
export const CONSOLE_URL = pageSetting('dealer-url');

type Car = Cars[number];

/** Lock, climate and charging of a car, for whoever may read them. */
export type Flags = Pick<Car, 'dealer'> & Record<'locked' | 'climate' | 'charging', boolean>;

/**
 * The remote flags of the picked car, for a visitor who came from the console and may read them there. They
 * are the dealer platform's: the twin knows nothing of them.
 */
export class RemoteFlags {
  /** Null where this visitor may not read them, undefined until that is known. */
  readonly flags = signal<Flags | null | undefined>(null);
  readonly #car: PickedCar;
  /** Of the session of the console; empty without one. Kept in memory only. */
  readonly #token = signal('');

  constructor(car: PickedCar) {
    this.#car = car;
  }

  /** Asks the console that has opened this page, if one has, for its session. */
  start(): void {
    if (CONSOLE_URL === '' || opener === null) return;
    const { origin } = new URL(CONSOLE_URL, location.href);
    const ask = () => {
      if (this.#token.peek() === '' && !document.hidden)
        opener.postMessage(ASKS_FOR_SESSION, origin);
    };
    addEventListener('message', ({ data, origin: from }) => {
      if (from === origin && isSessionMessage(data)) this.#token.value = data.token;
    });
    // Whoever comes back may have logged in meanwhile.
    document.addEventListener('visibilitychange', ask);
    ask();
    effect(() => {
      const isAsked = this.#token.value !== '' && this.#car.vin.value !== null;
      this.flags.value = isAsked ? undefined : null;
      if (!isAsked) return undefined;
      return whileVisible(REFRESH_MS, () => this.#read());
    });
  }

  async #read(): Promise<void> {
    const vin = this.#car.vin.peek();
    if (vin === null) return;
    const flags = await this.#flagsOf(vin).catch((error: unknown) => {
      const status = error instanceof RequestError ? error.status : 0;
      if (status === 401) this.#token.value = '';
      return saysNothing(status) ? this.flags.peek() : null;
    });
    if (vin === this.#car.vin.peek()) this.flags.value = flags;
  }

  async #flagsOf(vin: string): Promise<Flags | null> {
    const page = { after: vin.slice(0, SHARED_PART), limit: String(NEAR_VINS) };
    const cars = await request<Cars>(`${CONSOLE_URL}/api/cars?${new URLSearchParams(page)}`, {
      headers: { Authorization: `Bearer ${this.#token.peek()}` },
    });
    const { dealer, locked, climate, charging } = cars.find((car) => car.vin === vin) ?? {};
    if (locked == null || climate == null || charging == null) return null;
    return { dealer: dealer ?? null, locked, climate, charging };
  }
}

/** Nothing is known of the car by such an answer: what was known before is as good. */
const saysNothing = (status: number): boolean => status === 0 || status === 429 || status >= 500;
