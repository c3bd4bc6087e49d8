import createClient, { type Client } from 'openapi-fetch';
import type { paths as DealerPaths } from '../../build/api/dealer-paths.d.ts';
import type { paths as TwinPaths } from '../../build/api/twin-paths.d.ts';

export type { DealerPaths, TwinPaths };

/** Calls of the twin, typed by its OpenAPI document: `twin.GET('/api/v1/worlds/{id}', …)`. */
export type TwinClient = Client<TwinPaths>;
/** Calls of the dealer platform. */
export type DealerClient = Client<DealerPaths>;

/**
 * @param baseUrl of the twin service
 * @param vin of the car that `/api/v1/vehicle` is about
 */
export function twinClient(baseUrl: string, vin?: string): TwinClient {
  return createClient<TwinPaths>({ baseUrl, ...(vin && { headers: { 'X-VIN': vin } }) });
}

/**
 * @param baseUrl of the dealer platform
 * @param token of a log-in
 */
export function dealerClient(baseUrl: string, token?: string): DealerClient {
  const headers = { Authorization: `Bearer ${token}` };
  return createClient<DealerPaths>({ baseUrl, ...(token && { headers }) });
}

/** An answer that is a refusal. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** As the service sends it: of the twin `{error, hint}`, of the dealer platform `{detail}`. */
  readonly body: unknown;
  /** When to ask again, if the service says so. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, body: unknown, retryAfterS: number | undefined) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
    this.retryAfterS = retryAfterS;
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What a call was answered with. Rejects with Refusal, or as `fetch` does. */
export async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const retryAfter = response.headers.get('Retry-After');
  throw new Refusal(response.status, error, retryAfter === null ? undefined : Number(retryAfter));
}
