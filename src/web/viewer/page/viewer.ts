import { computed, effect, signal } from '@preact/signals';
import { copyText } from '../../common/copy.ts';
import { isNarrow } from '../../common/media.ts';
import { clearToasts, showToast } from '../../common/toasts.tsx';
import { makeWorld, readCatalogue, readCities, readMap } from '../api/twin.ts';
import type { City, CityMap, Feature, HazardSpot, Snapshot, WorldEvent } from '../api/types.ts';
import { sentence } from '../formatting.ts';
import type { Layer, Layers } from '../scene/layers.ts';
import type { CameraMode, CameraUse } from '../scene/types.ts';
import { type Address, readAddress, writeAddress } from './address.ts';
import { CarSight } from './car-sight.ts';
import { Demonstration } from './demonstration.ts';
import { EventFeed } from './event-feed.ts';
import { frameBefore } from './frame-buffer.ts';
import { readLayers, storeLayers } from './kept-layers.ts';
import { LiveWorld } from './live-world.ts';
import { PickedCar } from './picked-car.ts';
import { RemoteFlags } from './remote-flags.ts';
import { ReplayPlayer } from './replay-player.ts';
import { TimeLine } from './time-line.ts';
import { WhatIf } from './what-if.ts';

export type LeftPanel = 'cars' | 'events' | 'incidents';
type DialogName = 'help' | 'new-city';

const START_RETRY_MS = 3000;
/** A report does not open by itself so soon after the visitor did something. */
const BUSY_MS = 2500;
/** A visitor sees the collision and what comes right after it before the report opens. */
const SEEN_MS = 2000;

/** The state of the page, and its actions. */
export class Viewer {
  readonly live: LiveWorld;
  readonly car: PickedCar;
  readonly remote: RemoteFlags;
  readonly sight: CarSight;
  readonly eventFeed: EventFeed;
  readonly replay: ReplayPlayer;
  readonly timeLine: TimeLine;
  readonly whatIf: WhatIf;
  readonly demonstration: Demonstration;
  readonly map = signal<CityMap | null>(null);
  /** Its hazard spots, as far as they are known. */
  readonly spots = computed<readonly HazardSpot[]>(() => this.map.value?.hazards ?? []);
  readonly catalogue = signal<readonly Feature[]>([]);
  readonly cities = signal<readonly City[]>([]);
  readonly camera = signal<CameraMode>('city');
  /** How far the map is turned from north up, rad counter-clockwise. */
  readonly bearing = signal(0);
  readonly left = signal<LeftPanel | null>('cars');
  /** The open panel where the page has room for one only. */
  readonly front = signal<'left' | 'right' | null>(null);
  readonly right = computed<'car' | 'incident' | 'what-if' | null>(() => {
    if (this.replay.id.value !== null) return 'incident';
    if (this.whatIf.isOpen.value) return 'what-if';
    return this.car.vin.value === null ? null : 'car';
  });
  /** What is live is shown: no replay, no moment of the past, and nothing that only might have been. */
  readonly isLive = computed(
    () => this.replay.id.value === null && !this.timeLine.isPast.value && !this.whatIf.isOpen.value,
  );
  /** The frame on display; panels show what it says. */
  readonly frame = computed<Snapshot | null>(() => {
    const frames = this.replay.asItWas.value?.frames;
    if (this.replay.id.value !== null && frames !== undefined) {
      const tick = this.replay.tick.value;
      return frames.findLast((each) => each.tick <= tick) ?? frames[0] ?? null;
    }
    const shown = this.whatIf.isOpen.value ? this.whatIf : this.timeLine;
    const frame = this.isLive.value ? null : shown.player.frame.value;
    return frame ?? this.live.latest.value;
  });
  /** What is drawn over the city. */
  readonly layers = signal<Layers>(readLayers());
  /** The hazard spot that is explained. */
  readonly spot = signal<HazardSpot | null>(null);
  /** How a link wants the camera to be used in its mode; null: as that begins. */
  readonly view = signal<CameraUse['view']>(null);
  readonly dialog = signal<DialogName | null>(null);
  /** The incident of the link that opened the page: whoever followed it may know nothing of all this. */
  linked: string | null = null;
  /** Why the map cannot be drawn; empty where it can. */
  readonly mapError = signal('');
  readonly #mapRead = Promise.withResolvers<void>();
  /** When a key was pressed or a pointer used last, by `performance.now`. */
  #actedMs = Number.NEGATIVE_INFINITY;

  constructor(world: string) {
    this.live = new LiveWorld(world);
    this.car = new PickedCar(this.live);
    this.remote = new RemoteFlags(this.car);
    this.sight = new CarSight(this.live, this.car);
    this.eventFeed = new EventFeed(this.live);
    this.replay = new ReplayPlayer(this.live, this.eventFeed.earlier);
    const { live, car, eventFeed } = this;
    const { marks: earlierMarks } = eventFeed.earlier;
    const { playback } = live;
    // What is displayed of the live world stands while something else is shown.
    const liveTick = () =>
      this.isLive.peek() ? playback.shown.tick : (playback.newest?.tick ?? playback.shown.tick);
    this.timeLine = new TimeLine({ life: live.life, earlierMarks, fleet: live.fleet, liveTick });
    this.whatIf = new WhatIf({ world: live.id, life: live.life, fleet: live.fleet });
    this.demonstration = new Demonstration({
      ...{ live, car, eventFeed, isLive: this.isLive },
      goLive: () => this.goLive(),
      follow: (vin) => this.#follow(vin),
      report: (id) => this.#openSoon(id, () => !this.#isReading),
    });
  }

  start(): void {
    const { timeLine, whatIf } = this;
    this.live.start(this.#mapRead.promise, () => timeLine.isPast.peek() || whatIf.isOpen.peek());
    this.eventFeed.start();
    this.remote.start();
    this.eventFeed.onNews = (events) => this.#takeNews(events);
    this.#readOnce();
    this.#followAddress();
    for (const event of ['pointerdown', 'keydown', 'wheel']) {
      addEventListener(event, () => {
        this.#actedMs = performance.now();
      });
    }
    effect(() => {
      const isThere = this.car.vin.value === null || this.car.index.value >= 0;
      const isKnown = this.live.fleet.value.length > 0;
      // The camera would look at a place without the car.
      if (isKnown && !isThere && this.camera.peek() !== 'parties') this.camera.value = 'city';
    });
    effect(() => {
      if (this.live.latest.value !== null) this.demonstration.advance();
    });
    effect(() => {
      storeLayers(this.layers.value);
      this.sight.isOn.value = this.layers.value.sight && this.isLive.value;
    });
    effect(() => {
      const { isPast, player } = this.timeLine;
      if (!isPast.value || this.left.value !== 'events') return;
      void this.timeLine.readEvents(player.frame.value?.tick ?? Math.floor(player.tick.peek()));
    });
  }

  #takeNews(events: readonly WorldEvent[]): void {
    const vin = this.car.vin.peek();
    const isSwitched = events.some((each) => each.kind === 'configuration' && each.vin === vin);
    if (isSwitched) void this.car.refresh();
    this.demonstration.take(events);
    const crash = this.eventFeed.foremost(events, vin);
    if (crash?.incident) this.#announce(crash.incident, crash.message);
  }

  /** Says that there was a collision. Where the car is followed, the report opens. */
  #announce(incident: string, message: string): void {
    const vin = this.car.vin.peek();
    const isFollowed =
      vin !== null && this.camera.peek() !== 'city' && this.eventFeed.isInvolved(incident, vin);
    if (isFollowed) this.#openSoon(incident, () => !this.#isBusy && this.car.vin.peek() === vin);
    showToast(sentence(message), {
      ...{ kind: 'bad', topic: 'collision', stays: false },
      // It would cover the parties of the replay. The list of incidents counts it.
      ...(this.replay.id.peek() !== null
        ? { isHidden: true }
        : { action: { words: 'See why', run: () => this.openIncident(incident) } }),
    });
  }

  /** Opens a report once the visitor has seen the collision, if that is still right then. */
  #openSoon(incident: string, isRight: () => boolean): void {
    setTimeout(() => {
      if (isRight()) this.openIncident(incident);
    }, SEEN_MS);
  }

  /** The visitor reads a report, looks at another moment or at what might have been, or has a dialog open. */
  get #isReading(): boolean {
    return !this.isLive.peek() || this.dialog.peek() !== null;
  }

  /** The visitor reads, or does something else just now. */
  get #isBusy(): boolean {
    return this.#isReading || performance.now() - this.#actedMs < BUSY_MS;
  }

  /** Map, features and cities never change: each is read once, and again after a failure. */
  #readOnce(): void {
    const { id, status } = this.live;
    const isThere = () => status.peek() !== 'gone';
    untilRead(async () => {
      this.map.value = await readMap(id);
      this.car.learn(this.map.value);
      this.#mapRead.resolve();
    }, isThere);
    untilRead(async () => {
      this.catalogue.value = await readCatalogue();
    });
    untilRead(async () => {
      this.cities.value = await readCities();
    });
  }

  #followAddress(): void {
    const follow = () => {
      const { car, incident, tick, moment, set, camera, view } = readAddress(location);
      if (car !== null) this.pick(car);
      if (incident !== null) {
        this.openIncident(incident);
        this.replay.startAt({ moment, set });
      } else if (tick !== null) this.timeLine.openAt(tick);
      // A change of the mode moves the camera, so the view comes after it.
      if (camera !== null && this.#canUse(camera)) {
        this.camera.value = camera;
        this.view.value = view;
      }
      return [car, incident, tick, camera].every((each) => each === null);
    };
    this.linked = readAddress(location).incident;
    if (follow()) this.demonstration.invite();
    addEventListener('hashchange', follow);
    effect(() => {
      const [car, incident] = [this.car.vin.value, this.replay.id.value];
      history.replaceState(null, '', writeAddress({ world: this.live.id, car, incident }));
    });
  }

  /** Whether there is what a mode of the camera looks at. */
  #canUse(camera: CameraMode): boolean {
    if (camera === 'city') return true;
    if (camera === 'parties') return this.replay.id.peek() !== null;
    return this.replay.id.peek() === null && this.car.vin.peek() !== null;
  }

  /** Picks a car and follows it; null picks none. */
  pick(vin: string | null): void {
    this.car.pick(vin);
    this.front.value = vin === null ? null : 'right';
    if (vin !== null && this.camera.peek() === 'city') this.camera.value = 'follow';
    if (vin === null) this.camera.value = 'city';
  }

  /** Picks a car and follows it; on a phone its panel stays closed. */
  #follow(vin: string): void {
    this.pick(vin);
    this.camera.value = 'chase';
    if (isNarrow.peek()) this.front.value = null;
  }

  pickIndex(index: number | null): void {
    const vin = index === null ? undefined : this.live.fleet.peek()[index]?.vin;
    if (vin === undefined) return;
    this.openIncident(null);
    if (vin !== this.car.vin.peek()) this.demonstration.withdraw();
    this.pick(vin);
  }

  pickNext(by: number): void {
    const { length } = this.live.fleet.peek();
    const from = Math.max(this.car.index.peek(), by > 0 ? -1 : 0);
    if (length > 0) this.pickIndex((from + by + length) % length);
  }

  openIncident(id: string | null): void {
    if (id !== null) {
      this.front.value = 'right';
      this.demonstration.withdraw();
      this.#leavePast();
      // What is said of it is in the report, and would cover the parties of the replay.
      clearToasts('collision');
    }
    if (id === this.replay.id.peek()) return;
    this.replay.open(id);
    if (id !== null) this.camera.value = 'parties';
    else this.camera.value = this.car.vin.peek() === null ? 'city' : 'follow';
  }

  #leavePast(): void {
    this.whatIf.close();
    this.timeLine.goLive();
  }

  /** Goes back to what is live, from wherever. */
  goLive(): void {
    this.#leavePast();
    this.openIncident(null);
  }

  /** Takes a private copy of the world at the moment that is shown. */
  askWhatIf(): void {
    const { timeLine, live } = this;
    const isPossible = timeLine.extent.peek() !== undefined && this.replay.id.peek() === null;
    if (!isPossible || this.whatIf.isOpen.peek()) return;
    const isPast = timeLine.isPast.peek();
    const tick = isPast ? timeLine.player.exactTick : live.playback.shown.tick;
    timeLine.dropLink();
    timeLine.player.isPlaying.value = false;
    this.demonstration.withdraw();
    this.front.value = 'right';
    void this.whatIf.open(frameBefore(Math.floor(tick)));
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

  showLayer(layer: Layer, isOn: boolean): void {
    this.layers.value = { ...this.layers.peek(), [layer]: isOn };
  }

  /** Closes the panel on the right: the incident first, then what might have been, then the car. */
  closeRight(): void {
    if (this.replay.id.peek() !== null) this.openIncident(null);
    else if (this.whatIf.isOpen.peek()) this.whatIf.close();
    else this.pick(null);
  }

  /** Closes what is open on the right, else goes back to what is live. */
  closeOpen(): void {
    if (this.right.peek() !== null) this.closeRight();
    else this.timeLine.goLive();
  }

  /** Plays or stops what is shown. */
  toggle(): void {
    if (this.replay.id.peek() !== null) this.replay.toggle();
    else if (this.whatIf.isOpen.peek()) this.whatIf.player.toggle();
    else this.timeLine.toggle();
  }

  /** Moves what is shown by ticks, and stops it. */
  step(ticks: number): void {
    if (this.replay.id.peek() !== null) {
      this.replay.isPlaying.value = false;
      this.replay.seek(this.replay.tick.peek() + ticks);
    } else if (this.whatIf.isOpen.peek()) this.whatIf.player.step(ticks);
    else this.timeLine.step(ticks);
  }

  async goToNewCity(city: string): Promise<void> {
    const { id } = await makeWorld(city);
    location.assign(`/worlds/${id}`);
  }

  #shown(use: CameraUse): Address {
    const { isPast, player } = this.timeLine;
    const past = isPast.peek() ? Math.round(player.tick.peek()) : null;
    const isUsual = use.view === null && use.camera === this.#usualCamera;
    const address = {
      ...{ ...readAddress(location), tick: past },
      camera: isUsual ? null : use.camera,
      view: use.view?.map((number) => Math.round(number * 100) / 100) ?? null,
    };
    if (this.replay.asItWas.peek() === null) return address;
    const { tick, explanation } = this.replay;
    const set = explanation.peek()?.set ?? null;
    return { ...address, moment: Math.round(tick.peek()), set };
  }

  /** How the camera begins after a link. */
  get #usualCamera(): CameraMode {
    if (this.replay.id.peek() !== null) return 'parties';
    return this.car.vin.peek() === null ? 'city' : 'follow';
  }

  /** Shares a link to what is shown. `use`: of the camera, where there is one. */
  async share(use: CameraUse = { camera: this.camera.peek(), view: null }): Promise<void> {
    const url = new URL(writeAddress(this.#shown(use)), location.origin).href;
    const title = document.title;
    try {
      if ('share' in navigator && matchMedia('(pointer: coarse)').matches) {
        await navigator.share({ url, title });
        return;
      }
    } catch (error) {
      // The visitor closed the share sheet.
      if (error instanceof DOMException && error.name === 'AbortError') return;
    }
    const isCopied = await copyText(url);
    const said = isCopied ? 'The link is copied.' : `This is the link: ${url}`;
    // Whoever copies it by hand takes a while.
    showToast(said, { topic: 'link', stays: !isCopied });
  }
}

/** Reads something until that succeeds; the connection reports a service that cannot be reached. */
function untilRead(read: () => Promise<void>, isWanted = () => true): void {
  if (isWanted()) read().catch(() => setTimeout(() => untilRead(read, isWanted), START_RETRY_MS));
}
