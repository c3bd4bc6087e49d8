import { CAR_COUNT, EVENT_TOWED, FRAME_TICKS } from '../../assembly/layout.ts';
import type { Slab } from '../../src/kernel/kernel.ts';
import { FrameReading } from '../../src/testing/rigs/frame-reading.ts';
import { SlabView } from '../../src/testing/rigs/kernel.ts';
import { Told, without } from '../../src/testing/rigs/told-and-found.ts';
import { Vanishing } from '../../src/testing/rigs/vanishing.ts';
import { carTypesOf } from '../../src/twin/fleet.ts';
import { ground, inWorld, type WorldChoice } from './ground.ts';
import { stepOn } from './sweep-world.ts';

const ACCOUNTS_MAX = 5;

export interface SceneJob extends WorldChoice {
  /** Row of the table that it belongs to. */
  row: number;
  ticks: number;
  /** Whether its frames are read for what its events tell. */
  isRead: boolean;
}

/** Counts over what is seen in one world or in many. */
export const noScenes = () => ({
  worlds: 0,
  /** Cars that were put elsewhere, those that a car saw, and those that no event tells, or tells twice. */
  moves: 0,
  movesSeen: 0,
  movesUntold: 0,
  /** Actors that appeared or vanished, those that a car saw, and those that jumped. */
  actorChanges: 0,
  actorChangesSeen: 0,
  actorJumps: 0,
  /** Consequences that events tell and those that the frames show, and of both those that the other lacks. */
  told: 0,
  found: 0,
  unfound: 0,
  untold: 0,
});

export type Scenes = ReturnType<typeof noScenes>;

export interface SceneWorld {
  job: SceneJob;
  counted: Scenes;
  /** Text on the first things that should not be there. */
  accounts: string[];
}

/** Watches one world frame by frame, as somebody would who sees nothing else. */
export function watchScenes(job: SceneJob): SceneWorld {
  return inWorld(job, (slab) => {
    const { kernel, cities } = ground();
    const city = cities[job.cityIndex];
    if (!city) throw new RangeError(`there is no city ${job.cityIndex}`);
    const view = new SlabView(kernel.view(slab));
    const vanishing = new Vanishing(city);
    const reading = job.isRead ? new FrameReading(city, carTypesOf(job.seed)) : undefined;
    const told = new Told();
    const towed = new Towed(slab);
    const moved = Array.from({ length: CAR_COUNT }, () => 0);
    const counted = { ...noScenes(), worlds: 1 };
    const accounts: string[] = [];
    const note = (what: string) => {
      const where = `${city.name} seed ${job.seed} tick ${kernel.tick(slab)}`;
      if (accounts.length < ACCOUNTS_MAX) accounts.push(`${where}: ${what}`);
    };
    for (let tick = FRAME_TICKS; tick <= job.ticks; tick += FRAME_TICKS) {
      stepOn(slab, tick);
      for (const { car, isSeen } of vanishing.read(view)) {
        counted.moves += 1;
        moved[car] = (moved[car] ?? 0) + 1;
        if (!isSeen) continue;
        counted.movesSeen += 1;
        note(`car ${car} is put elsewhere in sight`);
      }
      for (const { spot, what, isSeen } of vanishing.readActors(view)) {
        if (what === 'jump') counted.actorJumps += 1;
        else counted.actorChanges += 1;
        if (isSeen) counted.actorChangesSeen += 1;
        if (isSeen || what === 'jump') note(`the actor of ${city.hazards[spot]?.kind} ${what}`);
      }
      towed.read();
      if (reading === undefined) continue;
      reading.read(kernel.pack(slab));
      told.read(kernel, slab);
    }
    counted.movesUntold = moved.reduce((sum, n, car) => sum + Math.abs(n - towed.countOf(car)), 0);
    if (counted.movesUntold > 0)
      note(`${counted.movesUntold} cars more or less were towed than told`);
    if (reading !== undefined) compare(reading, told, counted, note);
    return { job, counted, accounts };
  });
}

function compare(
  { found }: FrameReading,
  { all }: Told,
  counted: Scenes,
  note: (what: string) => void,
): void {
  const [untold, unfound] = [without(found, all), without(all, found)];
  for (const { what, tick, car } of untold) note(`${what} of car ${car} at ${tick} is not told`);
  for (const { what, tick, car } of unfound) note(`${what} of car ${car} at ${tick} is told only`);
  counted.told = all.length;
  counted.found = found.length;
  counted.untold = untold.length;
  counted.unfound = unfound.length;
}

/** How often events tell that each car was towed. */
class Towed {
  readonly #slab: Slab;
  /** By number of an event: the car, and how often. */
  readonly #counts = new Map<number, { car: number; count: number }>();

  constructor(slab: Slab) {
    this.#slab = slab;
  }

  read(): void {
    for (const { seq, kind, car, arg } of ground().kernel.events(this.#slab)) {
      if (kind === EVENT_TOWED) this.#counts.set(seq, { car, count: 1 + (arg >>> 16) });
    }
  }

  countOf(car: number): number {
    return [...this.#counts.values()].reduce(
      (sum, each) => sum + (each.car === car ? each.count : 0),
      0,
    );
  }
}
