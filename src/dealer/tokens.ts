import type { Clock } from '../clock.ts';
import { lruCache } from '../lru-cache.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store/contract.ts';
import { type AccountRecord, type AccountRef, keys, ROLES } from './records.ts';
import { storedOnce } from './stored-once.ts';
import type { TokenAge, TokenSigner } from './token-signer.ts';

const KEY_BYTES = 32;
const ID_BYTES = 16;
const TOKEN_LENGTH_MAX = 2048;
/** Verified tokens in memory: verifying costs more than the rest of a call. */
const VERIFIED_MAX = 10_000;

/** The claims of a token. The store records whether it is revoked. */
export interface Claims {
  account: AccountRef;
  /** Credential version of the account when the token was issued. */
  credential: number;
  token: string;
  expiresAtMs: number;
}

export interface TokensDependencies {
  store: Store;
  clock: Clock;
  random: Random;
  signer: TokenSigner;
}

/** Issues and verifies bearer tokens. */
export class Tokens {
  readonly lifetimeS: number;
  readonly #key: Uint8Array;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #signer: TokenSigner;
  readonly #verified = lruCache<string, Claims>(VERIFIED_MAX);

  private constructor(
    key: Uint8Array,
    { clock, random, signer }: TokensDependencies,
    lifetimeS: number,
  ) {
    this.#key = key;
    this.#clock = clock;
    this.#random = random;
    this.#signer = signer;
    this.lifetimeS = lifetimeS;
  }

  /** Uses the signing key in the store. */
  static async open(dependencies: TokensDependencies, lifetimeS: number): Promise<Tokens> {
    const { store, random } = dependencies;
    const key = await storedOnce(store, keys.tokenKey, () => random.bytes(KEY_BYTES));
    return new Tokens(key, dependencies, lifetimeS);
  }

  issue({ role, id, credential }: AccountRecord): Promise<string> {
    const iat = Math.floor(this.#clock.now() / 1000);
    const jti = Buffer.from(this.#random.bytes(ID_BYTES)).toString('base64url');
    const exp = iat + this.lifetimeS;
    return this.#signer.sign({ sub: `${role}:${id}`, jti, iat, exp, cv: credential }, this.#key);
  }

  /**
   * Undefined if the token is invalid or has expired.
   * @param pay called before a signature is computed; may throw
   */
  async verify(token: string, pay: () => void = () => {}): Promise<Claims | undefined> {
    const known = this.#verified.get(token);
    if (known !== undefined) return this.#isOver(known) ? undefined : known;
    pay();
    const claims = await this.#current(token);
    if (claims !== undefined) this.#verified.set(token, claims);
    return claims;
  }

  /** Expiry has no tolerance. The other times have one, because clocks of nodes differ. */
  #isOver({ expiresAtMs }: Claims): boolean {
    return expiresAtMs <= this.#clock.now();
  }

  async #current(token: string): Promise<Claims | undefined> {
    const age = { nowMs: this.#clock.now(), lifetimeS: this.lifetimeS };
    const claims = await this.#read(token, age);
    return claims === undefined || this.#isOver(claims) ? undefined : claims;
  }

  /** Of any token that was issued: by the clock of this node it may have expired, or be of the future. */
  claimsOf(token: string): Promise<Claims | undefined> {
    return this.#read(token, undefined);
  }

  async #read(token: string, age: TokenAge | undefined): Promise<Claims | undefined> {
    if (token.length > TOKEN_LENGTH_MAX) return undefined;
    const content = await this.#signer.read(token, this.#key, age);
    if (content === undefined) return undefined;
    const { sub = '', jti = '', exp = 0, cv } = content;
    const account = refOf(sub);
    if (account === undefined || typeof cv !== 'number') return undefined;
    return { account, credential: cv, token: jti, expiresAtMs: exp * 1000 };
  }
}

function refOf(subject: string): AccountRef | undefined {
  const [name = '', id = ''] = subject.split(':');
  const role = ROLES.find((each) => each === name);
  return role && { role, id };
}
