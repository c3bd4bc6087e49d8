import { readFileSync } from 'node:fs';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { DialEvents, LinkSocket, LinkTls } from './net.ts';
import { SOCKET_MESSAGE_BYTES_MAX } from './wire.ts';

const READ_BYTES = 256 * 1024;

/** Which certificates of other nodes are accepted. */
export type TrustedCertificates = Pick<
  ClientOptions,
  'ca' | 'allowPartialTrustChain' | 'checkServerIdentity'
>;

/** Throws if the file cannot be read. */
export function trustedCertificates({ certFile, caFile }: LinkTls): TrustedCertificates {
  if (caFile !== undefined) return { ca: readFileSync(caFile) };
  // Whoever has the key of this node's own certificate is one of its nodes, under any name.
  return {
    ca: readFileSync(certFile),
    allowPartialTrustChain: true,
    // Not an error, whatever its type says.
    checkServerIdentity: () => false,
  };
}

/** Dials another node. Throws SyntaxError for an address that is none. */
export function dialWebSocket(
  url: string,
  trusted: TrustedCertificates | undefined,
  events: DialEvents,
): LinkSocket {
  const socket = new WebSocket(url, {
    ...trusted,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: SOCKET_MESSAGE_BYTES_MAX,
    // They keep scripts of a browser from forging what a proxy would keep. This is none.
    generateMask: () => {},
    ...(trusted === undefined ? { createConnection: connectWithBuffer as typeof connect } : {}),
  });
  let reason = 'the other end closed it';
  socket.on('open', () => events.opened());
  socket.on('message', (message, isBinary) => {
    // The library makes Buffers of binary messages unless it is told otherwise.
    if (isBinary && message instanceof Uint8Array) events.message(bytesOf(message));
    else socket.terminate();
  });
  socket.on('error', (error) => {
    reason = error.message;
    // Or else it waits for the other end to close it.
    socket.terminate();
  });
  socket.on('close', () => events.closed(reason));
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(Buffer.from(message), (error) => {
        if (!error) events.drained();
      });
    },
    end: () => socket.terminate(),
  };
}

/**
 * Connects with one buffer for all that is read. The platform would allocate 64 KiB for each read, most of it
 * for nothing: with many frames these were collected all the time. Over TLS there is no such option.
 */
function connectWithBuffer({ host, port }: TcpNetConnectOpts): Socket {
  const socket = connect({
    ...(host === undefined ? { port } : { host, port }),
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(byteCount, buffer) {
        socket.emit('data', Buffer.from(buffer.subarray(0, byteCount)));
        return true;
      },
    },
  });
  return socket;
}

/** Not a Buffer: what is unpacked from it would be Buffers too. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
