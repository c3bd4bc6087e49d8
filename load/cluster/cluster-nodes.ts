import { metricOf, untilBalanced } from '../../bench/common/cluster.ts';
import { type Server, startNodeOn } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';

type Settings = Readonly<Record<string, string>>;

/** Nodes on one Redis, in processes of their own, that end and come back. */
export class ClusterNodes {
  readonly #dir: string;
  readonly #settingsOf: (index: number) => Settings;
  readonly #all: Server[] = [];
  readonly #gone = new Set<number>();

  private constructor(dir: string, settingsOf: (index: number) => Settings) {
    this.#dir = dir;
    this.#settingsOf = settingsOf;
  }

  /** @param settingsOf those that differ from what every load sets */
  static async start(
    count: number,
    dir: string,
    settingsOf: (index: number) => Settings,
  ): Promise<ClusterNodes> {
    const nodes = new ClusterNodes(dir, settingsOf);
    try {
      for (let i = 0; i < count; i++) nodes.#all.push(await nodes.#start(i));
      return nodes;
    } catch (error) {
      await nodes.end();
      throw error;
    }
  }

  #start(index: number): Promise<Server> {
    const named = { NODE_NAME: `node-${index}`, LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' };
    return startNodeOn(this.#dir, { settings: { ...named, ...this.#settingsOf(index) } });
  }

  get count(): number {
    return this.#all.length;
  }

  node(index: number): Server {
    const node = this.#all[index];
    if (node === undefined) throw new RangeError(`there is no node ${index}`);
    return node;
  }

  /** Those that are neither killed, stopped nor ended. */
  get living(): readonly Server[] {
    return this.#all.filter((_, index) => !this.#gone.has(index));
  }

  /** The node, or where it is gone the next one that lives. */
  nearest(index: number): Server {
    return this.#gone.has(index) ? this.nearest((index + 1) % this.count) : this.node(index);
  }

  kill(index: number): void {
    this.#gone.add(index);
    process.kill(this.#pid(index), 'SIGKILL');
  }

  /** Halts a process until it is continued. */
  stop(index: number): void {
    this.#gone.add(index);
    process.kill(this.#pid(index), 'SIGSTOP');
  }

  continue(index: number): void {
    process.kill(this.#pid(index), 'SIGCONT');
    this.#gone.delete(index);
  }

  /** Starts a node that is gone again, at other ports unless its settings fix them. */
  async restart(index: number): Promise<void> {
    await this.node(index).stop();
    this.#all[index] = await this.#start(index);
    this.#gone.delete(index);
  }

  /** Starts one more node. */
  async add(): Promise<void> {
    this.#all.push(await this.#start(this.count));
  }

  /** Ends a node as operators do. Resolves to how long it took, ms. */
  async terminate(index: number): Promise<number> {
    const startMs = systemTime.now();
    this.#gone.add(index);
    await this.node(index).stop();
    return systemTime.now() - startMs;
  }

  #pid(index: number): number {
    const { pid } = this.node(index);
    if (pid === undefined) throw new Error(`node ${index} has no process`);
    return pid;
  }

  /** Partitions that each living node holds, and those that all have lost. */
  async held(): Promise<number[]> {
    return metricOf(this.living, 'twin_partitions_held');
  }

  /** Of some nodes: those that were given up do not count. */
  async lostPartitions(of: readonly Server[]): Promise<number> {
    return (await metricOf(of, 'twin_partitions_lost_total')).reduce((a, b) => a + b, 0);
  }

  untilBalanced(): Promise<void> {
    return untilBalanced(this.living);
  }

  async end(): Promise<void> {
    for (const index of this.#all.keys()) {
      // One that was killed is no process any more.
      if (this.#gone.has(index)) await this.#wake(index);
    }
    await Promise.all(this.#all.map((node) => node.stop()));
  }

  async #wake(index: number): Promise<void> {
    try {
      this.continue(index);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
