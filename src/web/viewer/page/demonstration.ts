import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { reasonOf } from '../../common/request.ts';
import { readStored, store } from '../../common/storage.ts';
import { clearToasts, showToast } from '../../common/toasts.tsx';
import { readOutlook } from '../api/twin.ts';
import {
  type FleetEntry,
  TICKS_PER_S,
  type WorldEvent,
  type WorldOutlook,
  type WorldStake,
} from '../api/types.ts';
import { carName, inSentence } from '../formatting.ts';
import { isConsequenceOf } from '../stakes.ts';
import type { EventFeed } from './event-feed.ts';
import type { LiveWorld } from './live-world.ts';
import type { PickedCar } from './picked-car.ts';

const SEEN = ['localStorage', 'viewer.invited'] as const;
/** Nothing is offered that comes sooner: whoever reads it must be able to press the button. */
const READ_S = 16;
/** What comes later is offered only where nothing comes sooner. */
const SOON_S = 40;
/** Where nobody is met: less to see than an animal or a lorry. */
const BARE_PLACES: ReadonlySet<string> = new Set([
  ...['ice_bend', 'sharp_bend', 'downhill_stop', 'bend', 'road', 'junction', 'traffic_light'],
]);
/** An offer that nobody takes ends when it is so near: a feature may have seen what comes by then. */
const TOO_LATE_S = 6;
/** After so many offers in a row that nobody took the visitor is asked first. */
const LAPSES_MAX = 3;
/** So many of the best are tried before one is offered; nobody waits for more. */
const TRIED_MAX = 6;
/** A button does something else now: a finger that is on its way must not meet it. */
const SETTLE_MS = 900;
/** Nothing has come of it when it is overdue by so much. */
const OVERDUE_S = 12;
/** A message about the demonstration takes the place of the one before. */
const TOPIC = 'demonstration';

/** A feature that is switched off on a car, and what would come of it. */
export interface Offer extends WorldStake {
  car: FleetEntry;
  /** When it is expected, world tick. */
  dueTick: number;
  /** Its way there, m/s on average. */
  pace: number;
}

/**
 * invitation: a first visit begins. looking: the outlook is read. offer: the visitor is asked. passed: nobody
 * took it in time.
 * waiting: the feature is off. told: something came of it that is no collision. nothing: nothing did.
 */
export type Phase =
  | { name: 'closed' | 'invitation' | 'looking' }
  | { name: 'failed'; why: string }
  | { name: 'offer' | 'passed' | 'waiting' | 'nothing'; offer: Offer }
  | { name: 'told'; offer: Offer; event: WorldEvent };

interface Parts {
  live: LiveWorld;
  car: PickedCar;
  eventFeed: EventFeed;
  /** What is live is shown. */
  isLive: ReadonlySignal<boolean>;
  /** Goes back from a replay to the live world. */
  goLive(): void;
  /** Shows the car without covering the map. */
  follow(vin: string): void;
  /** Opens a report, unless the visitor reads another one. */
  report(id: string): void;
}

/**
 * Shows what a feature is for: it takes what the outlook promises soonest, switches the feature off once the
 * visitor says so, and leads to what comes of it.
 */
export class Demonstration {
  readonly phase = signal<Phase>({ name: 'closed' });
  /** Seconds until what is offered or awaited; null where there is nothing. */
  readonly leftS = computed(() => {
    const phase = this.phase.value;
    const tick = this.#parts.live.latest.value?.tick;
    if (!('offer' in phase) || tick === undefined) return null;
    return Math.max(0, Math.round((phase.offer.dueTick - tick) / TICKS_PER_S));
  });
  readonly #parts: Parts;
  /** What was offered already and what lay ahead there, so that the next offer is another one. */
  readonly #offered = new Set<string>();
  /** Offers in a row that nobody took. */
  #lapses = 0;
  /** What was switched off here and still is. */
  readonly off = signal<Offer | null>(null);
  /** The visitor can have read what the buttons do now. */
  readonly isSettled = signal(true);
  #settling: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  /** Until the service has switched a feature off. */
  #switchingOff: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.phase.subscribe(({ name }) => {
      clearTimeout(this.#settling);
      this.isSettled.value = name !== 'offer' && name !== 'passed' && name !== 'failed';
      if (this.isSettled.peek()) return;
      this.#settling = setTimeout(() => {
        this.isSettled.value = true;
      }, SETTLE_MS);
    });
    // The next offer would take the visitor out of what is shown instead.
    effect(() => {
      if (!parts.isLive.value && isOffering(this.phase.value)) this.close();
    });
  }

  /** Begins a first visit. */
  invite(): void {
    if (readStored(...SEEN) === null) this.phase.value = { name: 'invitation' };
  }

  close(): void {
    store(...SEEN, 'yes');
    this.phase.value = { name: 'closed' };
  }

  /** The visitor turns to something else: nothing is offered any more. */
  withdraw(): void {
    if (isOffering(this.phase.peek())) this.close();
  }

  /** The visitor wants to see something. */
  begin(): Promise<void> {
    if (!this.isSettled.peek()) return Promise.resolve();
    this.#lapses = 0;
    return this.#look();
  }

  /** Looks for something to offer: what was not offered yet, if there is any. */
  async #look(): Promise<void> {
    store(...SEEN, 'yes');
    this.#parts.goLive();
    this.phase.value = { name: 'looking' };
    // What is on its way will do.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const { live } = this.#parts;
      const outlook = await live.ask('outlook', [], () => readOutlook(live.id));
      const offer = await this.#firstTrue(this.#offersOf(outlook));
      if (this.phase.peek().name !== 'looking') return;
      if (offer === undefined) {
        this.phase.value = { name: 'failed', why: 'Nothing is at stake in the next minute.' };
        return;
      }
      this.#offered.add(keyOf(offer)).add(offer.kind);
      this.phase.value = { name: 'offer', offer };
      this.#parts.follow(offer.vin);
    } catch (error) {
      if (this.phase.peek().name === 'looking')
        this.phase.value = { name: 'failed', why: reasonOf(error) };
    } finally {
      this.#isReading = false;
    }
  }

  /** What can be offered, the best first. */
  #offersOf({ tick, outlook }: WorldOutlook): Offer[] {
    const { live } = this.#parts;
    const nowTick = Math.max(tick, live.playback.newest?.tick ?? 0);
    const agoS = (nowTick - tick) / TICKS_PER_S;
    const stakes = outlook.map((stake) => ({ ...stake, time: stake.time - agoS }));
    const fleet = new Map(live.fleet.peek().map((car) => [car.vin, car]));
    return ranked(stakes, this.#offered).flatMap((stake) => {
      const car = fleet.get(stake.vin);
      if (car === undefined) return [];
      const pace = stake.distance / (stake.time + agoS);
      return [{ ...stake, car, pace, dueTick: nowTick + stake.time * TICKS_PER_S }];
    });
  }

  /** The first of some offers that comes true, as far as they can be tried; else the first one. */
  async #firstTrue(offers: readonly Offer[]): Promise<Offer | undefined> {
    for (const offer of offers.slice(0, TRIED_MAX)) {
      if (await this.#comesTrue(offer)) return offer;
      // The visitor has turned to something else.
      if (this.phase.peek().name !== 'looking') break;
    }
    return offers[0];
  }

  /** Whether it comes true where it is taken at once, and at the last moment. True if nobody can tell. */
  async #comesTrue({ vin, feature, dueTick }: Offer): Promise<boolean> {
    const { live } = this.#parts;
    const untilTick = Math.round(dueTick + OVERDUE_S * TICKS_PER_S);
    const at = (offTick: number) =>
      live.ask('comesTrue', [{ vin, feature, offTick, untilTick }], async () => true);
    const soonTick = (live.playback.newest?.tick ?? 0) + TICKS_PER_S;
    return (await at(soonTick)) && (await at(Math.round(dueTick - TOO_LATE_S * TICKS_PER_S)));
  }

  /** The visitor takes the offer. */
  async switchOff(): Promise<void> {
    const phase = this.phase.peek();
    if (phase.name !== 'offer' || !this.isSettled.peek()) return;
    this.phase.value = { name: 'waiting', offer: phase.offer };
    this.#switchingOff = this.#switchOff(phase.offer);
    await this.#switchingOff;
  }

  async #switchOff(offer: Offer): Promise<void> {
    const why = await this.#switch(offer, false);
    if (why === '') {
      this.off.value = offer;
      clearToasts(TOPIC);
      return;
    }
    showToast(`${carName(offer.car)}: ${why}`, { kind: 'bad', topic: TOPIC, stays: false });
    // The card offers it again while there is time.
    if (this.phase.peek().name === 'waiting') this.phase.value = { name: 'offer', offer };
  }

  /** Switches the feature of the last offer on again. */
  async switchOn(): Promise<void> {
    this.close();
    await this.#switchingOff;
    const offer = this.off.peek();
    if (offer === null) return;
    const name = carName(offer.car);
    const why = await this.#switch(offer, true);
    if (why === '') {
      this.off.value = null;
      showToast(`${name} has its ${inSentence(offer.feature)} again.`, { topic: TOPIC });
      return;
    }
    const action = { words: 'Try again', run: () => void this.switchOn() };
    showToast(`${name}: ${why}`, { kind: 'bad', topic: TOPIC, stays: true, action });
  }

  /** Returns why that failed; empty where it is done. */
  #switch({ vin, feature }: Offer, isOn: boolean): Promise<string> {
    this.#parts.car.pick(vin);
    return this.#parts.car.switchTo(feature, isOn);
  }

  /** Takes what happened. A collision after something else came of it is shown as well. */
  take(events: readonly WorldEvent[]): void {
    const phase = this.phase.peek();
    if (phase.name !== 'waiting' && phase.name !== 'told') return;
    const { offer } = phase;
    if (this.#leftS(offer) < -OVERDUE_S) return;
    const { eventFeed } = this.#parts;
    const collision = events.find(({ incident }) => eventFeed.isInvolved(incident, offer.vin));
    if (collision?.incident) {
      this.phase.value = { name: 'closed' };
      this.#parts.report(collision.incident);
      return;
    }
    const event = events.find((each) => isConsequenceOf(each, offer));
    if (event !== undefined && phase.name === 'waiting')
      this.phase.value = { name: 'told', offer, event };
  }

  /** Call it a few times a second. */
  advance(): void {
    const phase = this.phase.peek();
    if (phase.name === 'offer' && this.#leftS(phase.offer) < TOO_LATE_S) this.#lapse(phase.offer);
    if (phase.name === 'waiting' && this.#leftS(phase.offer) < -OVERDUE_S)
      this.phase.value = { name: 'nothing', offer: phase.offer };
  }

  /** Another offer takes its place, unless nobody seems to be there. */
  #lapse(offer: Offer): void {
    if (++this.#lapses < LAPSES_MAX) void this.#look();
    else this.phase.value = { name: 'passed', offer };
  }

  /** Seconds until an offer is due; infinite before the first frame. */
  #leftS({ dueTick }: Offer): number {
    const tick = this.#parts.live.playback.newest?.tick ?? Number.NEGATIVE_INFINITY;
    return (dueTick - tick) / TICKS_PER_S;
  }
}

const isOffering = ({ name }: Phase): boolean => name === 'looking' || name === 'offer';

/** By car, feature and place. */
export const keyOf = ({ vin, feature, hazard, kind }: WorldStake): string =>
  [vin, feature, hazard ?? kind].join(' ');

/** Without these a car crashes, as anybody knows; what assists it is news. */
const ACTUATORS: ReadonlySet<string> = new Set(['brakes', 'steering', 'throttle']);

/**
 * What can be offered of an outlook, soonest first, the best first: collisions that come soon without a sensor or
 * a function, with somebody or something before those at a bare place; then those without an actuator, then the
 * rest. A kind of place that was offered comes after the others, and what was offered itself comes last.
 * @param offered keys and kinds
 */
export function ranked<Entry extends WorldStake>(
  outlook: readonly Entry[],
  offered: ReadonlySet<string>,
): Entry[] {
  const rankOf = (entry: Entry) => {
    const repeats = offered.has(keyOf(entry)) ? 2 : Number(offered.has(entry.kind));
    return 4 * repeats + worthOf(entry);
  };
  // The sort is stable.
  return outlook.filter(({ time }) => time >= READ_S).sort((a, b) => rankOf(a) - rankOf(b));
}

function worthOf({ consequence, time, feature, kind }: WorldStake): 0 | 1 | 2 | 3 {
  if (consequence !== 'collision' || time > SOON_S) return 3;
  if (ACTUATORS.has(feature)) return 2;
  return BARE_PLACES.has(kind) ? 1 : 0;
}
