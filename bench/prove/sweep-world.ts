import {
  C_VX,
  C_VY,
  CAR_COUNT,
  EVENT_INTERVENTION,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  F_ALL,
  FEATURE_COUNT,
  FRAME_TICKS,
  H_EVENT_COUNT,
  TICK_MS,
} from '../../assembly/layout.ts';
import type { Slab } from '../../src/kernel/kernel.ts';
import { HardStops } from '../../src/testing/rigs/hard-stops.ts';
import { SlabView } from '../../src/testing/rigs/kernel.ts';
import { SpotTally } from '../../src/testing/rigs/spot-tally.ts';
import { namesOf } from '../../src/twin/catalogue.ts';
import type { ContactRecord } from '../../src/twin/contact-records.ts';
import type { RawEvent } from '../../src/twin/events.ts';
import { type ContactFacts, incidentId } from '../../src/twin/incidents.ts';
import { accountOf, eventAccount, ground, inWorld, type WorldChoice } from './ground.ts';
import { type SpotCounts, SpotWatch } from './spot-watch.ts';

const LOOK_S = (FRAME_TICKS * TICK_MS) / 1000;
/** 60 s: cars on a collision course when a feature comes back may still collide. */
const SETTLE_TICKS = 3000;
const ACCOUNTS_MAX = 3;

export interface SweepJob extends WorldChoice {
  mask: number;
  ticks: number;
  /** Ticks driven afterwards with everything on, once the world has settled. */
  ticksBackOn: number;
}

/** Counts over a stretch of one world. */
export const emptyStretch = () => ({
  kilometres: 0,
  carHours: 0,
  contacts: 0,
  /** Chains of contacts. */
  incidents: 0,
  /** Events of red lights run, lanes left, right of way not given, near misses and stalls. */
  consequences: 0,
  /** How often cars braked harder than 6 m/s². */
  hardStops: 0,
  /** Interventions by feature. */
  interventions: Array.from({ length: FEATURE_COUNT }, () => 0),
  spots: [] as SpotCounts[],
});

export type Stretch = ReturnType<typeof emptyStretch>;

export interface SweepWorld {
  job: SweepJob;
  driven: Stretch;
  backOn: Stretch | null;
  /** Text on the first contacts and other consequences that should not have happened. */
  accounts: string[];
  /** Why the kernel stopped, or `null`. */
  trap: string | null;
}

/** Drives one world, then again with everything on where the job says so. */
export function driveSweepWorld(job: SweepJob): SweepWorld {
  const none = { driven: emptyStretch(), backOn: null, accounts: [], trap: null };
  const world: SweepWorld = { job, ...none };
  let tick = 0;
  try {
    inWorld(job, (slab) => {
      const { kernel } = ground();
      try {
        driveAll(slab, job, world);
      } finally {
        tick = kernel.tick(slab);
      }
    });
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    world.trap = `seed ${job.seed} after tick ${tick}: ${error.message}`;
  }
  return world;
}

function driveAll(slab: Slab, job: SweepJob, world: SweepWorld): void {
  // With a feature off, contacts are expected.
  world.driven = drive(slab, job, job.ticks, job.mask === F_ALL ? world.accounts : []);
  if (job.ticksBackOn === 0) return;
  const { kernel } = ground();
  for (let car = 0; car < CAR_COUNT; car++) {
    kernel.apply(slab, kernel.tick(slab) + 1, car, F_ALL, F_ALL);
  }
  drive(slab, job, SETTLE_TICKS, []);
  world.backOn = drive(slab, job, job.ticksBackOn, world.accounts);
}

/** Counts frame by frame: spots decide and drivers act once a frame. */
function drive(slab: Slab, job: SweepJob, ticks: number, accounts: string[]): Stretch {
  const { kernel, courses } = ground();
  const course = courses[job.cityIndex];
  if (!course) throw new RangeError(`there is no city ${job.cityIndex}`);
  const stretch = emptyStretch();
  const watch = new SpotWatch(course.city.hazards.map(({ kind }) => kind));
  const tally = new SpotTally(kernel, slab, course, (pass) => {
    watch.notePass(kernel.tick(slab), pass);
  });
  const events = new NewEvents(slab);
  const view = new SlabView(kernel.view(slab));
  const hard = new HardStops();
  const end = kernel.tick(slab) + ticks;
  kernel.clearActed(slab);
  let metres = 0;
  const wasOff = namesOf(F_ALL & ~job.mask)
    .map((name) => `${name} on again, `)
    .join('');
  const onContact = (news: readonly ContactFacts[]): void => {
    for (const contact of news) {
      watch.noteContact(contact);
      if (accounts.length < ACCOUNTS_MAX) accounts.push(wasOff + accountOf(job, contact));
    }
    stretch.contacts += news.length;
    stretch.incidents += news.filter(isFirst).length;
  };
  while (kernel.tick(slab) < end) {
    tally.run(FRAME_TICKS, onContact);
    const tick = kernel.tick(slab);
    for (let car = 0; car < CAR_COUNT; car++) watch.noteActed(tick, car, kernel.acted(slab, car));
    kernel.clearActed(slab);
    watch.settle(tick);
    for (const event of events.countInto(stretch)) {
      if (accounts.length < ACCOUNTS_MAX) accounts.push(wasOff + eventAccount(job, event));
    }
    hard.read(view);
    metres += speedSum(view) * LOOK_S;
  }
  stretch.hardStops = hard.count;
  stretch.kilometres = metres / 1000;
  stretch.carHours = (ticks * TICK_MS * CAR_COUNT) / 3_600_000;
  stretch.spots = watch.counts.map((counts, spot) => ({ ...counts, ...tally.countsOf(spot) }));
  return stretch;
}

/** Steps to a tick and returns the records of contacts and crash pulses until then. */
export function stepOn(slab: Slab, tick: number): ContactRecord[] {
  const { kernel } = ground();
  const before = kernel.contactCount(slab);
  while (kernel.tick(slab) < tick) kernel.step(slab, tick - kernel.tick(slab));
  return kernel.contactCount(slab) === before ? [] : kernel.records(slab, before);
}

/** Whether a contact starts an incident. */
const isFirst = ({ tick, order, chainTick, chainOrder }: ContactFacts): boolean =>
  incidentId(tick, order) === incidentId(chainTick, chainOrder);

function speedSum(view: SlabView): number {
  let sum = 0;
  for (let car = 0; car < CAR_COUNT; car++) {
    const vx = view.real(C_VX, car);
    const vy = view.real(C_VY, car);
    sum += Math.sqrt(vx * vx + vy * vy);
  }
  return sum;
}

class NewEvents {
  readonly #slab: Slab;
  readonly #i32: Int32Array;
  #seen: number;

  constructor(slab: Slab) {
    this.#slab = slab;
    this.#i32 = ground().kernel.view(slab).i32;
    this.#seen = this.#count();
  }

  #count(): number {
    return this.#i32[H_EVENT_COUNT / 4] ?? 0;
  }

  /** Returns those that are consequences short of a crash. */
  countInto(stretch: Stretch): RawEvent[] {
    const count = this.#count();
    if (count === this.#seen) return [];
    const consequences: RawEvent[] = [];
    const { interventions } = stretch;
    for (const event of ground().kernel.events(this.#slab)) {
      const { seq, kind, feature } = event;
      if (seq <= this.#seen) continue;
      if (kind >= EVENT_RED_LIGHT && kind <= EVENT_STALLED) consequences.push(event);
      if (kind !== EVENT_INTERVENTION) continue;
      interventions[feature] = (interventions[feature] ?? 0) + 1;
    }
    this.#seen = count;
    stretch.consequences += consequences.length;
    return consequences;
  }
}
