import type { City } from '../city/types.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { Shard } from '../shard/shard.ts';
import type { Slices } from '../slices.ts';
import type { Time } from '../time.ts';
import type { LockstepMessage } from '../twin/lockstep.ts';
import type { StreamEnd, TickBudget, World } from '../twin-service.ts';
import type { CatchUps } from './catch-ups.ts';
import type { IdleIndex } from './idle-index.ts';
import type { KeptStates } from './kept-states.ts';
import type { Records } from './records.ts';

/** The node's worlds, as one world uses them. */
export interface WorldOwner {
  /** Called when a world of this shard gets its first watcher or loses its last one. */
  hotChanged(shard: Shard, isHot: boolean): void;
  /** Tells those who live a world of their own, in lockstep, of a message. */
  tell(world: World, message: LockstepMessage): void;
  /** Ends the streams of a world. */
  endStreams(world: World, why: StreamEnd): void;
  /** Drops a world object that contradicts the store. The next request loads the world again. */
  forget(world: World): Promise<void>;
}

/** Shared by all worlds of one city on one shard. */
export interface WorldDependencies {
  readonly clock: Clock;
  readonly time: Time;
  readonly random: Random;
  readonly slices: Slices;
  readonly log: Log;
  readonly records: Records;
  /** Identity of this node's kernel. */
  readonly kernel: string;
  readonly shard: Shard;
  readonly city: City;
  readonly cityIndex: number;
  readonly idle: IdleIndex;
  readonly owner: WorldOwner;
  readonly keptStates: KeptStates;
  readonly catchUps: CatchUps;
  /** What a world may have stepped for explanations without a client that pays; by its number. */
  readonly explanationBudget: (world: number) => TickBudget;
  /** Whether this node may show the world now: it holds the partition, as far as it knows. */
  readonly isShown: () => boolean;
  /** Whether this node gives its worlds to others. */
  readonly isDraining: () => boolean;
}
