import type { RedisStore } from '../../../store/redis/redis-store.ts';
import type { TestTime } from '../../doubles/test-time.ts';

/** A store that several processes use, and its server. */
export interface SharedStore {
  readonly time: TestTime;
  readonly leaseMs: number;
  /** Another process on it, which serves. */
  open(nodeName: string): Promise<RedisStore>;
  /** The clock of the server jumps. */
  jump(ms: number): Promise<void>;
  /** Time passes in the server, and in processes that are paused meanwhile. */
  pass(ms: number): Promise<void>;
  /** The server executes nothing until `resume`. */
  pause(): void;
  resume(): void;
  /** Keeps all data as it is now; `loseTail` goes back to that. */
  keepData(): Promise<void>;
  loseTail(): Promise<void>;
  /** Ends the connections of all processes, which make them again. */
  endConnections(): Promise<void>;
  /** Closes all processes and the server. */
  destroy(): Promise<void>;
}

export type Shared = () => SharedStore;
