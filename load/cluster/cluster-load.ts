import { HttpPool } from '../../bench/common/http-pool.ts';
import { openLoop, type Sender } from '../../bench/common/loops.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { CarChanges } from './car-changes.ts';
import { type Agreement, beginChanges, checkAgreement } from './checks.ts';
import type { ClusterNodes } from './cluster-nodes.ts';
import { TickReader } from './tick-reader.ts';
import { type StaleFrame, WorldWatcher } from './world-watcher.ts';

export type { Agreement };

const CONNECTIONS = 32;

export interface Watched {
  /** The longest time without a frame since `begin`: of the clients of other nodes, and of one node. */
  servedMs: number;
  reconnectedMs: number;
  /** Streams that have ended at other nodes since the last call. */
  endedStreams: number;
}

/** The clients of a cluster: every world is watched at every node, read everywhere, and changed. */
export class ClusterLoad {
  readonly nodes: ClusterNodes;
  readonly changes: CarChanges;
  readonly reader: TickReader;
  readonly #worlds: readonly MadeWorld[];
  /** By node. */
  readonly #watchers: readonly WorldWatcher[][];

  static async start(nodes: ClusterNodes, worlds: readonly MadeWorld[]): Promise<ClusterLoad> {
    const load = new ClusterLoad(nodes, worlds);
    await Promise.all(load.#watchers.flat().map((watcher) => watcher.open()));
    load.reader.start(() => nodes.living);
    return load;
  }

  private constructor(nodes: ClusterNodes, worlds: readonly MadeWorld[]) {
    this.nodes = nodes;
    this.#worlds = worlds;
    this.changes = new CarChanges(worlds);
    this.reader = new TickReader(worlds);
    const newest = new Map<string, number>();
    this.#watchers = Array.from({ length: nodes.count }, (_, index) =>
      worlds.map(({ id }) => new WorldWatcher(id, newest, () => nodes.nearest(index))),
    );
  }

  /** From now on counts what is acknowledged, after what the journals have. */
  beginChanges(): Promise<void> {
    return beginChanges(this.nodes.nearest(0), this.#worlds, this.changes);
  }

  /** Changes cars by these nodes in turn until the result is called. */
  async change(nodes: readonly Server[], ratePerS: number): Promise<() => Promise<void>> {
    await this.beginChanges();
    const pools = await Promise.all(nodes.map(({ url }) => HttpPool.open(url, CONNECTIONS)));
    let turn = 0;
    const sender: Sender = {
      send: (request, answered) => pools[turn++ % pools.length]?.send(request, answered),
    };
    const over = new AbortController();
    const { request, answered } = this.changes;
    const plan = { request, answered, ratePerS, seconds: Number.POSITIVE_INFINITY };
    const changing = openLoop(sender, plan, over.signal);
    return async () => {
      over.abort();
      await changing;
      for (const pool of pools) pool.close();
    };
  }

  /** Measures from now on. */
  begin(): void {
    for (const watcher of this.#watchers.flat()) watcher.begin();
  }

  /** Frames whose tick went back. */
  get ticksBack(): number {
    return this.#watchers.flat().reduce((sum, each) => sum + each.ticksBack, 0);
  }

  /** Frames that came later than they may; see `expectFresh`. */
  get stale(): readonly StaleFrame[] {
    return this.#watchers.flat().flatMap(({ stale }) => stale);
  }

  /** From a time on until `check`, nobody must get frames that are far behind those of others. */
  expectFresh(fromMs: number): void {
    for (const watcher of this.#watchers.flat()) watcher.expectFresh(fromMs);
  }

  /** Ticks that went back, in frames and in answers. */
  get ticksBackOfAll(): number {
    return this.ticksBack + this.reader.ticksBack;
  }

  /** @param victim the node that is not among the others, where there is one */
  watched(victim = -1): Watched {
    const others = this.#watchers.filter((_, index) => index !== victim).flat();
    const gapOf = (watchers: readonly WorldWatcher[]) =>
      Math.max(...watchers.map(({ largestGapMs }) => largestGapMs));
    const ends = this.#watchers.map((of) => of.reduce((sum, each) => sum + each.takeEndCount(), 0));
    return {
      servedMs: gapOf(others),
      reconnectedMs: gapOf(this.#watchers[victim] ?? []),
      endedStreams: ends.reduce((sum, count, index) => sum + (index === victim ? 0 : count), 0),
    };
  }

  /** The clients of a node that was killed connect to it again. */
  reopen(index: number): void {
    for (const watcher of this.#watchers[index] ?? []) watcher.reopen();
  }

  /** What was shown until now is not compared. */
  forgetShown(): void {
    for (const watcher of this.#watchers.flat()) watcher.takeShown();
    for (const { id } of this.#worlds) this.reader.takeShown(id);
  }

  /** Compares nodes with each other, and with what clients have got. */
  check(nodes: readonly Server[]): Promise<Agreement> {
    // While worlds are lived here, frames wait to be read.
    this.expectFresh(Number.POSITIVE_INFINITY);
    const byWorld = Map.groupBy(this.#watchers.flat(), ({ world }) => world);
    return checkAgreement(nodes, this.#worlds, this.changes, (id) => [
      ...(byWorld.get(id) ?? []).flatMap((watcher) => watcher.takeShown()),
      ...this.reader.takeShown(id),
    ]);
  }

  async end(): Promise<void> {
    for (const watcher of this.#watchers.flat()) watcher.close();
    await this.reader.stop();
  }
}
