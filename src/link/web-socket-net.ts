import { dialWebSocket, type TrustedCertificates, trustedCertificates } from './link-client.ts';
import { listenForLinks } from './link-server.ts';
import type { LinkNet, WebSocketOptions } from './net.ts';

/** Connections as WebSockets, over TLS where that is configured. */
export function webSocketNet(options: WebSocketOptions): LinkNet {
  const { tls } = options;
  const trusted: TrustedCertificates | undefined = tls && trustedCertificates(tls);
  return {
    listen: (accept) => listenForLinks(options, accept),
    dial: (url, events) => dialWebSocket(url, trusted, events),
  };
}
