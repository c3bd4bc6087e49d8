import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPCODE_TEXT, tickOf } from './frame-parser.ts';
import { type Server, startEmptyServer } from './server.ts';
import { WatchSocket } from './watch-socket.ts';

let server: Server;

beforeAll(async () => {
  server = await startEmptyServer();
});

afterAll(async () => {
  await server.stop();
});

test.each(['/ws/5000', '/ws/5000/spread'])(
  '%s brings a hello, then snapshots of the wanted length with rising ticks',
  async (path) => {
    const messages: { bytes: number; tick: number }[] = [];
    const socket = await WatchSocket.open(server.url, path, {
      message: (opcode, payload) => {
        messages.push({ bytes: payload.length, tick: tickOf(opcode, payload) });
        expect(opcode).toBe(OPCODE_TEXT);
      },
      closed: () => {},
    });
    await expect.poll(() => messages.length).toBeGreaterThanOrEqual(3);
    socket.close();
    const [hello, first, second] = messages;
    expect(hello?.tick).toBe(-1);
    expect(first?.bytes).toBe(5000);
    expect((second?.tick ?? 0) - (first?.tick ?? 0)).toBe(4);
  },
);

test('a refused upgrade rejects with its status line', async () => {
  const events = { message: () => {}, closed: () => {} };
  await expect(WatchSocket.open(server.url, '/not-modified', events)).rejects.toThrow(
    'the upgrade was refused: HTTP/1.1 304',
  );
});
