import { TwinError } from '../../src/errors.ts';
import { fetchInTime } from './fetch-in-time.ts';
import { frameMessage } from './messages.ts';
import type { Platform } from './platform.ts';
import { ReconnectingStream } from './reconnecting-stream.ts';
import type { OpenSocket } from './socket.ts';
import type { TwinAddress } from './twin-address.ts';
import type { Snapshot } from './types.ts';

/** A stream of frames has 12.5 messages a second. */
const SILENCE_MS = 10_000;

export interface FrameStreamOptions {
  readonly address: TwinAddress;
  readonly encoding: 'json' | 'msgpack';
  readonly platform: Platform;
  readonly openSocket: OpenSocket;
  isGone(): Promise<boolean>;
  /** Called in order of tick: after a reconnect no frame comes again. */
  received(snapshot: Snapshot): void;
  lost?(hasHeard: boolean): void;
  gone(error: TwinError): void;
}

/** The frames of a world, over as many connections as it takes. */
export function openFrameStream(options: FrameStreamOptions): Pick<ReconnectingStream, 'close'> {
  const { address, encoding, platform, openSocket } = options;
  let lastTick = -1;
  return new ReconnectingStream({
    platform,
    openSocket,
    silenceMs: SILENCE_MS,
    url: () => address.stream({ encoding }),
    received(content) {
      const message = frameMessage(content);
      if (message?.type !== 'snapshot' || message.tick <= lastTick) return;
      lastTick = message.tick;
      options.received(message);
    },
    lost: (hasHeard) => options.lost?.(hasHeard),
    isGone: () => options.isGone(),
    gone: () => options.gone(new TwinError('unknown_world')),
  });
}

/** Whether a node says that the world does not exist. */
export async function isWorldGone(address: TwinAddress): Promise<boolean> {
  return await fetchInTime(address.ofWorld(), ({ status }) => status === 404);
}
