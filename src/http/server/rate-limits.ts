import type { BucketSize, RateLimitSettings } from '../../config.ts';
import type { Time } from '../../time.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import type { Asker } from '../../twin-service.ts';
import { OpenCount } from './open-count.ts';
import { PRICES_US } from './prices.ts';

const LIVING_WORLDS_HINT =
  'You have made too many worlds that still live: use these. Those that nobody uses are deleted.';

/** Of the 64 that may wait for a shard. */
const REPLAYS_OF_ADDRESS = 16;

/** All limits of the front end. All are absent if limits are off. */
export type RateLimits = Partial<ReturnType<typeof limitsOf>>;

/**
 * @param nodeCount among how many nodes the limits of addresses and accounts are divided: each client
 *   may go to all of them; undefined: this one only
 */
export function createRateLimits(
  settings: RateLimitSettings | 'off',
  time: Time,
  nodeCount?: () => number,
): RateLimits {
  return settings === 'off' ? {} : limitsOf(settings, time, nodeCount);
}

function limitsOf(settings: RateLimitSettings, time: Time, nodeCount?: () => number) {
  const buckets = (size: BucketSize) => new TokenBuckets(size, time, { nodeCount });
  /** In µs of processor time: `PRICES_US` says what is taken. */
  const workBuckets = ({ burst, perS }: BucketSize) => {
    const inUs = { burst: burst * 1000, perS: perS * 1000 };
    const unit = { name: ' ms of processor time', size: 1000 };
    return new TokenBuckets(inUs, time, { unit, nodeCount });
  };
  return {
    worlds: buckets(settings.worlds),
    /** Of a VIN: only the node of its world counts them. */
    featureWrites: new TokenBuckets(settings.featureWrites, time),
    misses: buckets(settings.misses),
    work: workBuckets(settings.workMs),
    /** The same for an account of the dealer platform, by its id. */
    accountWork: workBuckets(settings.workMs),
    sockets: new OpenCount(settings.socketsPerAddress, undefined, nodeCount),
    livingWorlds: new OpenCount(settings.livingWorldsPerAddress, LIVING_WORLDS_HINT, nodeCount),
    /** At the shards of this node, whatever others do. */
    replays: new OpenCount(REPLAYS_OF_ADDRESS, 'Wait for the other replays first.'),
    connections: buckets(settings.connections),
    logins: buckets(settings.logins),
    signUps: buckets(settings.signUps),
  };
}

/** A client as it asks for explanations. `work`: undefined if limits are off. */
export function askerOf(work: TokenBuckets | undefined, key: string): Asker {
  return {
    client: key,
    affords: (ticks) => work?.affords(key, PRICES_US.tick * ticks) ?? true,
    spares: (ticks) => work?.spares(key, PRICES_US.tick * ticks) ?? true,
    spend: (ticks) => work?.spend(key, PRICES_US.tick * ticks),
  };
}
