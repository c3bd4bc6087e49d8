import * as uws from 'uWebSockets.js';
import type { LinkListener, LinkSocket, SocketEvents, WebSocketOptions } from './net.ts';
import { SOCKET_MESSAGE_BYTES_MAX } from './wire.ts';

/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second process fails on this port instead of sharing it. */
const LISTEN_EXCLUSIVE = 1;
/** The library would drop messages beyond it; the bounds of the link are far below. */
const BACKPRESSURE_BYTES_MAX = 64 * 2 ** 20;
/** Connections, also those that have not become WebSockets yet: the library ends these after 10 s. */
const CONNECTIONS_MAX = 2000;

type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: uws.us_listen_socket | false) => void,
) => void;

/** What the library keeps with a WebSocket. */
interface Held {
  served?: Served;
}

interface Served {
  socket: ServedSocket;
  events: SocketEvents;
}

/** A WebSocket of the library, which must not be touched once it is closed. */
class ServedSocket implements LinkSocket {
  #socket: uws.WebSocket<Held> | undefined;

  constructor(socket: uws.WebSocket<Held>) {
    this.#socket = socket;
  }

  get bufferedBytes(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  send(message: Uint8Array): void {
    // 2: it was dropped, and the other end would miss it.
    if (this.#socket?.send(message, true) === 2) this.end();
  }

  end(): void {
    this.#socket?.close();
  }

  closed(): void {
    this.#socket = undefined;
  }
}

/** Listens for the WebSockets of other nodes. Throws if it cannot. */
export function listenForLinks(
  options: WebSocketOptions,
  accept: (socket: LinkSocket) => SocketEvents,
): LinkListener {
  const { host, tls } = options;
  const app = appOf(options);
  let count = 0;
  // Told of each connection, and of its end unless it has become a WebSocket.
  const countConnection = (response: uws.HttpResponse, change: number) => {
    count += change < 0 ? -1 : 1;
    if (change > 0 && count > CONNECTIONS_MAX) response.close();
  };
  app.filter(countConnection);
  app.ws<Held>('/', {
    compression: 0,
    maxPayloadLength: SOCKET_MESSAGE_BYTES_MAX,
    maxBackpressure: BACKPRESSURE_BYTES_MAX,
    // The link has pings of its own.
    idleTimeout: 0,
    sendPingsAutomatically: false,
    upgrade: (response, request, context) => {
      response.onAborted(() => {});
      if (request.getHeader('sec-websocket-version') !== '13') {
        response.close();
        return;
      }
      const key = request.getHeader('sec-websocket-key');
      response.upgrade<Held>({}, key, '', '', context);
    },
    open: (socket) => {
      const served = new ServedSocket(socket);
      socket.getUserData().served = { socket: served, events: accept(served) };
    },
    message: (socket, message, isBinary) => {
      const { served } = socket.getUserData();
      // Copied, because the library reuses its memory.
      if (isBinary) served?.events.message(new Uint8Array(message.slice(0)));
      else served?.socket.end();
    },
    drain: (socket) => socket.getUserData().served?.events.drained(),
    close: (socket, code) => {
      count -= 1;
      const { served } = socket.getUserData();
      served?.socket.closed();
      served?.events.closed(`closed with code ${code}`);
    },
  });
  app.any('/*', (response) => {
    response.onAborted(() => {});
    response.close();
  });
  const listener = listen(app, options);
  const port = uws.us_socket_local_port(listener as unknown as uws.us_socket);
  return { url: linkUrl(host, port, tls !== undefined), close: () => void app.close() };
}

/** Where something that listens there is dialled. */
export function linkUrl(host: string, port: number, isSecure: boolean): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${isSecure ? 'wss' : 'ws'}://${name}:${port}`;
}

function appOf({ tls }: WebSocketOptions): uws.TemplatedApp {
  if (tls === undefined) return uws.App();
  const { certFile, keyFile } = tls;
  try {
    return uws.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (cause) {
    throw new Error(`links: cannot use certificate ${certFile} with key ${keyFile}`, { cause });
  }
}

function listen(app: uws.TemplatedApp, { host, port }: WebSocketOptions): uws.us_listen_socket {
  const listenExclusively = app.listen.bind(app) as unknown as Listen;
  let listener: uws.us_listen_socket | false = false;
  listenExclusively(host, port, LISTEN_EXCLUSIVE, (socket) => {
    listener = socket;
  });
  if (listener) return listener;
  throw new Error(`links: cannot listen on ${host}:${port}; is the port in use?`);
}
