import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CityNames } from '../city/names.ts';
import type { KernelOptions } from '../kernel/kernel.ts';
import type { ShardPort } from './protocol.ts';
import { frameMemory, type WorldEncoder, worldEncoder } from './world-encoder.ts';

/** What a shard's host needs of the thread in which it runs. */
export interface HostThread<Port extends ShardPort = MessagePort> {
  kernelOf(wasm: Uint8Array): KernelOptions['module'];
  encoderOf(world: number, city: CityNames): WorldEncoder;
  /** Memory that its encoders write to and other threads read. It need not be given back. */
  frameMemory(bytes: number): Uint8Array<SharedArrayBuffer>;
  /** Takes a message that has arrived at a port and was not handled yet. */
  receive(port: Port): { message: unknown } | undefined;
  /** Processor time that the thread has used, ms. */
  workedMs(): number;
}

/** A thread of Node.js. */
export const nodeThread: HostThread = {
  kernelOf: (wasm) => new WebAssembly.Module(wasm),
  encoderOf: worldEncoder,
  frameMemory,
  receive: receiveMessageOnPort,
  workedMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};
