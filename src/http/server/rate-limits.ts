import type { RateLimitSettings } from '../../config.ts';
import type { Time } from '../../time.ts';
import { OpenCount } from './open-count.ts';
import { TokenBuckets } from './token-buckets.ts';

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
    workTicks: new TokenBuckets(settings.workTicks, time),
    sockets: new OpenCount(settings.socketsPerAddress),
    logins: new TokenBuckets(settings.logins, time),
    signUps: new TokenBuckets(settings.signUps, time),
  };
}

/**
 * The key of a client in limits: its IPv4 address, or the /64 prefix of its IPv6 address, because
 * providers assign a whole /64 to a client.
 * @param address 4 or 16 bytes; empty if the connection has closed
 */
export function addressKey(address: ArrayBuffer): string {
  const bytes = new Uint8Array(address);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return 'gone';
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255;
  if (mapped && bytes[11] === 255) return bytes.subarray(12).join('.');
  return `${Buffer.from(address, 0, 8).toString('hex')}/64`;
}
