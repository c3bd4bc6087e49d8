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
    for (const frame of frames) {
      const queue = this.#queues.get(frame.world.number);
      if (queue === undefined) this.#deliver(frame);
      else if (queue.push(frame) > QUEUED_MAX) queue.shift();
    }
  }

  #deliver(frame: WorldFrame): void {
    const { number } = frame.world;
    let isDelivered = false;
    this.#fanout.publish([frame], () => {
      isDelivered = true;
      this.#deliverNext(number);
    });
    // As a rule it is delivered at once.
    if (!isDelivered && !this.#queues.has(number)) this.#queues.set(number, []);
  }

  #deliverNext(number: number): void {
    const next = this.#queues.get(number)?.shift();
    if (next === undefined) this.#queues.delete(number);
    else this.#deliver(next);
  }
}
