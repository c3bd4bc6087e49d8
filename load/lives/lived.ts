/** What runs in a place. A page gets each function as its text, so they use nothing of this file. */
import type { LiveWorld } from '../../client/src/live-world.ts';
import type { WatchedWorld } from '../../client/src/twin-address.ts';
import type { Client } from '../../client/testing/client-page.ts';
import type { Shown } from './shown.ts';

declare const client: Client;
declare global {
  /** By id of the world. */
  var lives: Map<string, Lived>;
}

/** A change that came late: by so many ticks, and how far the car moved that it moved most. */
export interface Jump {
  ticks: number;
  m: number;
}

interface Lived {
  live: LiveWorld;
  /** Events by type, and states. */
  told: Record<string, number>;
  differences: string[];
  shown: Shown[];
  jumps: Jump[];
}

/** How a world stands in a place. */
export interface Standing {
  id: string;
  state: string;
  /** The one that it has come to. */
  tick: number;
}

/** Makes room for worlds in a place. */
export function begin(): void {
  globalThis.lives = new Map();
}

export interface Joining extends WatchedWorld {
  /** Whether it is measured how far cars jump, for which each tick is drawn: that takes its time. */
  isMeasured: boolean;
}

/** Opens a world in a place. */
export function join({ id, stream_url, isMeasured }: Joining): void {
  const live = new client.LiveWorld({ id, stream_url });
  const lived: Lived = { live, told: {}, differences: [], shown: [], jumps: [] };
  globalThis.lives.set(id, lived);
  let last = live.snapshot();
  const rolledBack = (ticks: number) => {
    const now = live.snapshot();
    const before = last?.tick === now?.tick ? last?.vehicles : undefined;
    last = now;
    const moved = now?.vehicles.map(({ x, y }, car) =>
      Math.hypot(x - (before?.[car]?.x ?? x), y - (before?.[car]?.y ?? y)),
    );
    if (before && moved) lived.jumps.push({ ticks, m: Math.max(...moved) });
  };
  live.subscribe((event) => {
    const name = event.type === 'state' ? event.state : event.type;
    lived.told[name] = (lived.told[name] ?? 0) + 1;
    if (event.type === 'difference') lived.differences.push(event.reason);
    if (event.type === 'rollback' && isMeasured) rolledBack(event.ticks);
  });
  const follow = async () => {
    for await (const snapshot of live.snapshots({ everyTick: true })) last = snapshot;
  };
  if (isMeasured) void follow();
}

/** Notes what is shown at this moment of all worlds that are certain of it; returns of how many. */
export function look(): number {
  let count = 0;
  for (const { live, shown } of globalThis.lives.values()) {
    const { world, serverTick, state } = live;
    const isCertain = state === 'live' || state === 'verified';
    if (world && serverTick !== undefined && isCertain) {
      shown.push({ tick: world.tick, hash: world.hash(), serverTick, seq: world.seq });
      count++;
    }
  }
  return count;
}

export function standings(): Standing[] {
  return [...globalThis.lives].map(([id, { live }]) => {
    const { tick = -1 } = live.world ?? {};
    return { id, state: live.state, tick };
  });
}

/**
 * Has what lies before the first state that the node has sent lived here too. Returns the first tick that is known
 * then: 0, unless that has led elsewhere.
 */
export async function knowWholeLife(id: string): Promise<number> {
  const live = globalThis.lives.get(id)?.live;
  await live?.knowWholeLife();
  return live?.world?.firstTick ?? Number.POSITIVE_INFINITY;
}

/** The hashes of a world at ticks, in their order; empty for those that are not known in this place. */
export function hashesOf({ id, ticks }: { id: string; ticks: readonly number[] }): string[] {
  const world = globalThis.lives.get(id)?.live.world;
  return ticks.map((tick) =>
    world && tick >= world.firstTick && tick <= world.tick ? world.at(tick).hash : '',
  );
}

/**
 * What was shown of a world beside what it has turned out to be, and what was told of it. What was shown of ticks
 * that are not known here does not count.
 */
export function found(id: string) {
  const { live, told, differences, shown, jumps } = globalThis.lives.get(id) as Lived;
  const { world } = live;
  const known = shown
    .filter(({ tick }) => world && tick >= world.firstTick && tick <= world.tick)
    .sort((one, other) => one.tick - other.tick);
  const wrong = known.filter(({ tick, hash }) => world?.at(tick).hash !== hash);
  return { told, differences, shownCount: known.length, wrong, jumps };
}

export function leave(): void {
  for (const { live } of globalThis.lives.values()) live.close();
  globalThis.lives.clear();
}
