import type { Kernel } from '../../kernel/kernel.ts';
import { Resident } from '../../shard/loaded-world.ts';
import type { NumberedChange } from '../../shard/protocol.ts';
import { Scheduler, type SchedulerHooks } from '../../shard/scheduler.ts';
import { stepTo } from './kernel.ts';

/** A scheduler on a clock that only a test moves; it notes frames and traps. */
export class ManualShard {
  nowMs = 1_000_000;
  readonly kernel: Kernel;
  readonly scheduler: Scheduler;
  readonly frames: { world: number; tick: number }[] = [];
  readonly trapped: number[] = [];
  /** Runs at every drain, as commands would be taken in. */
  onDrain: () => void = () => {};
  /** How far the main thread has published its clock; by default always up to now. */
  publishedMs: number | undefined;

  constructor(kernel: Kernel, hooks: Partial<SchedulerHooks> = {}) {
    this.kernel = kernel;
    this.scheduler = new Scheduler({
      now: () => this.nowMs,
      published: () => this.publishedMs ?? this.nowMs,
      elapsed: () => performance.now(),
      drain: () => this.onDrain(),
      moved: () => {},
      framed: (resident) => this.frames.push({ world: resident.world, tick: resident.tick }),
      trapped: (resident) => {
        this.trapped.push(resident.world);
        this.scheduler.remove(resident);
      },
      stepping: () => {},
      spare: () => false,
      ...hooks,
    });
  }

  /** A resident of the slab, made `ageTicks` ago. */
  enter(slab: number, world: number, ageTicks = 0, changes: NumberedChange[] = []): Resident {
    const createdAtMs = this.nowMs - ageTicks * 20;
    return new Resident(this.kernel, { world, stay: 1, slab, createdAtMs, seq: 0, changes });
  }

  /** Turns until nothing is due. */
  settle(): void {
    while (this.scheduler.turn() === 0);
  }

  /** Lets time pass in small steps, with a turn after each. */
  pass(ms: number, stepMs = 4): void {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.nowMs += stepMs;
      this.settle();
    }
  }

  /** Brings a world to a tick, and says when it is there. */
  reach(resident: Resident, tick: number): { done: boolean } {
    const state = { done: false };
    this.scheduler.reach(resident, {
      tick,
      sinceMs: this.nowMs,
      background: false,
      reached: () => {
        state.done = true;
      },
      lost: () => {},
    });
    return state;
  }
}

/** The reference: the world lived tick by tick from its seed, changes put in at their ticks. */
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
