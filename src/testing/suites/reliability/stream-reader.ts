import { decode } from '@msgpack/msgpack';
import { expect } from 'vitest';
import { FRAME_TICKS } from '../../../../assembly/layout.ts';
import { OPCODE_BINARY } from '../../../../bench/common/frame-parser.ts';
import { WatchSocket } from '../../../../bench/common/watch-socket.ts';
import { until } from '../../rigs/until.ts';
import { tickOf } from './client.ts';

/** A stream of a world and all that came over it. */
export class StreamReader {
  /** Snapshots as they were sent, in order of arrival; those in MessagePack as JSON. */
  readonly snapshots: string[] = [];
  hello: { tick: number; fleet: unknown[] } | undefined;
  /** Undefined while the stream is open. */
  closeCode: number | undefined;
  #socket: WatchSocket | undefined;

  /** Rejects with the status line where the upgrade is refused. */
  static async open(
    base: string,
    world: { id: string },
    encoding: 'json' | 'msgpack' = 'json',
  ): Promise<StreamReader> {
    const reader = new StreamReader();
    const path = `/ws/worlds/${world.id}?encoding=${encoding}`;
    reader.#socket = await WatchSocket.open(new URL(base), path, {
      message: (opcode, payload) =>
        reader.#receive(
          opcode === OPCODE_BINARY ? JSON.stringify(decode(payload)) : payload.toString(),
        ),
      closed: (code) => {
        reader.closeCode = code;
      },
    });
    return reader;
  }

  #receive(text: string): void {
    if (this.hello === undefined) this.hello = JSON.parse(text);
    else this.snapshots.push(text);
  }

  get ticks(): number[] {
    return this.snapshots.map(tickOf);
  }

  get lastTick(): number {
    return tickOf(this.snapshots.at(-1) ?? '');
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#socket?.close();
  }
}

/** Waits for so many more frames on each stream; throws if one is closed. */
export async function moreFrames(readers: readonly StreamReader[], count: number): Promise<void> {
  const wanted = readers.map(({ snapshots }) => snapshots.length + count);
  await until(`${count} more frames`, () => {
    const closed = readers.flatMap(({ closeCode }) => closeCode ?? []);
    if (closed.length > 0) throw new Error(`streams were closed: ${closed.join(', ')}`);
    return readers.every(({ snapshots }, i) => snapshots.length >= (wanted[i] ?? 0));
  });
}

/** Each of these streams has shown every frame between its first and its last, once and in order. */
export function expectEveryFrame(readers: readonly StreamReader[]): void {
  for (const { ticks } of readers) {
    const [first = Number.NaN] = ticks;
    expect(ticks).toEqual(ticks.map((_, i) => first + i * FRAME_TICKS));
  }
}
