const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The headers that handlers read. Absent ones are empty. `host` and `origin`: undefined where another node
 * has received the request.
 */
export type CallHead = Readonly<
  Pick<
    Head,
    'accept' | 'acceptEncoding' | 'authorization' | 'vin' | 'ifNoneMatch' | 'contentType'
  > &
    Partial<Pick<Head, 'host' | 'origin'>>
>;

/** The headers of one request that the server uses. Of repeated headers the first counts. */
export class Head {
  accept = '';
  acceptEncoding = '';
  authorization = '';
  vin = '';
  ifNoneMatch = '';
  host = '';
  origin = '';
  /** Lists in the order of the hops. */
  forwardedFor = '';
  forwarded = '';
  contentEncoding: string | undefined = undefined;
  contentType = '';
  requestId = '';
  traceparent = '';
  upgrade = '';
  webSocketKey = '';
  webSocketVersion = '';
  webSocketProtocols = '';
  #hostCount = 0;
  #lengthCount = 0;
  #contentLength = '';
  #codingCount = 0;
  #transferCoding = '';

  /** @param name in lower case */
  add(name: string, value: string): void {
    switch (name) {
      case 'host':
        this.#hostCount++;
        this.host = value;
        break;
      case 'content-length':
        this.#lengthCount++;
        this.#contentLength = value;
        break;
      case 'transfer-encoding':
        this.#codingCount++;
        this.#transferCoding = value;
        break;
      case 'content-type':
        this.contentType ||= value;
        break;
      case 'content-encoding':
        this.contentEncoding ??= value;
        break;
      case 'accept':
        this.accept = this.accept === '' ? value : `${this.accept},${value}`;
        break;
      case 'accept-encoding':
        this.acceptEncoding =
          this.acceptEncoding === '' ? value : `${this.acceptEncoding},${value}`;
        break;
      case 'authorization':
        this.authorization ||= value;
        break;
      case 'x-vin':
        this.vin ||= value;
        break;
      case 'x-request-id':
        this.requestId ||= value;
        break;
      case 'traceparent':
        this.traceparent ||= value;
        break;
      case 'if-none-match':
        this.ifNoneMatch = this.ifNoneMatch === '' ? value : `${this.ifNoneMatch},${value}`;
        break;
      case 'origin':
        this.origin ||= value;
        break;
      case 'x-forwarded-for':
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
        break;
      case 'forwarded':
        this.forwarded = this.forwarded === '' ? value : `${this.forwarded},${value}`;
        break;
      default:
        this.#addUpgrade(name, value);
    }
  }

  #addUpgrade(name: string, value: string): void {
    switch (name) {
      case 'upgrade':
        this.upgrade ||= value;
        break;
      case 'sec-websocket-key':
        this.webSocketKey ||= value;
        break;
      case 'sec-websocket-version':
        this.webSocketVersion ||= value;
        break;
      case 'sec-websocket-protocol':
        this.webSocketProtocols =
          this.webSocketProtocols === '' ? value : `${this.webSocketProtocols},${value}`;
        break;
    }
  }

  get isChunked(): boolean {
    return this.#codingCount > 0;
  }

  /**
   * True if the host or the end of the body is ambiguous (RFC 9112, 3.2 and 6.3): a proxy may have
   * read the request differently. So are chunks where a body has no meaning (RFC 9110, 9.3.1): only
   * there an answer is in pieces or has no body, and after these the library cannot end the connection.
   */
  isAmbiguous(method: string): boolean {
    if (this.#hostCount !== 1) return true;
    if (this.#lengthCount + this.#codingCount > 1) return true;
    if (this.#codingCount === 1) {
      return BODILESS.has(method) || this.#transferCoding.toLowerCase() !== 'chunked';
    }
    return this.#lengthCount === 1 && !isLength(this.#contentLength);
  }
}

/** Digits only, and few enough for an exact double. */
function isLength(value: string): boolean {
  if (value.length === 0 || value.length > 15) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
