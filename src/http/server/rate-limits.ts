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

export function createRateLimits(settings: RateLimitSettings | 'off', time: Time): RateLimits {
  return settings === 'off' ? {} : limitsOf(settings, time);
}

function limitsOf(settings: RateLimitSettings, time: Time) {
  return {
    worlds: new TokenBuckets(settings.worlds, time),
    featureWrites: new TokenBuckets(settings.featureWrites, time),
    misses: new TokenBuckets(settings.misses, time),
    /** In µs of processor time: `PRICES_US` says what is taken. */
    work: workBuckets(settings.workMs, time),
    /** The same for an account of the dealer platform, by its id. */
    accountWork: workBuckets(settings.workMs, time),
    sockets: new OpenCount(settings.socketsPerAddress),
    livingWorlds: new OpenCount(settings.livingWorldsPerAddress, LIVING_WORLDS_HINT),
    replays: new OpenCount(REPLAYS_OF_ADDRESS, 'Wait for the other replays first.'),
    connections: new TokenBuckets(settings.connections, time),
    logins: new TokenBuckets(settings.logins, time),
    signUps: new TokenBuckets(settings.signUps, time),
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

function workBuckets({ burst, perS }: BucketSize, time: Time): TokenBuckets {
  const inUs = { burst: burst * 1000, perS: perS * 1000 };
  return new TokenBuckets(inUs, time, { unit: { name: ' ms of processor time', size: 1000 } });
}
