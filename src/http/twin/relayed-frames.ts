import type { WorldFrame } from '../../twin-service.ts';
import type { Fanout } from './fanout.ts';

/** A world that has moved sends up to a second of frames at once. */
const QUEUED_MAX = 16;

/**
 * Publishes the frames of worlds of other nodes. Those nodes do not wait until frames are delivered, as
 * shards do. So the frames of a world queue here, and where too many do, the oldest are dropped.
 */
export class RelayedFrames {
  readonly #fanout: Pick<Fanout, 'publish'>;
  /** Of each world with a frame under delivery: the frames after it. */
  readonly #queues = new Map<number, WorldFrame[]>();

  constructor(fanout: Pick<Fanout, 'publish'>) {
    this.#fanout = fanout;
  }

  publish(frames: readonly WorldFrame[]): void {
    this.#deliver(frames.filter((frame) => this.#isNext(frame)));
  }

  /** Otherwise the frame is queued. */
  #isNext(frame: WorldFrame): boolean {
    const queue = this.#queues.get(frame.world.number);
    if (queue === undefined) {
      this.#queues.set(frame.world.number, []);
      return true;
    }
    if (queue.push(frame) > QUEUED_MAX) queue.shift();
    return false;
  }

  #deliver(frames: readonly WorldFrame[]): void {
    if (frames.length > 0) this.#fanout.publish(frames, () => this.#delivered(frames));
  }

  #delivered(frames: readonly WorldFrame[]): void {
    const next: WorldFrame[] = [];
    for (const { world } of frames) {
      const frame = this.#queues.get(world.number)?.shift();
      if (frame === undefined) this.#queues.delete(world.number);
      else next.push(frame);
    }
    this.#deliver(next);
  }
}
