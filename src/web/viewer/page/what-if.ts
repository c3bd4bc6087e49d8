import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { prefersReducedMotion } from '../../common/media.ts';
import { reasonOf } from '../../common/request.ts';
import { forkWorld, readJournal } from '../api/twin.ts';
import { type FleetEntry, type Incident, type Journal, TICKS_PER_S } from '../api/types.ts';
import type { Branch, Extent, Life, Switching } from '../life/life.ts';
import { framesAround, interpolateCar } from '../live/interpolation.ts';
import type { ShownWorld } from '../scene/types.ts';
import { FRAME_TICKS, FrameBuffer, type FrameSource, frameBefore } from './frame-buffer.ts';
import { FramePlayer } from './frame-player.ts';
import { LEAD_TICKS } from './time-line.ts';

/** So far a branch is lived at first, and by so much more when the visitor asks for it. */
const SPAN_TICKS = 60 * TICKS_PER_S;
const SPAN_MAX_TICKS = 10 * SPAN_TICKS;
const GHOSTS_AHEAD_TICKS = 2 * TICKS_PER_S;
/** After so long it is asked again for a journal that could not be read. */
const RETRY_MS = 3000;

const LIVES_ELSEWHERE = 'The world does not live in this browser.';

type Features = Readonly<Record<string, boolean>>;

interface Parts {
  world: string;
  life: ReadonlySignal<Life | null>;
  fleet: ReadonlySignal<readonly FleetEntry[]>;
  /** Goes to another page. */
  go?: (url: string) => void;
}

/**
 * What might have been: a private copy of the world from a moment on, in which the visitor switches features.
 * One at a time.
 */
export class WhatIf {
  readonly isOpen = signal(false);
  readonly fromTick = signal(0);
  readonly spanTicks = signal(SPAN_TICKS);
  /** In order. */
  readonly switchings = signal<readonly Switching[]>([]);
  /** The branch is lived up to the end of its span. */
  readonly isLiving = signal(false);
  readonly failure = signal('');
  /** Collisions of the branch in its span, the first one first. */
  readonly collisions = signal<readonly Incident[]>([]);
  /** They are those of the whole span. */
  readonly areKnown = signal(false);
  /** Collisions of the world in the same time; null: not known. */
  readonly without = signal<number | null>(null);
  /** These are being found out. */
  readonly isComparing = signal(false);
  readonly isMakingReal = signal(false);
  readonly player: FramePlayer;
  /** A collision that has just been played. */
  readonly passed = computed(() =>
    this.collisions.value.findLast(({ tick }) => tick <= this.player.tick.value),
  );
  readonly #parts: Parts;
  /** By VIN: what was switched before the copy, all else is on; null until that is known. */
  readonly #declared = signal<ReadonlyMap<string, Features> | null>(null);
  #branch: Promise<Branch> | null = null;
  /** The world as it goes on by itself, where nobody knows yet how it does. */
  #untouched: Promise<Branch> | null = null;
  #ghosts: FrameBuffer | null = null;
  /** How often it was compared: only the last one counts. */
  #comparisons = 0;
  /** Copies that are closed by now. */
  #closings = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.player = new FramePlayer({
      source: (part, everyTicks) => this.#frames(part, everyTicks),
      known: () => this.#span,
      fleet: parts.fleet,
    });
  }

  get shown(): ShownWorld {
    return this.player.shown;
  }

  get #span(): Extent {
    const from = this.fromTick.peek();
    return [from, from + this.spanTicks.peek()];
  }

  /** Takes a copy at a tick. Resolves when it is known what comes of it. */
  async open(tick: number): Promise<void> {
    this.close();
    batch(() => {
      this.isOpen.value = true;
      this.fromTick.value = tick;
      this.spanTicks.value = SPAN_TICKS;
    });
    this.#branch = this.#begin(null);
    this.player.seek(tick);
    await Promise.all([this.#liveBranch(), this.#liveWithout(), this.#readDeclared()]);
  }

  close(): void {
    const branches = [this.#branch, this.#untouched];
    this.#branch = null;
    this.#untouched = null;
    this.#ghosts = null;
    this.#comparisons++;
    this.#closings++;
    // A branch that could not be made needs no end.
    for (const branch of branches) branch?.then((made) => made.close()).catch(() => {});
    batch(() => {
      this.isOpen.value = false;
      this.switchings.value = [];
      this.collisions.value = [];
      this.areKnown.value = false;
      this.without.value = null;
      this.isComparing.value = false;
      this.failure.value = '';
      this.isLiving.value = false;
      this.#declared.value = null;
    });
    this.player.clear();
    this.shown.ghosts.length = 0;
  }

  /** Whether a feature of a car is on at the moment that is shown; undefined until that is known. */
  isOn(vin: string, feature: string): boolean | undefined {
    const moment = this.player.tick.value + 1;
    const switched = this.switchings.value.findLast(
      (each) => each.vin === vin && feature in each.features && each.tick <= moment,
    );
    const declared = this.#declared.value?.get(vin);
    return switched?.features[feature] ?? (declared && (declared[feature] ?? true));
  }

  /** Switches features of cars after the moment that is shown. What was switched later is forgotten. */
  async switchTo(vins: readonly string[], features: Features): Promise<void> {
    const tick = Math.max(this.fromTick.peek(), Math.floor(this.player.exactTick)) + 1;
    const before = this.switchings.peek().filter((each) => each.tick <= tick);
    const others = before.filter((each) => each.tick < tick || !vins.includes(each.vin));
    const now = vins.map((vin) => {
      const same = before.find((each) => each.tick === tick && each.vin === vin);
      return { tick, vin, features: { ...same?.features, ...features } };
    });
    await this.#switch([...others, ...now]);
  }

  /** Takes all switches back, and returns to the beginning. */
  async reset(): Promise<void> {
    this.player.isPlaying.value = false;
    this.player.seek(this.fromTick.peek());
    await this.#switch([]);
  }

  async #switch(switchings: readonly Switching[]): Promise<void> {
    batch(() => {
      this.switchings.value = switchings;
      this.failure.value = '';
    });
    this.#branch = this.#begin(this.#branch);
    this.player.dropAhead();
    const isMissing = this.without.peek() === null && !this.isComparing.peek();
    await Promise.all([this.#liveBranch(), ...(isMissing ? [this.#liveWithout()] : [])]);
  }

  get canGoOn(): boolean {
    return this.spanTicks.value < SPAN_MAX_TICKS;
  }

  /** Plays what happens just before a collision. */
  jumpTo(tick: number): void {
    this.player.seek(tick - LEAD_TICKS);
    this.player.isPlaying.value = !prefersReducedMotion.peek();
  }

  /** Lives on for another minute. */
  async goOn(): Promise<void> {
    this.spanTicks.value += SPAN_TICKS;
    this.failure.value = '';
    this.player.isPlaying.value = true;
    await Promise.all([this.#liveBranch(), this.#liveWithout()]);
  }

  /** Makes a world of it, and goes there. */
  async makeReal(car: number): Promise<void> {
    const branch = this.#branch;
    if (branch === null || this.isMakingReal.peek()) return;
    this.isMakingReal.value = true;
    this.failure.value = '';
    try {
      const { fromTick, switchings } = await branch;
      const vins = this.#parts.fleet.peek().map(({ vin }) => vin);
      const changes = switchings.map(({ tick, vin, features }) => {
        return { tick, car: vins.indexOf(vin), features };
      });
      const fork = { world: this.#parts.world, tick: fromTick, changes };
      const { id, fleet } = await forkWorld(fork);
      const vin = fleet[car]?.vin;
      const go = this.#parts.go ?? ((url) => location.assign(url));
      go(`/worlds/${id}${vin === undefined ? '' : `#car=${vin}`}`);
    } catch (error) {
      this.failure.value = `This could not be made real. ${reasonOf(error)}`;
    } finally {
      this.isMakingReal.value = false;
    }
  }

  /** Advances by seconds of real time. */
  advance(seconds: number): void {
    if (this.isOpen.peek()) this.player.advance(seconds);
  }

  /** Interpolates the branch at its moment, and the world beside it as ghosts; false where it is not shown. */
  show(): boolean {
    if (!this.isOpen.peek() || !this.player.show()) return false;
    const { ghosts, cars, tick } = this.shown;
    this.#ghosts?.want(tick, GHOSTS_AHEAD_TICKS, this.#span);
    const isThere = this.#ghosts?.has(frameBefore(Math.floor(tick))) === true;
    const isSwitched = this.switchings.peek().length > 0;
    const around = isThere && isSwitched ? framesAround(this.#ghosts?.frames ?? [], tick) : null;
    if (around === null) ghosts.length = 0;
    else {
      for (const [i, car] of cars.entries()) {
        ghosts[i] ??= { ...car };
        interpolateCar(ghosts[i], i, ...around, tick);
      }
    }
    return true;
  }

  /** A branch with all switchings so far, which takes the place of another one. */
  async #begin(old: Promise<Branch> | null): Promise<Branch> {
    // One after the other: the worker has room for a few.
    await old?.then((branch) => branch.close()).catch(() => {});
    return await this.#copy(this.switchings.peek());
  }

  #copy(switchings: readonly Switching[] = []): Promise<Branch> {
    const life = this.#parts.life.peek();
    if (life === null) return Promise.reject(new Error(LIVES_ELSEWHERE));
    return life.branch(this.fromTick.peek(), switchings);
  }

  /** Frames of the branch; of the newest one, if it gives way to another meanwhile. */
  async #frames(part: Extent, everyTicks: number) {
    for (;;) {
      const branch = this.#branch;
      if (branch === null) return [];
      try {
        const frames = await (await branch).frames(part, everyTicks);
        if (branch === this.#branch) return frames;
      } catch (error) {
        if (branch === this.#branch) throw error;
      }
    }
  }

  async #liveBranch(): Promise<void> {
    const branch = this.#branch;
    if (branch === null) return;
    this.isLiving.value = true;
    this.areKnown.value = false;
    const [from, to] = this.#span;
    const isMeant = () => branch === this.#branch && to === this.#span[1];
    try {
      const made = await branch;
      await made.frames([frameBefore(to), to], FRAME_TICKS);
      const incidents = await made.incidents();
      if (!isMeant()) return;
      this.collisions.value = incidents.filter(({ tick }) => tick > from && tick <= to);
      this.areKnown.value = true;
    } catch (error) {
      if (isMeant()) this.#failed(error);
    }
    if (isMeant()) this.isLiving.value = false;
  }

  /** How the world has gone on, or goes on if nobody switches anything. */
  async #liveWithout(): Promise<void> {
    const number = ++this.#comparisons;
    const isLast = () => number === this.#comparisons;
    batch(() => {
      this.without.value = null;
      this.isComparing.value = true;
    });
    try {
      const count = await this.#countWithout();
      if (isLast()) this.without.value = count;
    } catch (error) {
      if (isLast()) this.#failed(error);
    }
    if (isLast()) this.isComparing.value = false;
  }

  async #countWithout(): Promise<number> {
    const life = this.#parts.life.peek();
    if (life === null) throw new Error(LIVES_ELSEWHERE);
    const [from, to] = this.#span;
    if (to <= (life.extent.peek()?.[1] ?? 0)) {
      this.#showGhosts((part, everyTicks) => life.frames(part, everyTicks));
      return await life.incidentCount([from, to]);
    }
    this.#untouched ??= this.#copy();
    const untouched = this.#untouched;
    this.#showGhosts(async (part, everyTicks) => (await untouched).frames(part, everyTicks));
    try {
      const made = await untouched;
      await made.frames([frameBefore(to), to], FRAME_TICKS);
      return (await made.incidents()).filter(({ tick }) => tick > from && tick <= to).length;
    } catch (error) {
      // The next comparison begins anew.
      if (untouched === this.#untouched) this.#untouched = null;
      untouched.then((made) => made.close()).catch(() => {});
      throw error;
    }
  }

  #showGhosts(source: FrameSource): void {
    // Without ghosts the branch is still shown.
    this.#ghosts = new FrameBuffer(
      source,
      () => {},
      () => {},
    );
  }

  #failed(error: unknown): void {
    if (this.isOpen.peek()) this.failure.value = reasonOf(error);
  }

  /** Reads what was switched before the copy: again and again where that fails, until the copy is closed. */
  async #readDeclared(): Promise<void> {
    const closings = this.#closings;
    const journal = await readJournal(this.#parts.world).catch(() => null);
    if (closings !== this.#closings) return;
    if (journal !== null) this.#declared.value = this.#declaredIn(journal);
    else {
      setTimeout(() => {
        if (closings === this.#closings) void this.#readDeclared();
      }, RETRY_MS);
    }
  }

  #declaredIn({ changes }: Journal): ReadonlyMap<string, Features> {
    const fleet = this.#parts.fleet.peek();
    const declared = new Map<string, Record<string, boolean>>(fleet.map(({ vin }) => [vin, {}]));
    for (const { tick, car, features } of changes) {
      if (tick > this.fromTick.peek()) continue;
      Object.assign(declared.get(fleet[car]?.vin ?? '') ?? {}, features);
    }
    return declared;
  }
}
