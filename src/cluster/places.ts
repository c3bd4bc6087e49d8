import type { Peer, Place } from '../cluster-service.ts';
import type { Link } from '../link/contract.ts';
import type { Time } from '../time.ts';
import { partitionOf } from '../twin/ids.ts';
import type { Member, Members } from './members.ts';
import type { Ranges } from './ranges.ts';

/** A request waits so long for a world whose partition changes hands. */
export const WAIT_FOR_OWNER_MS = 1000;
const LOOK_AGAIN_MS = 20;
/** A partition that is to be had is served soon after. */
const TAKEN_MS = 500;
/** While the store does not answer. */
const STORE_RETRY_MS = 2000;
const HERE: Place = { at: 'here' };

export interface PlacesDependencies {
  ranges: Pick<Ranges, 'isShown' | 'grantOf'>;
  members: Pick<Members, 'all' | 'isCurrent' | 'disown' | 'holderOf' | 'process' | 'silentAtMs'>;
  link: Pick<Link, 'isUp'>;
  leaseMs: number;
  time: Time;
}

/** Which node serves a world. */
export class Places {
  readonly #dependencies: PlacesDependencies;

  constructor(dependencies: PlacesDependencies) {
    this.#dependencies = dependencies;
  }

  /** A world of a node that this one cannot reach is nowhere: others may take it over. */
  of(world: number): Place {
    const { ranges, members, link, time } = this.#dependencies;
    const partition = partitionOf(world);
    const nowMs = time.now();
    if (ranges.isShown(partition, nowMs)) return HERE;
    const holder = ranges.grantOf(partition) ? undefined : members.holderOf(partition);
    if (holder !== undefined && link.isUp(holder.process)) {
      return { at: 'there', peer: peerOf(holder) };
    }
    return { at: 'nowhere', retryMs: this.#retryMs(partition, nowMs) };
  }

  #retryMs(partition: number, nowMs: number): number {
    const { members, leaseMs } = this.#dependencies;
    // Nobody knows when the store will be back.
    if (!members.isCurrent) return STORE_RETRY_MS;
    const leftMs = members.silentAtMs(partition) - nowMs;
    return TAKEN_MS + Math.min(leaseMs, Math.max(0, leftMs));
  }

  /** The node that makes worlds where this one does not: of those that can, the one with the fewest. */
  ofCreation(): Peer | undefined {
    const { members, link } = this.#dependencies;
    const able = members
      .all()
      .filter(
        ({ process, record }) =>
          process !== members.process &&
          !record.isDraining &&
          record.held.partitions.length > 0 &&
          link.isUp(process),
      );
    const [least] = able.toSorted((a, b) => a.record.worldCount - b.record.worldCount);
    return least && peerOf(least);
  }

  /** A node has answered that it does not serve a world. */
  moved(world: number, { process }: Peer): void {
    this.#dependencies.members.disown(partitionOf(world), process);
  }

  /** @param endMs when to stop waiting, by `Time.now` */
  async settled(world: number, endMs = this.waitEndMs()): Promise<Place> {
    const { members, time } = this.#dependencies;
    for (;;) {
      const place = this.of(world);
      const isOver = time.now() >= endMs || !members.isCurrent;
      if (place.at !== 'nowhere' || isOver) return place;
      await time.sleep(LOOK_AGAIN_MS);
    }
  }

  /** Whether this node serves a world. Waits a moment for a partition that it has just taken. */
  isSettledHere(world: number): boolean | Promise<boolean> {
    const { ranges, time } = this.#dependencies;
    const partition = partitionOf(world);
    if (ranges.isShown(partition, time.now())) return true;
    return ranges.grantOf(partition) === undefined ? false : this.#isSettledSoon(partition);
  }

  async #isSettledSoon(partition: number): Promise<boolean> {
    const { ranges, time } = this.#dependencies;
    const endMs = this.waitEndMs();
    while (!ranges.isShown(partition, time.now())) {
      if (ranges.grantOf(partition) === undefined || time.now() >= endMs) return false;
      await time.sleep(LOOK_AGAIN_MS);
    }
    return true;
  }

  /** Until when a request that comes now may wait for its world. */
  waitEndMs(): number {
    return this.#dependencies.time.now() + WAIT_FOR_OWNER_MS;
  }
}

export function peerOf({ process, record }: Member): Peer {
  return { process, twinUrl: record.twinUrl || undefined };
}
