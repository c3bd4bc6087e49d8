import { readFileSync } from 'node:fs';
import { type ClientOptions, WebSocket } from 'ws';
import type { DialEvents, LinkSocket, LinkTls } from './net.ts';
import { SOCKET_MESSAGE_BYTES_MAX } from './wire.ts';

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
      socket.send(message, (error) => {
        if (!error) events.drained();
      });
    },
    end: () => socket.terminate(),
  };
}

/** Not a Buffer: what is unpacked from it would be Buffers too. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
