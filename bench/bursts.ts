import {
  CAR_COUNT,
  F_ACTUATORS_AND_SENSORS,
  F_ALL,
  F_BRAKES,
  F_CORNER_RADARS,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_STEERING,
  F_THROTTLE,
  TICK_MS,
} from '../assembly/layout.ts';
import type { Kernel, Slab } from '../src/kernel/kernel.ts';
import { SLICE_MS } from '../src/limits.ts';
import { ManualShard } from '../src/testing/rigs/manual-shard.ts';
import { systemTime } from '../src/time.ts';
import { stepBy } from './aged-worlds.ts';
import { type Figure, figure } from './common/figures.ts';
import { median } from './common/report.ts';

/** Two of each of three cities. */
const WORLDS = 6;
const SHORT_TICKS = 3000;
const LONG_TICKS = 90_000;
const SHORT_MS_MAX = 15;
const LONG_MS_MAX = 400;
const LONG_MS_MAX_ANY_MASK = 600;

/** Missing features, each of which takes another path through the kernel. */
const MASKS: readonly (readonly [name: string, mask: number])[] = [
  ['functions off', F_ACTUATORS_AND_SENSORS],
  ['sensors off', F_ALL & ~(F_FRONT_CAMERA | F_FRONT_RADAR | F_CORNER_RADARS)],
  ['brakes off', F_ALL & ~F_BRAKES],
  ['throttle off', F_ALL & ~F_THROTTLE],
  ['steering off', F_ALL & ~F_STEERING],
  ['all off', 0],
];

/** How long one world takes to catch up. `images`: of aged worlds of all cities in turn. */
export function bursts(
  kernel: Kernel,
  slabs: readonly Slab[],
  images: readonly Uint8Array[],
): Figure[] {
  const chosen = slabs.slice(0, WORLDS);
  const ms = (ticks: number, mask: number) =>
    median(chosen.map((slab, i) => burstMs(kernel, slab, images[i], mask, ticks)));
  const scaled = { isScaled: true };
  const any = { ...scaled, atMost: LONG_MS_MAX_ANY_MASK };
  return [
    figure('burst over 60 s', ms(SHORT_TICKS, F_ALL), 'ms', { ...scaled, atMost: SHORT_MS_MAX }),
    figure('burst over 30 min', ms(LONG_TICKS, F_ALL), 'ms', { ...scaled, atMost: LONG_MS_MAX }),
    ...MASKS.flatMap(([name, mask]) => [
      figure(`burst over 60 s, ${name}`, ms(SHORT_TICKS, mask), 'ms'),
      figure(`burst over 30 min, ${name}`, ms(LONG_TICKS, mask), 'ms', any),
    ]),
    ...pieces(kernel, chosen, images),
  ];
}

function burstMs(
  kernel: Kernel,
  slab: Slab,
  image: Uint8Array | undefined,
  mask: number,
  ticks: number,
): number {
  if (image) kernel.restore(slab, image);
  for (let car = 0; car < CAR_COUNT; car += 1) {
    kernel.apply(slab, kernel.tick(slab) + 1, car, F_ALL, mask);
  }
  const startMs = systemTime.now();
  stepBy(kernel, slab, ticks);
  return systemTime.now() - startMs;
}

/**
 * How long the thread is blocked while a world catches up with 30 minutes: the longest turn of the
 * scheduler, and the longest call of the kernel within one.
 */
function pieces(kernel: Kernel, slabs: readonly Slab[], images: readonly Uint8Array[]): Figure[] {
  const longest = slabs.map((slab, i) => {
    const image = images[i];
    if (image) kernel.restore(slab, image);
    return longestPieces(kernel, slab);
  });
  const turn = median(longest.map(({ turnMs }) => turnMs));
  const call = median(longest.map(({ callMs }) => callMs));
  return [
    figure('longest turn of that burst', turn, 'ms', { atMost: SLICE_MS }),
    figure('longest call of the kernel in it', call, 'ms', { atMost: SLICE_MS }),
  ];
}

function longestPieces(kernel: Kernel, slab: Slab): { turnMs: number; callMs: number } {
  const [turn, call] = [new LongestPiece(), new LongestPiece()];
  const pulse = {
    get world() {
      return 0;
    },
    set world(world: number) {
      call.end();
      if (world !== 0) call.begin();
    },
  };
  const shard = new ManualShard(kernel, { pulse });
  const from = kernel.tick(slab);
  const world = shard.enter(slab, 1, from);
  shard.nowMs += LONG_TICKS * TICK_MS;
  const goal = shard.reach(world, from + LONG_TICKS);
  while (!goal.done) {
    turn.begin();
    shard.scheduler.turn();
    turn.end();
  }
  return { turnMs: turn.ms, callMs: call.ms };
}

/** Ignores pieces in which the machine preempted the thread. */
class LongestPiece {
  ms = 0;
  #startMs: number | undefined;
  #switches = 0;

  begin(): void {
    this.#switches = process.resourceUsage().involuntaryContextSwitches;
    this.#startMs = systemTime.now();
  }

  end(): void {
    if (this.#startMs === undefined) return;
    const ms = systemTime.now() - this.#startMs;
    this.#startMs = undefined;
    if (process.resourceUsage().involuntaryContextSwitches > this.#switches) return;
    this.ms = Math.max(this.ms, ms);
  }
}
