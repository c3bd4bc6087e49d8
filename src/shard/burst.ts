import type { LoadedWorld } from './loaded-world.ts';

/** A tick that a world must reach. */
export interface Goal {
  tick: number;
  sinceMs: number;
  /** Runs after everything that a client waits for. */
  background: boolean;
  /** Called once the world is at `tick` or later. If it throws, the world leaves memory. */
  reached(): void;
  /** Called if the world leaves memory before that, or because of it. */
  lost(): void;
}

/** Added to the score of background bursts, so that they come after all others. */
const BACKGROUND = 1e18;
/** What a world is stepped for beside its frames: all goals that it has. */
export interface Burst {
  world: LoadedWorld;
  goals: Goal[];
  /** Of all goals: the furthest tick, the longest wait, whether all are in the background. */
  tick: number;
  sinceMs: number;
  background: boolean;
}

export function burstOf(world: LoadedWorld, goals: Goal[]): Burst {
  return {
    world,
    goals,
    tick: Math.max(...goals.map(({ tick }) => tick)),
    sinceMs: Math.min(...goals.map(({ sinceMs }) => sinceMs)),
    background: goals.every(({ background }) => background),
  };
}

/** For most slices: the shortest burst first, so that no burst waits for a longer one. */
export function lengthScore({ world, tick, background }: Burst): number {
  return tick - world.tick + (background ? BACKGROUND : 0);
}

/** For some slices: the oldest burst first, so that a long one makes progress. */
export function ageScore({ sinceMs, background }: Burst): number {
  return sinceMs + (background ? BACKGROUND : 0);
}
