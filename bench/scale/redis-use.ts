import type { TestRedis } from '../../src/testing/rigs/redis.ts';

/** What a Redis server has used since it started, and its memory now. */
export interface RedisUse {
  cpuUs: number;
  /** From and to its clients. */
  inBytes: number;
  outBytes: number;
  /** Scripts that clients have called. */
  scripts: number;
  /** In use by its data and connections, now. */
  memoryBytes: number;
}

const PATTERNS: Readonly<Record<keyof RedisUse, readonly RegExp[]>> = {
  cpuUs: [/^used_cpu_user:([\d.]+)/m, /^used_cpu_sys:([\d.]+)/m],
  inBytes: [/^total_net_input_bytes:(\d+)/m],
  outBytes: [/^total_net_output_bytes:(\d+)/m],
  scripts: [/^cmdstat_evalsha:calls=(\d+)/m],
  memoryBytes: [/^used_memory:(\d+)/m],
};
const US_PER_S = 1e6;

export async function useOf(redis: TestRedis): Promise<RedisUse> {
  return readUse(await redis.ask('INFO all'));
}

/** @param info what INFO answers */
export function readUse(info: string): RedisUse {
  const sum = (name: keyof RedisUse) =>
    PATTERNS[name].reduce((total, pattern) => total + Number(pattern.exec(info)?.[1] ?? 0), 0);
  return {
    cpuUs: sum('cpuUs') * US_PER_S,
    inBytes: sum('inBytes'),
    outBytes: sum('outBytes'),
    scripts: sum('scripts'),
    memoryBytes: sum('memoryBytes'),
  };
}

/** What was used between two readings, for each of `count` things. */
export function useEach(before: RedisUse, after: RedisUse, count: number): RedisUse {
  const each = (name: keyof RedisUse) => (after[name] - before[name]) / count;
  return {
    cpuUs: each('cpuUs'),
    inBytes: each('inBytes'),
    outBytes: each('outBytes'),
    scripts: each('scripts'),
    memoryBytes: each('memoryBytes'),
  };
}
