import { CHAIN_TICKS, FRAME_TICKS } from '../../../assembly/layout.ts';
import type { FrameEncoder } from '../../codec/frame-encoder.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { IMAGE_TICKS, LEAD_TICKS_MAX } from '../../limits.ts';
import { declaredIn } from '../../twin/explanation.ts';
import type { Chain } from '../../twin/incidents.ts';
import type { Resident } from '../loaded-world.ts';
import {
  type ExplainAnswer,
  type ExplainedReport,
  type ExplainTask,
  type LivedPast,
  type ReplayAnswer,
  type ReplayTask,
  unpackNumbered,
} from '../protocol.ts';
import { imagesAt, type Scene, Scratch, type Slices } from './rewind.ts';
import type { Pins } from './rewind-cache.ts';
import { IncidentReruns } from './run.ts';
import { carsOf, contactsBetween } from './search.ts';

/** Frames of a replay reach so far back and so far on from the first contact, ticks. */
const REPLAY_LEAD_TICKS = IMAGE_TICKS;
const REPLAY_AFTER_TICKS = CHAIN_TICKS;
/** Slabs beside those of the worlds, one a lane. */
export const SCRATCH_SLABS = 3;
const COMMA = 0x2c;

export interface ExplainerHooks {
  /** A finer clock, to end slices by, ms. */
  elapsed(): number;
  cityTable(cityIndex: number): ArrayBuffer;
  /** A world that is in memory. */
  resident(world: number): Resident | undefined;
  encoder(world: number, cityIndex: number): FrameEncoder;
  report(report: ExplainedReport): void;
  /** The world that is being lived again; 0 none. */
  reliving(world: number): void;
}

interface Job {
  world: number;
  work: Slices<void>;
}

/** Jobs that are done one after the other in one slab. */
interface Lane {
  scratch: Scratch;
  jobs: Job[];
}

/**
 * Lives stretches of worlds again in slabs of its own, a little at a time: to explain collisions,
 * and to show them. What is kept of watched worlds and replays take turns and go first; what has
 * to be lived from far back comes after them. What is kept is urgent: somebody has seen it happen.
 */
export class Explainer {
  readonly #hooks: ExplainerHooks;
  readonly #pins: Pins;
  readonly #kept: Lane;
  readonly #replays: Lane;
  readonly #far: Lane;
  #turns = 0;

  constructor(kernel: Kernel, pins: Pins, hooks: ExplainerHooks) {
    this.#hooks = hooks;
    this.#pins = pins;
    const lane = (): Lane => ({ scratch: new Scratch(kernel, acquire(kernel)), jobs: [] });
    this.#kept = lane();
    this.#replays = lane();
    this.#far = lane();
  }

  get busy(): boolean {
    return this.#lane() !== undefined;
  }

  #lane(urgent = false): Lane | undefined {
    if (urgent) return this.#kept.jobs.length > 0 ? this.#kept : undefined;
    const first = this.#turns % 2 === 0 ? [this.#kept, this.#replays] : [this.#replays, this.#kept];
    return [...first, this.#far].find(({ jobs }) => jobs.length > 0);
  }

  /** Works until a moment of the finer clock, or until nothing is left, `urgent`: that is urgent. */
  work(end: number, urgent = false): void {
    while (this.#hooks.elapsed() < end) {
      this.#turns++;
      const lane = this.#lane(urgent);
      const [job] = lane?.jobs ?? [];
      if (job === undefined) break;
      this.#hooks.reliving(job.world);
      if (job.work.next().done) lane?.jobs.shift();
    }
    this.#hooks.reliving(0);
  }

  /** Resolves with what the work comes to; what it throws is what this rejects with. */
  #add<T>(lane: Lane, world: number, slices: (scratch: Scratch) => Slices<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      function* work(): Slices<void> {
        try {
          resolve(yield* slices(lane.scratch));
        } catch (error) {
          reject(error);
        }
      }
      lane.jobs.push({ world, work: work() });
    });
  }

  // ── explaining ──────────────────────────────────────────────────────────────────────────────

  explain(task: ExplainTask): Promise<ExplainAnswer> {
    const { world, past } = task;
    return past === undefined
      ? this.#add(this.#kept, world, (scratch) => this.#explainKept(scratch, task))
      : this.#add(this.#far, world, (scratch) => this.#explainFar(scratch, task, past));
  }

  *#explainKept(scratch: Scratch, task: ExplainTask): Slices<ExplainAnswer> {
    const { world, chains } = task;
    const answer: ExplainAnswer = { missing: [], failed: [] };
    for (const [position, chain] of chains.entries()) {
      const scene = this.#pins.scene(world, chain, this.#hooks.resident(world));
      if (scene === undefined) answer.missing.push(position);
      else yield* this.#explainOne(scratch, task, position, scene, answer);
    }
    return answer;
  }

  /** Lives the world once for an image before each collision, then explains one by one. */
  *#explainFar(scratch: Scratch, task: ExplainTask, past: LivedPast): Slices<ExplainAnswer> {
    const { world, chains } = task;
    const changes = unpackNumbered(past.changes);
    const order = chains.map((_, i) => i).toSorted((a, b) => tickOf(chains, a) - tickOf(chains, b));
    const ticks = order.map((i) => tickOf(chains, i) - LEAD_TICKS_MAX);
    const images = yield* imagesAt(scratch, past, changes, ticks);
    const answer: ExplainAnswer = { missing: [], failed: [] };
    for (const [position, chain] of chains.entries()) {
      const image = images[order.indexOf(position)];
      if (image === undefined) continue;
      const scene = { image, changes };
      yield* this.#explainOne(scratch, task, position, scene, answer);
      this.#pins.add(world, chain, tickOf(chains, position) - LEAD_TICKS_MAX, scene);
    }
    return answer;
  }

  *#explainOne(
    scratch: Scratch,
    { world, cityIndex, chains }: ExplainTask,
    position: number,
    scene: Scene,
    answer: ExplainAnswer,
  ): Slices<void> {
    const chain = chains[position];
    if (chain === undefined) return;
    const reruns = new IncidentReruns(scratch, scene, chain, this.#hooks.cityTable(cityIndex));
    const [{ tick, order }] = chain;
    try {
      const explanation = yield* reruns.explain();
      this.#hooks.report({ kind: 'explained', world, tick, order, explanation });
    } catch (error) {
      // A trap in a re-run, or another life than the one that was told of.
      const message = error instanceof Error ? error.message : String(error);
      answer.failed.push({ position, message });
    }
  }

  // ── replays ─────────────────────────────────────────────────────────────────────────────────

  /** Rejects where it cannot be lived again as it was. */
  replay(task: ReplayTask): Promise<ReplayAnswer> {
    return this.#add(this.#replays, task.world, (scratch) => this.#replay(scratch, task));
  }

  *#replay(scratch: Scratch, task: ReplayTask): Slices<ReplayAnswer> {
    const { chain, encoding } = task;
    const [{ tick }] = chain;
    const scene = yield* this.#sceneOf(scratch, task);
    if (scene === undefined) return { outcome: 'missing' };
    const on = switchedOn(chain, task.on);
    const startTick = on.size === 0 ? tick : yield* this.#startOf(scratch, scene, task);
    const encoder = this.#hooks.encoder(task.world, task.cityIndex);
    const frames: Uint8Array[] = [];
    const look = () => {
      if (scratch.tick < tick - REPLAY_LEAD_TICKS || scratch.tick % FRAME_TICKS !== 0) return;
      frames.push(encoder.encode(encoding, scratch.kernel.pack(scratch.slab)));
    };
    scratch.restore(scene);
    look();
    yield* scratch.stepTo(startTick, FRAME_TICKS, look);
    const contactsBefore = scratch.contacts.length;
    scratch.switchOn(on);
    yield* scratch.stepTo(Math.min(task.untilTick, tick + REPLAY_AFTER_TICKS), FRAME_TICKS, look);
    const after = on.size === 0 ? chain : scratch.contacts.slice(contactsBefore);
    const [contact] = contactsBetween(chain, after);
    return {
      outcome: 'played',
      frames: joinFrames(frames, encoding === 'json'),
      count: frames.length,
      contactTick: contact?.tick ?? null,
    };
  }

  /** What is kept of the collision, or lived again for it; undefined where that is not possible. */
  *#sceneOf(scratch: Scratch, { world, chain, past }: ReplayTask): Slices<Scene | undefined> {
    const kept = this.#pins.scene(world, chain, this.#hooks.resident(world));
    if (kept !== undefined || past === undefined) return kept;
    const changes = unpackNumbered(past.changes);
    const tick = chain[0].tick - LEAD_TICKS_MAX;
    const [image] = yield* imagesAt(scratch, past, changes, [tick]);
    if (image === undefined) return undefined;
    const scene = { image, changes };
    this.#pins.add(world, chain, tick, scene);
    return scene;
  }

  *#startOf(
    scratch: Scratch,
    scene: Scene,
    { chain, cityIndex, startTick }: ReplayTask,
  ): Slices<number> {
    if (startTick !== undefined) return startTick;
    const table = this.#hooks.cityTable(cityIndex);
    const [first] = yield* new IncidentReruns(scratch, scene, chain, table).findStarts();
    return first ?? chain[0].tick;
  }
}

function acquire(kernel: Kernel): Slab {
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('the kernel has slabs for re-runs');
  return slab;
}

function tickOf(chains: readonly Chain[], position: number): number {
  return chains[position]?.[0].tick ?? 0;
}

/** By car: those of some features that it had off. */
function switchedOn(chain: Chain, features: number): Map<number, number> {
  const cars = carsOf(chain).map((car) => [car, features & ~declaredIn(chain, car)] as const);
  return new Map(cars.filter(([, mask]) => mask !== 0));
}

function joinFrames(frames: readonly Uint8Array[], withCommas: boolean): Uint8Array {
  const gap = withCommas ? 1 : 0;
  const bytes = frames.reduce((sum, frame) => sum + frame.length + gap, 0);
  const joined = new Uint8Array(Math.max(0, bytes - gap)).fill(COMMA);
  let at = 0;
  for (const frame of frames) {
    joined.set(frame, at);
    at += frame.length + gap;
  }
  return joined;
}
