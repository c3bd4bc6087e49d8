import type { Kernel } from '../../kernel/kernel.ts';
import type { CounterfactualQueue } from '../../shard/counterfactual/counterfactual-queue.ts';
import { LoadedWorld, type LoadedWorldStart } from '../../shard/loaded-world.ts';
import {
  type FollowedClock,
  Scheduler,
  type SchedulerDependencies,
  type SchedulerHost,
} from '../../shard/scheduler.ts';
import { worldEncoder } from '../../shard/world-encoder.ts';
import { systemTime } from '../../time.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import { cities, stepTo } from './kernel.ts';

/** A scheduler on a clock that only a test moves; it notes frames and traps. */
export class ManualShard implements SchedulerHost, FollowedClock {
  nowMs = 1_000_000;
  readonly kernel: Kernel;
  readonly scheduler: Scheduler;
  readonly frames: { world: number; tick: number }[] = [];
  readonly trapped: number[] = [];
  /** What each of these threw. */
  readonly traps: unknown[] = [];
  /** Whether the last frame of a world waits to be sent. */
  isPending: (world: LoadedWorld) => boolean = () => false;
  /** Called when commands are taken in, and when a world was stepped. */
  onDrain: () => void = () => {};
  onMoved: (world: LoadedWorld) => void = () => {};
  /** How far the main thread has published its clock; by default always up to now. */
  publishedMs: number | undefined;

  constructor(
    kernel: Kernel,
    parts: Partial<Pick<SchedulerDependencies, 'counterfactuals' | 'pulse' | 'time'>> = {},
  ) {
    this.kernel = kernel;
    this.scheduler = new Scheduler({
      time: systemTime,
      clock: this,
      host: this,
      frames: {
        add: ({ number, tick }) => this.frames.push({ world: number, tick }),
        has: (world) => this.isPending(world),
      },
      pulse: { world: 0 },
      counterfactuals: NO_COUNTERFACTUALS,
      ...parts,
    });
  }

  get frameTicks(): number[] {
    return this.frames.map(({ tick }) => tick);
  }

  now(): number {
    return this.nowMs;
  }

  published(): number {
    return this.publishedMs ?? this.nowMs;
  }

  drainCommands(): void {
    this.onDrain();
  }

  worldMoved(world: LoadedWorld): void {
    this.onMoved(world);
  }

  worldTrapped(world: LoadedWorld, error: unknown): void {
    this.trapped.push(world.number);
    this.traps.push(error);
    this.scheduler.remove(world);
  }

  /** A world in the slab, made `ageTicks` ago. */
  enter(slab: number, number: number, ageTicks = 0, changes: NumberedChange[] = []): LoadedWorld {
    const createdAtMs = this.nowMs - ageTicks * 20;
    return loadedWorld(this.kernel, { number, slab, createdAtMs, changes });
  }

  /** Turns until nothing is due. */
  settle(): void {
    while (this.scheduler.turn() === 0);
  }

  /** Enough turns for a world to make all frames that it owes. */
  catchUp(): void {
    for (let turn = 0; turn < 20; turn++) this.scheduler.turn();
  }

  /** Lets time pass in small steps, with a turn after each. */
  pass(ms: number, stepMs = 4): void {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.nowMs += stepMs;
      this.settle();
    }
  }

  /** Brings a world to a tick, and says when it is there. */
  reach(world: LoadedWorld, tick: number, background = false): { done: boolean } {
    const state = { done: false };
    this.scheduler.reach(world, {
      tick,
      sinceMs: this.nowMs,
      background,
      reached: () => {
        state.done = true;
      },
      lost: () => {},
    });
    return state;
  }
}

const NO_COUNTERFACTUALS: Pick<CounterfactualQueue, 'work' | 'isBusy'> = {
  work: () => {},
  isBusy: false,
};

/** A world of the first city in a slab. */
export function loadedWorld(
  kernel: Kernel,
  start: Partial<LoadedWorldStart> & Pick<LoadedWorldStart, 'number' | 'slab'>,
): LoadedWorld {
  const [city] = cities.names;
  if (city === undefined) throw new RangeError('the catalogue has a city');
  const encoder = worldEncoder(start.number, city);
  const fresh = { residency: 1, cityIndex: 0, createdAtMs: 0, seq: 0, changes: [] };
  return new LoadedWorld(kernel, { ...fresh, encoder, ...start });
}

/** The reference: the world stepped from its seed, each change applied at its tick. */
export function liveFromJournal(
  kernel: Kernel,
  slab: number,
  changes: readonly NumberedChange[],
  tick: number,
): void {
  for (const change of changes) {
    if (change.tick > tick) break;
    stepTo(kernel, slab, Math.max(0, change.tick - 1));
    kernel.apply(slab, change.tick, change.car, change.touched, change.values);
  }
  stepTo(kernel, slab, tick);
}
