import { askOnce, formatRequest } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { WatchSocket } from '../../bench/common/watch-socket.ts';
import { systemTime } from '../../src/time.ts';
import { digestOf, type Shown } from './lived-world.ts';

const TICK = /"tick":(\d+)/;
/** Longer than any answer takes that comes at all. */
const ANSWER_MS_MAX = 8000;

type Read = (url: URL, world: MadeWorld) => Promise<string | undefined>;

const get =
  (pathOf: (world: MadeWorld) => string, headersOf?: (world: MadeWorld) => object): Read =>
  async (url, world) => {
    const headers = { Connection: 'close', ...headersOf?.(world) };
    const { status, body } = await askOnce(url, formatRequest(url, 'GET', pathOf(world), headers));
    return status === 200 ? body.toString() : undefined;
  };

const state = get(({ id }) => `/api/v1/worlds/${id}/state`);

/** Everything that shows a tick. */
const READS: readonly Read[] = [
  get(({ id }) => `/api/v1/worlds/${id}`),
  state,
  get(({ id }) => `/api/v1/worlds/${id}/journal`),
  get(
    () => '/api/v1/vehicle/telemetry',
    ({ vins: [vin = ''] }) => ({ 'X-VIN': vin }),
  ),
  hello,
];

function hello(url: URL, { id }: MadeWorld): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let socket: WatchSocket | undefined;
    let first: string | undefined;
    const end = () => {
      resolve(first);
      socket?.close();
    };
    const events = {
      message: (_: number, payload: Buffer) => {
        first ??= payload.toString();
        end();
      },
      closed: end,
    };
    WatchSocket.open(url, `/ws/worlds/${id}`, events).then((opened) => {
      socket = opened;
      if (first !== undefined) end();
    }, reject);
  });
}

/**
 * Reads worlds one after the other from nodes in turn: the tick of a world must never be lower than in an
 * answer that came before the request was sent.
 */
export class TickReader {
  readCount = 0;
  ticksBack = 0;
  readonly #worlds: readonly MadeWorld[];
  readonly #ticks = new Map<string, number>();
  #shown = new Map<string, Shown[]>();
  #isOver = false;
  #loops: Promise<void>[] = [];

  constructor(worlds: readonly MadeWorld[]) {
    this.#worlds = worlds;
  }

  /** Nodes may die, and come back at other addresses: `nodesOf` tells who is there. */
  start(nodesOf: () => readonly Server[]): void {
    this.#loops = this.#worlds.map((world, i) => this.#loop(world, i, nodesOf));
  }

  async #loop(world: MadeWorld, start: number, nodesOf: () => readonly Server[]): Promise<void> {
    for (let turn = start; !this.#isOver; turn++) {
      const nodes = nodesOf();
      const { url } = nodes[turn % nodes.length] as Server;
      const read = READS[turn % READS.length] as Read;
      const late = systemTime.sleep(ANSWER_MS_MAX).then(() => undefined);
      // A node that dies or stands still answers nothing.
      const text = await Promise.race([read(url, world).catch(() => undefined), late]);
      const tick = Number(TICK.exec(text ?? '')?.[1] ?? Number.NaN);
      if (Number.isNaN(tick)) await systemTime.sleep(10);
      else this.#note(world.id, tick);
      if (read === state && text !== undefined) {
        this.#keep(world.id, { tick, digest: digestOf(Buffer.from(text)) });
      }
    }
  }

  #keep(id: string, shown: Shown): void {
    const kept = this.#shown.get(id) ?? [];
    kept.push(shown);
    this.#shown.set(id, kept);
  }

  /** The states of a world that were answered since the last call. */
  takeShown(id: string): readonly Shown[] {
    const shown = this.#shown.get(id) ?? [];
    this.#shown.delete(id);
    return shown;
  }

  #note(id: string, tick: number): void {
    this.readCount++;
    if (tick < (this.#ticks.get(id) ?? 0)) this.ticksBack++;
    this.#ticks.set(id, tick);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}
