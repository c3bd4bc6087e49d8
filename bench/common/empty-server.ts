/**
 * The reference for servers: uWebSockets.js with handlers that send prepared bytes and do nothing
 * else. Runs as a process of its own and prints the ready line of a node.
 *
 * GET /bytes/{n}          200 with n bytes
 * GET /not-modified       304
 * any /accept/{n}         reads the body, then 200 with n bytes
 * POST /api/v1/worlds     201 with a world that has only an id
 * /ws/{n}                 a hello, then a snapshot of n bytes a frame, to all at once
 * /ws/{n}/spread          the same, but to a few at a time, as a node does
 */

import * as uws from 'uWebSockets.js';
import { systemTime } from '../../src/time.ts';

const FRAME_MS = 80;
const FRAME_TICKS = 4;
/** Times of a frame at which a part of the spread streams is sent theirs. */
const SLOTS = 20;
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const WORLD = Buffer.from('{"id":"0000000000"}');

interface Watcher {
  bytes: number;
  /** All that are sent a frame at the same time. */
  among: Set<Socket>;
}

const bodies = new Map<number, Buffer>();
type Socket = uws.WebSocket<Watcher>;
const watchers = new Set<Socket>();
const spread: readonly Set<Socket>[] = Array.from({ length: SLOTS }, () => new Set());

function bodyOf(sizeText: string | undefined): Buffer {
  const bytes = Math.min(Math.max(Number(sizeText) || 0, 2), BODY_BYTES_MAX);
  const body = bodies.get(bytes) ?? Buffer.from(`"${'x'.repeat(bytes - 2)}"`);
  bodies.set(bytes, body);
  return body;
}

function snapshotOf(bytes: number, tick: number): Buffer {
  const start = `{"type":"snapshot","world":"0000000000","tick":${tick},"vehicles":"`;
  return Buffer.from(`${start}${'x'.repeat(Math.max(0, bytes - start.length - 2))}"}`);
}

function answerAfterBody(res: uws.HttpResponse, status: string, body: Buffer): void {
  res.onAborted(() => {});
  res.onData((_chunk, isLast) => {
    if (!isLast) return;
    res.cork(() => {
      res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(body);
    });
  });
}

let tick = 0;
systemTime.every(FRAME_MS, () => {
  tick += FRAME_TICKS;
  publish(watchers);
});

function publish(to: Iterable<Socket>): void {
  const frames = new Map<number, Buffer>();
  for (const watcher of to) {
    const { bytes } = watcher.getUserData();
    const frame = frames.get(bytes) ?? snapshotOf(bytes, tick);
    frames.set(bytes, frame);
    watcher.send(frame, false);
  }
}

let isSpreading = false;
let slot = 0;
/** The slot with the fewest streams; the timer runs only where it is needed. */
function nextSlot(): Set<Socket> {
  if (!isSpreading) {
    isSpreading = true;
    systemTime.every(FRAME_MS / SLOTS, () => {
      slot = (slot + 1) % SLOTS;
      publish(spread[slot] ?? []);
    });
  }
  return spread.reduce((least, each) => (each.size < least.size ? each : least));
}

/** A stream; `among` finds the others that are sent a frame together with it. */
function streams(among: () => Set<Socket>): uws.WebSocketBehavior<Watcher> {
  return {
    upgrade: (res, req, context) => {
      res.upgrade<Watcher>(
        { bytes: Number(req.getParameter(0)), among: among() },
        req.getHeader('sec-websocket-key'),
        req.getHeader('sec-websocket-protocol'),
        req.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open: (watcher) => {
      watcher.send('{"type":"hello"}', false);
      watcher.getUserData().among.add(watcher);
    },
    close: (watcher) => {
      watcher.getUserData().among.delete(watcher);
    },
  };
}

uws
  .App()
  .get('/bytes/:bytes', (res, req) => {
    const body = bodyOf(req.getParameter(0));
    res.writeHeader('Content-Type', 'application/json').end(body);
  })
  .get('/not-modified', (res) => {
    res.writeStatus('304 Not Modified').endWithoutBody();
  })
  .post('/api/v1/worlds', (res) => answerAfterBody(res, '201 Created', WORLD))
  .any('/accept/:bytes', (res, req) => {
    answerAfterBody(res, '200 OK', bodyOf(req.getParameter(0)));
  })
  .ws<Watcher>(
    '/ws/:bytes',
    streams(() => watchers),
  )
  .ws<Watcher>('/ws/:bytes/spread', streams(nextSlot))
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) throw new Error('no port to listen on');
    console.log(`ready twin=http://127.0.0.1:${uws.us_socket_local_port(socket)}`);
  });

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
