import type { ChildProcess } from 'node:child_process';
import {
  endProcess,
  NotReadyError,
  readyAddresses,
  spawnServer,
} from '../../src/testing/rigs/process.ts';

export interface NodeUrls {
  dealer: string;
  twin: string;
}

/**
 * The node as a process of its own. It takes other ports at each start: for a minute after its end
 * the system does not give a port that clients were connected to.
 */
export class DevNode {
  readonly #settings: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ready = Promise.withResolvers<NodeUrls>();

  /** @param settings of the environment, beside those of this process */
  constructor(settings: NodeJS.ProcessEnv) {
    this.#settings = { ...settings, TWIN_PORT: '0', DEALER_PORT: '0', OPS_PORT: '0' };
    // However this process ends, the node does not go on alone.
    process.once('exit', () => this.#child?.kill('SIGTERM'));
  }

  /** Resolves while the node serves; while it restarts, or cannot start, it is pending. */
  get ready(): Promise<NodeUrls> {
    return this.#ready.promise;
  }

  /** Resolves with false where the node does not get ready; the process has ended then. */
  async start(): Promise<boolean> {
    this.#child = spawnServer('src/main.ts', this.#settings);
    try {
      const { dealer = '', twin } = await readyAddresses(this.#child);
      this.#ready.resolve({ dealer, twin });
      return true;
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      process.stdout.write(`${error.message}\n`);
      return false;
    }
  }

  async restart(): Promise<boolean> {
    this.#ready = Promise.withResolvers();
    await this.stop();
    return this.start();
  }

  /** Lets the node save and close its store. */
  async stop(): Promise<void> {
    if (this.#child) await endProcess(this.#child, 'SIGTERM');
  }
}
