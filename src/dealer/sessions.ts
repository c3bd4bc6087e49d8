import type { Clock } from '../clock.ts';
import { lruCache } from '../lru-cache.ts';
import type { Key } from '../store/contract.ts';
import { badToken, notAuthenticated } from './errors.ts';
import type { Reader } from './reader.ts';
import { type AccountRecord, keys } from './records.ts';
import type { Registry } from './registry.ts';
import type { Claims, Tokens } from './tokens.ts';
import type { Transaction } from './transaction.ts';

const SESSIONS_MAX = 10_000;
const SCHEME = /^bearer(?: +|$)/i;

/** An account and the token that it was called with. */
export interface Session {
  claims: Claims;
  account: AccountRecord;
  /** Revision of the store at which the session was valid. */
  revision: number;
}

/** Checks tokens: signature, expiry, account, credential version and revocation. */
export class Sessions {
  readonly #registry: Registry;
  readonly #tokens: Tokens;
  readonly #clock: Clock;
  /** Valid as long as the revision is the same, and the store has lost nothing. */
  readonly #seen = lruCache<string, Session & { lossCount: number }>(SESSIONS_MAX);

  constructor(registry: Registry, tokens: Tokens, clock: Clock) {
    this.#registry = registry;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /**
   * The session of an Authorization header. Throws DealerError 401.
   * @param authorization empty without the header
   * @param pay called before a token is verified that was not verified before; may throw
   */
  async find(authorization: string, pay?: () => void): Promise<Session> {
    if (!SCHEME.test(authorization)) throw notAuthenticated();
    const token = authorization.replace(SCHEME, '').trim();
    const claims = await this.#tokens.verify(token, pay);
    if (claims === undefined) throw badToken();
    const { revision } = await this.#registry.edition();
    const { lossCount } = this.#registry;
    const seen = this.#seen.get(token);
    if (seen?.revision === revision && seen.lossCount === lossCount) return seen;
    const account = await this.#registry.read((reader) => this.#accountOf(reader, claims));
    const session = { claims, account, revision, lossCount };
    this.#seen.set(token, session);
    return session;
  }

  /**
   * Reads the account again within a transaction, which then commits only if the session is still
   * valid. Throws DealerError 401.
   */
  revalidate(transaction: Transaction, { claims }: Session): Promise<AccountRecord> {
    return this.#accountOf(transaction, claims);
  }

  async #accountOf(reader: Reader, claims: Claims): Promise<AccountRecord> {
    const account = await reader.get<AccountRecord>(
      keys.account(reader.generation, claims.account),
    );
    const isRevoked = await reader.get(keys.revoked(claims.token));
    if (account === undefined || isRevoked !== undefined) throw badToken();
    const isCurrent = account.credential === claims.credential;
    if (!isCurrent && account.keptToken !== claims.token) throw badToken();
    return account;
  }

  /**
   * Revokes a token. Ignores anything that is none. The clock of this node may be behind that of the node
   * which has issued it, as after a pause of the machine.
   */
  async end(authorization: string): Promise<void> {
    const claims = await this.#tokens.claimsOf(authorization.replace(SCHEME, '').trim());
    if (claims === undefined || claims.expiresAtMs <= this.#clock.now()) return;
    const { token, expiresAtMs } = claims;
    await this.#registry.change(async (transaction) => {
      if (await transaction.get(keys.revoked(token))) return;
      transaction.put(keys.revoked(token), expiresAtMs);
      transaction.put(keys.revokedUntil(expiresAtMs, token), 0);
    });
  }

  /**
   * Removes revocations of tokens that expired a lifetime ago: the clock of another node may be behind,
   * but not by that much.
   */
  async sweep(): Promise<void> {
    const beforeMs = this.#clock.now() - this.#tokens.lifetimeS * 1000;
    const also = (key: Key) => [keys.revoked(String(key.at(-1)))];
    const before = [...keys.allRevokedUntil, beforeMs];
    await this.#registry.removeBefore(keys.allRevokedUntil, before, { also });
  }
}
