/**
 * The errors of the twin: code, HTTP status and hint. All modules throw them; the front end turns
 * them into answers.
 */
const ERRORS = {
  unknown_feature: [400, 'Use a name from GET /api/v1/features.'],
  invalid_value: [400, 'Every value must be true or false.'],
  invalid_json: [400, 'Send a body that is valid JSON.'],
  invalid_body: [400, 'Send a JSON object.'],
  invalid_world_options: [400, 'Use only the options of POST /api/v1/worlds in /openapi.json.'],
  unknown_encoding: [400, 'Use encoding=json or encoding=msgpack.'],
  bad_request: [400, 'Send a well-formed HTTP/1.1 request.'],
  missing_vin: [401, 'Send the header "Authorization: VIN <vin>" or "X-VIN: <vin>".'],
  unknown_vin: [401, 'Use a VIN from the fleet of a living world; POST /api/v1/worlds makes one.'],
  foreign_origin: [
    403,
    'Open the page by its IP address, as localhost or by the name in OPS_HOST; other pages may not send this.',
  ],
  unknown_world: [
    404,
    'This world does not exist or was dropped when idle; make one with POST /api/v1/worlds.',
  ],
  unknown_node: [404, 'Use the name or the process of a node from GET /cluster.'],
  unknown_tick: [404, 'Use a tick since the beginning of this world.'],
  unknown_incident: [404, 'Use an id from the incidents of this world.'],
  not_found: [404, 'Use a path from /openapi.json.'],
  method_not_allowed: [405, 'Use one of the methods in the Allow header.'],
  request_timeout: [408, 'Send the whole request without long pauses.'],
  conflict: [409, 'This cannot be done now; nothing was changed.'],
  body_too_large: [413, 'Send a smaller body.'],
  unsupported_encoding: [415, 'Send the body without a Content-Encoding.'],
  unsupported_type: [415, 'Send JSON with Content-Type: application/json.'],
  upgrade_required: [426, 'Open this address as a WebSocket, version 13.'],
  rate_limited: [429, 'Too many requests; send fewer.'],
  overloaded: [503, 'The node is busy; try again later.'],
  store_unavailable: [503, 'The store cannot be used now; nothing was changed. Try again later.'],
  world_unavailable: [
    503,
    'This world failed repeatedly and is quarantined; make a new world, or try again later.',
  ],
} as const satisfies Record<string, readonly [number, string]>;

export type TwinErrorCode = keyof typeof ERRORS;

export function isTwinErrorCode(code: string): code is TwinErrorCode {
  return Object.hasOwn(ERRORS, code);
}

export class TwinError extends Error {
  override readonly name = 'TwinError';
  readonly code: TwinErrorCode;
  readonly status: number;
  readonly hint: string;
  /** Seconds; an integer from 1. Set for every 429 and 503. */
  readonly retryAfterS: number | undefined;

  constructor(code: TwinErrorCode, hint?: string, retryAfterS?: number) {
    super(code);
    const [status, standardHint] = ERRORS[code];
    this.code = code;
    this.status = status;
    this.hint = hint ?? standardHint;
    this.retryAfterS = status === 429 || status === 503 ? (retryAfterS ?? 1) : undefined;
  }
}

/** This node does not serve the world, or no longer. Nothing was done: its next node may be asked. */
export class BetweenNodes extends TwinError {
  constructor() {
    super('store_unavailable', undefined, 2);
  }
}

/** Whether an error came of the store, which logs itself that it fails. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof TwinError && error.code === 'store_unavailable';
}
