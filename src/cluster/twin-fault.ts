import { isTwinErrorCode, TwinError } from '../errors.ts';

/** An error of the twin as plain data. */
export interface TwinFault {
  code: string;
  hint: string;
  retryAfterS: number;
}

/** Undefined for anything but an error of the twin. */
export function faultOf(error: unknown): TwinFault | undefined {
  if (!(error instanceof TwinError)) return undefined;
  const { code, hint, retryAfterS = 0 } = error;
  return { code, hint, retryAfterS };
}

/** Throws Error if it is none. */
export function errorOf({ code, hint, retryAfterS }: TwinFault): TwinError {
  if (!isTwinErrorCode(code)) throw new Error(`another node answered with the error ${code}`);
  return new TwinError(code, hint, retryAfterS || undefined);
}
