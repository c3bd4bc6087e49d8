import { createHmac } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type DealerPlatform, openDealerPlatform } from '../dealer/dealer-platform.ts';
import type { PasswordHasher } from '../dealer/passwords.ts';
import type { TokenContent, TokenSigner } from '../dealer/token-signer.ts';
import { BodyReader } from '../http/dealer/body-reader.ts';
import { CallTurns } from '../http/dealer/call-turns.ts';
import { dealerRoutes } from '../http/dealer/dealer-routes.ts';
import type { BodyThread } from '../http/server/body-thread.ts';
import { createRateLimits } from '../http/server/rate-limits.ts';
import type { Route } from '../http/server/router.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import type { Time } from '../time.ts';
import type { TwinService } from '../twin-service.ts';
import type { Chance } from './chance.ts';

const SETTINGS = {
  demo: { demo: true as const },
  ...{ tokenLifetimeS: 28_800, fieldKey: undefined, rateLimits: 'off' as const },
  ...{ fleetCarsMax: 100, dealerCustomersMax: 100, customersMax: 100 },
};
/** How long a password takes. */
const HASHED_MS_MAX = 60;
/** Clocks of nodes differ by up to this. */
const TOLERANCE_S = 5;

/** Passwords as they are, as slowly as in threads. */
class SimulatedPasswords implements PasswordHasher {
  readonly running = 0;
  readonly waiting = 0;
  readonly #time: Time;
  readonly #chance: Chance;

  constructor(time: Time, chance: Chance) {
    this.#time = time;
    this.#chance = chance;
  }

  async hash(password: string): Promise<string> {
    await this.#time.sleep(this.#chance.between(1, HASHED_MS_MAX));
    return password;
  }

  async verify(hash: string | null | undefined, given: string): Promise<boolean> {
    return (await this.hash(given)) === hash;
  }

  async close(): Promise<void> {}
}

function proofOf(content: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

/** Signs at once. */
const SIGNER: TokenSigner = {
  async sign(content, key) {
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${proofOf(text, key)}`;
  },
  async read(token, key, age) {
    const [text = '', proof] = token.split('.');
    if (proof !== proofOf(text, key)) return undefined;
    const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as TokenContent;
    const latestS = age === undefined ? Number.POSITIVE_INFINITY : age.nowMs / 1000 + TOLERANCE_S;
    return content.iat > latestS ? undefined : content;
  },
};

export interface PlatformParts {
  store: Store;
  clock: Clock;
  time: Time;
  random: Random;
  log: Log;
  worlds: Pick<TwinService, 'presence'>;
  chance: Chance;
}

/** The dealer platform of a simulated node, with the demo data. */
export function openSimulatedPlatform({
  chance,
  ...parts
}: PlatformParts): Promise<DealerPlatform> {
  const node = { worlds: async () => 0, nodes: () => 1 };
  const makePasswords = () => new SimulatedPasswords(parts.time, chance);
  return openDealerPlatform({ ...parts, node, makePasswords, signer: SIGNER }, SETTINGS);
}

export function simulatedDealerRoutes(parts: {
  platform: DealerPlatform;
  time: Time;
  log: Log;
  bodyThread: BodyThread;
  publicTwinUrl: () => string;
}): Route[] {
  const { platform, time, log, bodyThread, publicTwinUrl } = parts;
  return dealerRoutes({
    ...{ platform, log, publicTwinUrl, limits: createRateLimits('off', time) },
    ...{ bodies: new BodyReader(bodyThread), turns: new CallTurns(time) },
  });
}
