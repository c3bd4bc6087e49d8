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
  readonly edition = signal(0);
  /** What was asked for, in order. */
  readonly asked: Extent[] = [];
  readonly eventsAsked: number[] = [];
  readonly branches: BranchDouble[] = [];
  /** Answers are given once this resolves. */
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;
  /** Ticks of its own collisions. */
  happened: readonly number[] = [];
  /** So many branches were open at once. */
  openMost = 0;
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

  async incidentCount([first, last]: Extent): Promise<number> {
    return this.happened.filter((tick) => tick > first && tick <= last).length;
  }

  async branch(tick: number, switchings: readonly Switching[]): Promise<BranchDouble> {
    if (this.failure) throw this.failure;
    this.openMost = Math.max(
      this.openMost,
      1 + this.branches.filter((each) => !each.isClosed).length,
    );
    const branch = new BranchDouble(this, tick, switchings);
    this.branches.push(branch);
    return branch;
  }
}

/** Its cars are a metre ahead once something is switched. */
export class BranchDouble implements Branch {
  readonly fromTick: number;
  tick: number;
  readonly switchings: readonly Switching[];
  isClosed = false;
  readonly #life: LifeDouble;

  constructor(life: LifeDouble, tick: number, switchings: readonly Switching[]) {
    this.#life = life;
    this.switchings = switchings;
    this.fromTick = tick;
    this.tick = tick;
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
