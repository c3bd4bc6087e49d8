import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Binary } from './build.ts';

export interface Timed {
  /** Processor time. */
  ns: number;
  /** Of all worlds together. */
  hash: bigint;
}

/** A native kernel in a process of its own, idle between visits. */
export class NativeKernel {
  readonly name: string;
  readonly sameBits: boolean;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor({ name, sameBits, path }: Binary, worldsFile: string) {
    this.name = name;
    this.sameBits = sameBits;
    this.#child = spawn(path, [worldsFile], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.#child.stdout) throw new Error('the kernel has no standard output');
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** The first answer, to be read before any visit. */
  aged(): Promise<Timed> {
    return this.#answer();
  }

  visit(count: number): Promise<Timed> {
    this.#child.stdin?.write(`${count}\n`);
    return this.#answer();
  }

  end(): void {
    this.#child.kill();
  }

  async #answer(): Promise<Timed> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.name} ended early`);
    const [ns, hash] = value.split(' ');
    return { ns: Number(ns), hash: BigInt(hash ?? '') };
  }
}
