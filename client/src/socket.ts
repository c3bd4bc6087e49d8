/** What comes of a connection. Nothing comes after `closed`. */
export interface SocketEvents {
  received(content: string | Uint8Array): void;
  /** `code`: of the WebSocket; 1006 also where it never opened. */
  closed(code: number): void;
}

export interface Socket {
  close(): void;
}

/** The code of a connection that ended without a word. */
export const VANISHED = 1006;

/** Opens a connection. Tests hand in their own. */
export type OpenSocket = (url: string, events: SocketEvents) => Socket;

/** By the WebSocket of the browser or of Node.js. */
export const openWebSocket: OpenSocket = (url, { received, closed }) => {
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    received(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
  });
  let isOver = false;
  const over = (code: number) => {
    if (!isOver) closed(code);
    isOver = true;
  };
  socket.addEventListener('close', ({ code }) => over(code));
  // The WebSocket of Node.js tells of a refused one by an error alone.
  socket.addEventListener('error', () => over(VANISHED));
  return { close: () => socket.close() };
};
