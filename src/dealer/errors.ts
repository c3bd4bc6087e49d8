import { StoreUnavailable } from '../store/contract.ts';

/** One invalid field of a request, in the format of pydantic. */
export interface FieldFault {
  readonly type: string;
  /** Begins with `body`, `query` or `path`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A refusal: status and `detail` of the answer. */
export class DealerError extends Error {
  override readonly name = 'DealerError';
  readonly status: number;
  readonly detail: string | readonly FieldFault[];
  /** Seconds; an integer from 1. Set for every 429 and 503. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, detail: string | readonly FieldFault[], retryAfterS?: number) {
    super(typeof detail === 'string' ? detail : 'invalid request');
    this.status = status;
    this.detail = detail;
    this.retryAfterS = retryAfterS;
  }
}

const STORE_RETRY_S = 2;

export const notAuthenticated = () => new DealerError(401, 'Not authenticated');
export const badToken = () => new DealerError(401, 'Could not validate credentials');
export const badLogin = () => new DealerError(401, 'Incorrect username or password');
export const forbidden = (detail = 'Not enough permissions') => new DealerError(403, detail);
export const notFound = (what: string) => new DealerError(404, `${what} not found`);
export const conflict = (detail: string) => new DealerError(409, detail);
export const invalid = (...faults: FieldFault[]) => new DealerError(422, faults);
export const tooMany = (detail: string, retryAfterS: number) =>
  new DealerError(429, detail, retryAfterS);
export const busy = (detail: string, retryAfterS: number) =>
  new DealerError(503, detail, retryAfterS);

export const tooManyChanges = () =>
  busy('Too many changes at the same time; nothing was changed.', 1);

export const listChanged = () => busy('The list has changed while it was read.', 1);

/** The fault of a well-formed value. */
export function valueFault(loc: FieldFault['loc'], reason: string): FieldFault {
  return { type: 'value_error', loc, msg: `Value error, ${reason}`, ctx: { error: {} } };
}

export function missingFault(loc: FieldFault['loc']): FieldFault {
  return { type: 'missing', loc, msg: 'Field required' };
}

const REFUSED: Record<StoreUnavailable['reason'], string> = {
  full: 'The store is full; nothing was changed.',
  failed: 'The store cannot be reached; nothing was changed.',
  closed: 'The store cannot be reached; nothing was changed.',
  unknown: 'The store did not answer; the change may have been made.',
};

/** A StoreUnavailable as DealerError 503; any other error unchanged. */
export function withoutStoreErrors(error: unknown): unknown {
  return error instanceof StoreUnavailable ? busy(REFUSED[error.reason], STORE_RETRY_S) : error;
}
