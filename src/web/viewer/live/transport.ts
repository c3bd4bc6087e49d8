import { decode } from '@msgpack/msgpack';
import { pageSetting } from '../../common/page-setting.ts';
import { RequestError } from '../../common/request.ts';
import { readState, readWorld } from '../api/twin.ts';
import type { Hello, Snapshot } from '../api/types.ts';
import type { Socket, Transport, WorldAnswer } from './connection.ts';
import { StreamAddress } from './stream-address.ts';

const CHANCES = 2 ** 32;
/** The code of a stream that could not be opened. */
const CLOSED_ABNORMALLY = 1006;

/** The browser's network and clock, for one world. */
export function browserTransport(world: string): Transport {
  const here = `${location.origin.replace(/^http/, 'ws')}/ws/worlds/${world}`;
  const ofNode = async () => (await readWorld(world)).stream_url;
  const address = new StreamAddress({ here, ofNode });
  const hasNodeUrls = pageSetting('streams') !== '';
  return {
    openSocket: () => (hasNodeUrls ? openAt(address) : openHere(here)),
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

function openHere(here: string): Socket {
  const socket = newSocket();
  connect(here, socket, () => {});
  return socket;
}

/** Opens a socket once its address is known. */
function openAt(address: StreamAddress): Socket {
  const socket = newSocket();
  let isClosed = false;
  socket.close = () => {
    isClosed = true;
  };
  const open = (url: string) => {
    const failed = () => address.failed(url);
    try {
      if (!isClosed) connect(url, socket, failed);
    } catch {
      // A page of https may not open ws.
      failed();
      socket.onclose?.(CLOSED_ABNORMALLY);
    }
  };
  address.next().then(open, () => socket.onclose?.(CLOSED_ABNORMALLY));
  return socket;
}

function newSocket(): Socket {
  return { onmessage: null, onclose: null, close: () => {} };
}

/** @param failed called if the stream ends without a message */
function connect(url: string, socket: Socket, failed: () => void): void {
  const stream = new WebSocket(`${url}?encoding=msgpack`);
  let isSilent = true;
  stream.binaryType = 'arraybuffer';
  socket.close = () => stream.close();
  stream.onmessage = ({ data }) => {
    isSilent = false;
    socket.onmessage?.(decode(data) as Hello | Snapshot);
  };
  stream.onclose = ({ code }) => {
    if (isSilent) failed();
    socket.onclose?.(code);
  };
}
