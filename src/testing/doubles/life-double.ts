import { signal } from '@preact/signals';
import type { FleetEntry, Incident, Snapshot, WorldEvent } from '../../web/viewer/api/types.ts';
import type { Branch, Extent, Life, Mark, Switching } from '../../web/viewer/life/life.ts';

export const FLEET: readonly FleetEntry[] = ['A', 'B', 'C'].map((vin) => {
  return { vin, model: 'Aurora Vela', plate: `${vin} 1`, colour: 'teal' };
});

/** A frame in which each car has driven a metre a tick on a street of its own. */
export function frameOf(tick: number, aheadM = 0): Snapshot {
  const vehicles = FLEET.map(({ vin }, i) => {
    const place = { x: tick + aheadM, y: 100 * i, heading: 0, speed: 50, road: 'r', gap: null };
    const acts = { braking: false, aeb: false, esc: false, evasive: false };
    return { vin, ...place, ...acts, status: 'driving' as const };
  });
  return { type: 'snapshot', world: 'w', tick, time: tick / 50, vehicles, lights: [], hazards: [] };
}

function framesOf([first, last]: Extent, everyTicks: number, aheadM = 0): Snapshot[] {
  const frames: Snapshot[] = [];
  for (let tick = first; tick <= last; tick += everyTicks) frames.push(frameOf(tick, aheadM));
  return frames;
}

/** A life in which cars drive straight on, until somebody switches something in a branch of it. */
export class LifeDouble implements Life {
  readonly extent = signal<Extent | undefined>(undefined);
  readonly marks = signal<readonly Mark[]>([]);
  /** What was asked for, in order. */
  readonly asked: Extent[] = [];
  readonly eventsAsked: number[] = [];
  readonly branches: BranchDouble[] = [];
  /** Answers are given once this resolves. */
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;
  /** Ticks of collisions of a branch in which something was switched. */
  collisions: readonly number[] = [];

  async frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]> {
    this.asked.push(extent);
    await this.gate;
    if (this.failure) throw this.failure;
    const [first, last] = this.extent.peek() ?? [0, -1];
    if (extent[0] < first || extent[1] > last) throw new Error('unknown ticks');
    return framesOf(extent, everyTicks);
  }

  async events(tick: number): Promise<readonly WorldEvent[]> {
    this.eventsAsked.push(tick);
    await this.gate;
    const message = `the last one before ${tick}`;
    const nothing = { vin: null, feature: null, hazard: null, incident: null, consequence: null };
    const of = { tick, time: tick / 50, seq: tick, kind: 'hazard' as const, count: 1 };
    return [{ ...of, ...nothing, distance: null, message }];
  }

  async branch(tick: number): Promise<BranchDouble> {
    if (this.failure) throw this.failure;
    const branch = new BranchDouble(this, tick);
    this.branches.push(branch);
    return branch;
  }
}

/** Its cars are a metre ahead once something is switched. */
export class BranchDouble implements Branch {
  readonly fromTick: number;
  tick: number;
  readonly switchings: Switching[] = [];
  isClosed = false;
  readonly #life: LifeDouble;

  constructor(life: LifeDouble, tick: number) {
    this.#life = life;
    this.fromTick = tick;
    this.tick = tick;
  }

  async set(vin: string, features: Readonly<Record<string, boolean>>): Promise<void> {
    if (this.isClosed) throw new Error('the branch is closed');
    this.switchings.push({ tick: this.tick + 1, vin, features });
  }

  async frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]> {
    await this.#life.gate;
    if (this.isClosed) throw new Error('the branch is closed');
    this.tick = Math.max(this.tick, extent[1]);
    const from = this.switchings[0]?.tick ?? Number.POSITIVE_INFINITY;
    return framesOf(extent, everyTicks).map(({ tick }) => frameOf(tick, tick >= from ? 1 : 0));
  }

  async incidents(): Promise<readonly Incident[]> {
    const ticks = this.switchings.length === 0 ? [] : this.#life.collisions;
    const happened = ticks.filter((tick) => tick <= this.tick);
    return happened.map((tick) => ({ id: `i${tick}-0`, tick, place: { x: 0, y: 0 } }) as Incident);
  }

  close(): void {
    this.isClosed = true;
  }
}
