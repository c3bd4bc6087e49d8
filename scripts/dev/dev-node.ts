import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--disable-proto=delete'];
const READY = /^ready dealer=(\S+) twin=(\S+) ops=(\S+)$/;

export interface NodeUrls {
  dealer: string;
  twin: string;
  ops: string;
}

/**
 * The node as a process of its own. It takes other ports at each start: for a minute after its end
 * the system does not give a port that clients were connected to.
 */
export class DevNode {
  readonly #settings: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ready = Promise.withResolvers<NodeUrls>();

  /** @param settings the environment of the process */
  constructor(settings: NodeJS.ProcessEnv) {
    this.#settings = { ...settings, TWIN_PORT: '0', DEALER_PORT: '0', OPS_PORT: '0' };
    // However this process ends, the node does not go on alone.
    process.once('exit', () => this.#child?.kill('SIGTERM'));
  }

  /** Resolves while the node serves; while it restarts, or cannot start, it is pending. */
  get ready(): Promise<NodeUrls> {
    return this.#ready.promise;
  }

  /** Resolves with false where the process ends before the node serves. */
  async start(): Promise<boolean> {
    const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN], {
      env: this.#settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const exited = once(child, 'exit').then(() => undefined);
    const urls = await Promise.race([readyUrls(child), exited]);
    if (urls === undefined) return false;
    this.#ready.resolve(urls);
    return true;
  }

  async restart(): Promise<boolean> {
    this.#ready = Promise.withResolvers();
    await this.stop();
    return this.start();
  }

  /** Lets the node save and close its store. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
}

async function readyUrls({ stdout }: ChildProcess): Promise<NodeUrls | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface(stdout)) {
    const [, dealer, twin, ops] = READY.exec(line) ?? [];
    if (!dealer || !twin || !ops) continue;
    stdout.resume();
    return { dealer, twin, ops };
  }
  return undefined;
}
