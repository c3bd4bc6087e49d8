import { effect, signal } from '@preact/signals';
import { whileVisible } from '../../common/visible.ts';
import { readPerception } from '../api/twin.ts';
import type { Perception } from '../api/types.ts';
import { capitalised } from '../formatting.ts';
import { thingOf } from '../stakes.ts';
import type { LiveWorld } from './live-world.ts';
import type { PickedCar } from './picked-car.ts';

/** Boxes are drawn where things are displayed, so what is known of them may be a little older. */
const REFRESH_MS = 500;

/** What the picked car's sensors know, while a visitor wants to see it. */
export class CarSight {
  /** Null while it is not known. */
  readonly perception = signal<Perception | null>(null);
  /** Whether it is wanted. */
  readonly isOn = signal(false);
  readonly #live: LiveWorld;
  readonly #car: PickedCar;

  constructor(live: LiveWorld, car: PickedCar) {
    this.#live = live;
    this.#car = car;
    effect(() => {
      this.perception.value = null;
      if (!this.isOn.value || car.vin.value === null) return undefined;
      return whileVisible(REFRESH_MS, () => this.#read());
    });
  }

  async #read(): Promise<void> {
    const vin = this.#car.vin.peek();
    if (vin === null) return;
    const reading = this.#live.ask('perception', [vin], () => readPerception(vin));
    const read = await reading.catch(() => null);
    if (this.isOn.peek() && vin === this.#car.vin.peek()) this.perception.value = read;
  }

  /** “Braking hard for a deer”, “Following TD 996 VL”; empty where it just drives. */
  intentOf({ intent: { action, vin, hazard } }: Perception): string {
    const about = () => {
      const car = this.#live.fleet.peek().find((each) => each.vin === vin);
      if (car !== undefined) return car.plate;
      const shown = this.#live.latest.peek()?.hazards.find(({ id }) => id === hazard);
      return shown === undefined ? '' : thingOf(shown);
    };
    /** `alone`: where it is for nothing that is known. */
    const withAbout = (words: string, alone: string) => {
      const thing = about();
      return thing === '' ? alone : `${words} ${thing}`;
    };
    switch (action) {
      case 'following':
        return withAbout('Following', 'Following');
      case 'emergency_braking':
        return withAbout('Braking hard for', 'Braking hard');
      case 'evading':
        return withAbout('Swerving around', 'Swerving');
      case 'stopping_for_light':
        return 'Stopping for the light';
      case 'driving':
      case 'crashed':
        return '';
      default:
        return capitalised(action);
    }
  }
}
