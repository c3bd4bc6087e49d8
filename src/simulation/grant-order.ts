import { Violation } from './violation.ts';

/**
 * In which order grants came to hold a partition. As a rule epochs tell. But where the store has lost its last
 * writes, a former grant may hold it again; and if its clock was set back as well, it may give an epoch
 * again, or a lower one.
 */
export class GrantOrder {
  #count = 0;
  readonly #orders = new Map<string, number>();
  /** By partition: the highest epoch since the store was lost. */
  readonly #highest = new Map<number, number>();

  /**
   * It holds the partition from now on.
   * @param grant as it is named in the store
   */
  granted(partition: number, grant: string, epoch: number): void {
    const highest = this.#highest.get(partition) ?? 0;
    this.#orders.set(keyOf(nodeOf(grant), partition, epoch), ++this.#count);
    this.#highest.set(partition, Math.max(epoch, highest));
    if (epoch > highest) return;
    throw new Violation('I1', `partition ${partition}: ${grant} has the epoch ${epoch}`);
  }

  /** The number of the last one that was given. */
  get last(): number {
    return this.#count;
  }

  lostTail(): void {
    this.#highest.clear();
  }

  /** Later holders have higher numbers; 0: the store has not given it. */
  of(node: string, partition: number, epoch: number | undefined): number {
    return this.#orders.get(keyOf(node, partition, epoch ?? 0)) ?? 0;
  }
}

function keyOf(node: string, partition: number, epoch: number): string {
  return `${node}/${partition}/${epoch}`;
}

/** A grant is named after its node. */
export function nodeOf(grant: string): string {
  return grant.split(':', 1)[0] ?? '';
}
