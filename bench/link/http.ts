/** An empty HTTP handler in the process that answers calls, and requests to it. */
import * as uws from 'uWebSockets.js';

const BODY = Buffer.from('x'.repeat(500));

/** Returns its URL. */
export function serveEmptyHttp(): string {
  let port = 0;
  uws
    .App()
    .get('/', (response) => {
      response.writeHeader('Content-Type', 'application/json').end(BODY);
    })
    .listen('127.0.0.1', 0, (socket) => {
      if (socket) port = uws.us_socket_local_port(socket as unknown as uws.us_socket);
    });
  return `http://127.0.0.1:${port}/`;
}
