import { Dice } from '../../src/testing/rigs/dice.ts';
import { FaultyProxy } from '../../src/testing/rigs/faulty-proxy.ts';
import { type StopTimer, systemTime } from '../../src/time.ts';
import type { ClusterNodes } from '../cluster/cluster-nodes.ts';

/** The delay of a proxy changes so often. */
const DELAY_CHANGE_MS = 100;

/** Nodes whose addresses stay: behind each is the node, or while that is gone another one. */
export class NodesBehindProxies {
  readonly nodes: ClusterNodes;
  readonly #proxies: readonly FaultyProxy[];
  readonly #dice = new Dice(1);
  #stops: StopTimer[] = [];
  /** How often all connections through a proxy were ended. */
  dropCount = 0;

  private constructor(nodes: ClusterNodes, proxies: readonly FaultyProxy[]) {
    this.nodes = nodes;
    this.#proxies = proxies;
  }

  static async open(nodes: ClusterNodes): Promise<NodesBehindProxies> {
    const indexes = Array.from({ length: nodes.count }, (_, i) => i);
    const proxies = await Promise.all(
      indexes.map((i) => FaultyProxy.open(nodes.node(i).url.origin)),
    );
    return new NodesBehindProxies(nodes, proxies);
  }

  get origins(): string[] {
    return this.#proxies.map(({ host }) => `http://${host}`);
  }

  /** The stream of a world by the proxy with an index, which counts on beyond the last one. */
  streamOf(world: string, index: number): string {
    const { host } = this.#proxies[index % this.#proxies.length] as FaultyProxy;
    return `ws://${host}/ws/worlds/${world}`;
  }

  /**
   * From now on all that passes is late by a time from 0 to `lateMs` that changes, and the connections of one
   * proxy after the other end.
   * @param dropMs pause between two of these; 0: none end
   */
  disturb({ lateMs, dropMs }: { lateMs: number; dropMs: number }): void {
    const late = () => this.#dice.below(lateMs + 1);
    const delay = () => {
      for (const proxy of this.#proxies) proxy.delay(late());
    };
    if (lateMs > 0) this.#stops.push(systemTime.every(DELAY_CHANGE_MS, delay));
    const drop = () => this.#proxies[this.dropCount++ % this.#proxies.length]?.break();
    if (dropMs > 0) this.#stops.push(systemTime.every(dropMs, drop));
  }

  undisturb(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    for (const proxy of this.#proxies) proxy.delay(0);
  }

  /** Clients of the node come to another one. */
  kill(index: number): void {
    this.nodes.kill(index);
    this.#proxies[index]?.connectTo(this.nodes.nearest(index).url.origin);
  }

  async restart(index: number): Promise<void> {
    await this.nodes.restart(index);
    this.#proxies[index]?.connectTo(this.nodes.node(index).url.origin);
  }

  close(): void {
    this.undisturb();
    for (const proxy of this.#proxies) proxy.close();
  }
}
