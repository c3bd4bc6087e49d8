// Not the whole package: that also loads what encrypts and what fetches keys.
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';

const ALGORITHM = 'HS256';
const TYPE = 'at+jwt';
const ISSUER = 'dealer-platform';
const AUDIENCE = 'dealer-platform-api';
const CLOCK_TOLERANCE_S = 5;

/** What a token says, with the names and units of JWT. */
export interface TokenContent {
  sub: string;
  jti: string;
  /** s since 1970. */
  iat: number;
  exp: number;
  /** Credential version of the account. */
  cv: number;
}

/** By which clock a token is read, and how old it may be. */
export interface TokenAge {
  nowMs: number;
  lifetimeS: number;
}

/** Signs tokens, and reads them. */
export interface TokenSigner {
  sign(content: TokenContent, key: Uint8Array): Promise<string>;
  /**
   * Undefined if the token is not valid. Expiry may have a tolerance of seconds.
   * @param age undefined: only the signature counts
   */
  read(
    token: string,
    key: Uint8Array,
    age: TokenAge | undefined,
  ): Promise<Partial<TokenContent> | undefined>;
}

/** Signs in threads of the platform. */
export const joseSigner: TokenSigner = {
  sign: ({ sub, jti, iat, exp, cv }, key) =>
    new SignJWT({ cv })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(sub)
      .setIssuedAt(iat)
      .setExpirationTime(exp)
      .setJti(jti)
      .sign(key),
  async read(token, key, age) {
    // By a clock that stands at the beginning no token has expired.
    const { nowMs = 0, lifetimeS } = age ?? {};
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'iat', 'exp', 'jti'],
        ...(lifetimeS !== undefined && { maxTokenAge: lifetimeS }),
        // Clocks of nodes differ.
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(nowMs),
      });
      return payload as Partial<TokenContent>;
    } catch (error) {
      if (error instanceof JOSEError) return undefined;
      throw error;
    }
  },
};
