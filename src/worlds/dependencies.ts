import type { City } from '../city/types.ts';
import type { Shard } from '../shard/shard.ts';
import type { Time } from '../time.ts';
import type { OwnedWorld } from './owned-world.ts';
import type { Records } from './records.ts';

/** What a world needs of the node that serves it. */
export interface WorldSurroundings {
  now(): number;
  readonly time: Time;
  readonly city: City;
  readonly cityIndex: number;
  readonly records: Records;
  readonly kernel: string;
  readonly shard: Shard;
  touched(world: OwnedWorld): void;
  nextStay(): number;
  /** Streams of this world must end. */
  endStreams(world: OwnedWorld, code: 1012 | 1013): void;
  /** The world got its first watcher, or lost its last. */
  heated(hot: boolean): void;
  /** What is known of the world is not what the store has: it must be loaded anew. */
  forget(world: OwnedWorld): void;
  warn(world: OwnedWorld, message: string, error: unknown): void;
}
