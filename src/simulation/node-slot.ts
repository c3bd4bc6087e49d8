import type { Chance } from './chance.ts';
import type { Machine } from './machine.ts';
import type { RedisRoute } from './redis-route.ts';
import { type NodeEnvironment, SimulatedNode } from './simulated-node.ts';

/** A supervisor starts a process again after this time. */
const RESTART_MS_MIN = 200;
const RESTART_MS_MAX = 1500;

/** A machine on which a node runs, one process after the other. */
export class NodeSlot {
  readonly name: string;
  readonly machine: Machine;
  readonly route: RedisRoute;
  process: SimulatedNode | undefined;
  readonly #environment: Omit<NodeEnvironment, 'machine' | 'route'>;
  readonly #chance: Chance;
  #isWanted = false;

  constructor(
    name: string,
    machine: Machine,
    route: RedisRoute,
    environment: Omit<NodeEnvironment, 'machine' | 'route'>,
  ) {
    this.name = name;
    this.machine = machine;
    this.route = route;
    this.#environment = environment;
    this.#chance = environment.chance;
  }

  get build(): number {
    return this.#environment.build;
  }

  /** Starts a process, and another one whenever one ends. */
  keepRunning(): void {
    this.#isWanted = true;
    if (this.process === undefined) this.#start();
  }

  #start(): void {
    const { machine, route } = this;
    const process = new SimulatedNode(this.name, { ...this.#environment, machine, route });
    this.process = process;
    this.#environment.trace.note('starts', this.name);
    process.main.add(0, () => {
      process.start().then(
        () => this.#environment.trace.note('serves', this.name),
        (error: Error) => {
          this.#environment.trace.say('cannot start', this.name, error.message);
          this.#ended(process);
        },
      );
    });
  }

  /** The process is gone, by whatever way. */
  #ended(process: SimulatedNode): void {
    if (this.process !== process) return;
    this.process = undefined;
    process.crash();
    const pauseMs = this.#chance.between(RESTART_MS_MIN, RESTART_MS_MAX);
    const { macrotasks } = this.machine;
    macrotasks.add(macrotasks.nowMs + pauseMs, () => {
      if (this.#isWanted && this.process === undefined) this.#start();
    });
  }

  /** Ends the process as SIGKILL does. */
  crash(): void {
    if (this.process === undefined) return;
    this.#environment.trace.note('crashes', this.name);
    this.#ended(this.process);
  }

  /** Ends the process as SIGTERM does. */
  stop(): void {
    const { process } = this;
    if (process === undefined) return;
    this.#environment.trace.note('stops', this.name);
    process.main.add(0, () => {
      process.stop().then(
        () => this.#ended(process),
        () => this.#ended(process),
      );
    });
  }
}
