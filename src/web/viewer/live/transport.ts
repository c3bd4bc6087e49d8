import { decode } from '@msgpack/msgpack';
import { RequestError } from '../../common/request.ts';
import { readState, readWorld } from '../api/twin.ts';
import type { Hello, Snapshot } from '../api/types.ts';
import type { Socket, Transport, WorldAnswer } from './connection.ts';

const CHANCES = 2 ** 32;

/** The browser's network and clock, for one world. */
export function browserTransport(world: string): Transport {
  return {
    openSocket: () => openSocket(world),
    checkWorld: () => readWorld(world).then(() => 'there' as const, failed),
    readState: () => readState(world).catch(failed),
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / CHANCES,
  };
}

function failed(error: unknown): Exclude<WorldAnswer, 'there'> {
  return error instanceof RequestError && error.status === 404 ? 'gone' : 'unavailable';
}

function openSocket(world: string): Socket {
  const origin = location.origin.replace(/^http/, 'ws');
  const stream = new WebSocket(`${origin}/ws/worlds/${world}?encoding=msgpack`);
  stream.binaryType = 'arraybuffer';
  const socket: Socket = { onmessage: null, onclose: null, close: () => stream.close() };
  stream.onmessage = ({ data }) => socket.onmessage?.(decode(data) as Hello | Snapshot);
  stream.onclose = ({ code }) => socket.onclose?.(code);
  return socket;
}
