import type { DealerPlatform } from '../../dealer/dealer-platform.ts';
import type { Log } from '../../log.ts';
import type { RateLimits } from '../server/rate-limits.ts';
import type { BodyReader } from './body-reader.ts';
import type { CallTurns } from './call-turns.ts';

/** What the routes of the dealer platform need. */
export interface DealerRouteDependencies {
  platform: DealerPlatform;
  limits: Pick<RateLimits, 'logins' | 'signUps' | 'work' | 'accountWork'>;
  bodies: BodyReader;
  turns: CallTurns;
  /** Base of viewer URLs, without a trailing slash. */
  publicTwinUrl: () => string;
  log: Log;
}
