import { TICK_MS } from '../../assembly/layout.ts';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Server } from '../../bench/common/server.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';

const TICK = /"tick":(\d+)/;
/** Nearly a tick, so that ticks are asked for at all their phases. */
const PAUSE_MS_MAX = 19;

/**
 * Between which bounds the clock of a node is ahead of this process: by what it answers that the tick of
 * one of its worlds is. Every answer narrows them.
 */
export class ClockBounds {
  atLeastMs = Number.NEGATIVE_INFINITY;
  atMostMs = Number.POSITIVE_INFINITY;

  /** The world was at this tick at some time after it was asked for and before the answer came. */
  add(createdAtMs: number, tick: number, askedMs: number, answeredMs: number): void {
    const beginMs = createdAtMs + tick * TICK_MS;
    this.atLeastMs = Math.max(this.atLeastMs, beginMs - answeredMs);
    this.atMostMs = Math.min(this.atMostMs, beginMs + TICK_MS - askedMs);
  }

  get middleMs(): number {
    return (this.atLeastMs + this.atMostMs) / 2;
  }
}

/** A node, and a world that it has itself. */
export interface Asked {
  node: Server;
  world: MadeWorld;
}

/** Asks all nodes in turn, at random times, for so long. */
export async function clockBounds(asked: readonly Asked[], ms: number): Promise<ClockBounds[]> {
  const dice = new Dice(1);
  const endMs = systemTime.now() + ms;
  const pools = await Promise.all(asked.map(({ node }) => HttpPool.open(node.url, 1)));
  const bounds = asked.map(() => new ClockBounds());
  while (systemTime.now() < endMs) {
    for (const [i, { node, world }] of asked.entries()) {
      const get = formatRequest(node.url, 'GET', `/api/v1/worlds/${world.id}/state`);
      const askedMs = systemTime.now();
      const answer = await pools[i]?.ask(get);
      const tick = Number(TICK.exec(answer?.body.toString() ?? '')?.[1]);
      bounds[i]?.add(world.createdAtMs, tick, askedMs, systemTime.now());
    }
    await systemTime.sleep(dice.below(PAUSE_MS_MAX));
  }
  for (const pool of pools) pool.close();
  return bounds;
}
