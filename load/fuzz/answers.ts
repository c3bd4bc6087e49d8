import { decode } from '@msgpack/msgpack';
import { FrameParser, OPCODE_CLOSE } from '../../bench/common/frame-parser.ts';
import { checkAgainst, type OpenApi, type Published } from '../../src/testing/rigs/published.ts';
import type { Input } from './input.ts';

/** One answer as it came. */
interface Answer {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\w' -]+$/;
/** RFC 9110, 5.5 and 5.6.2. */
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+): *([\t\x20-\x7e\x80-\xff]*)$/;
/** They describe what else there is, and are described by none. */
const DOCUMENT = /^\/(openapi|asyncapi)\.json(\?|$)/;
/** Makes a world. */
const VISIT = /^\/(\?|$)/;
const SWITCHING_PROTOCOLS = 101;
/** What a request may get wherever it goes. */
const USUAL = new Set([400, 404, 405, 408, 413, 414, 415, 426, 431, 503, 505]);
/** Answered by the library, before a request reaches the server: without an id, and as a page. */
const OF_LIBRARY = new Set([400, 431, 505]);
const SUCCESSES = new Set([200, 201, 204, 206, 303, 304, 307]);
/** What is wrong is the body itself. */
const MALFORMED = new Set([400, 422]);
/** Refusals of single operations. */
const REFUSALS = new Set([401, 403, 409, 422, 429]);

/** Cuts what came on a connection into answers. Throws an Error where it is no HTTP. */
export function answersIn(received: Buffer, isHeadAsked: boolean): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < received.length; ) {
    const headTo = received.indexOf(HEAD_END, at);
    // The client, or a request behind an answer under way, may end a connection at any byte.
    if (headTo < 0) break;
    const [line = '', ...lines] = received.toString('latin1', at, headTo).split('\r\n');
    const status = Number(STATUS_LINE.exec(line)?.[1]);
    if (!(status >= 100)) throw new Error(`not a status line: ${line.slice(0, 80)}`);
    const headers = new Map(lines.map(headerOf));
    const bodyFrom = headTo + HEAD_END.length;
    const bodyTo = bodyEnd(received, bodyFrom, { status, headers }, isHeadAsked);
    if (status !== 100)
      answers.push({ status, headers, body: received.subarray(bodyFrom, bodyTo) });
    at = bodyTo;
  }
  return answers;
}

function headerOf(line: string): [string, string] {
  const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a header: ${line.slice(0, 80)}`);
  return [name.toLowerCase(), value];
}

function bodyEnd(
  received: Buffer,
  from: number,
  { status, headers }: Omit<Answer, 'body'>,
  isHeadAsked: boolean,
): number {
  if (status === SWITCHING_PROTOCOLS) return received.length;
  if (status < 200 || status === 204 || status === 304) return from;
  // Which of several requests was a HEAD shows only here.
  const isBodyless = received.toString('latin1', from, from + 5) === 'HTTP/';
  if (isHeadAsked && (isBodyless || from === received.length)) return from;
  if (headers.get('transfer-encoding') === 'chunked') return chunkedEnd(received, from);
  const length = headers.get('content-length');
  if (length === undefined) return received.length;
  if (!/^\d+$/.test(length)) throw new Error(`a body of ${length} bytes`);
  return Math.min(received.length, from + Number(length));
}

/**
 * The library refuses broken bytes behind a request at once, also in the middle of an answer in pieces,
 * and ends the connection.
 */
const REFUSED = /HTTP\/1\.1 (400|431|505) [\w ]+\r\nConnection: close\r\n/;

function chunkedEnd(all: Buffer, from: number): number {
  const refusedAt = all.toString('latin1', from).search(REFUSED);
  const received = refusedAt < 0 ? all : all.subarray(0, from + refusedAt);
  for (let at = from; ; ) {
    const lineTo = received.indexOf('\r\n', at);
    if (lineTo < 0) return received.length;
    const size = received.toString('latin1', at, lineTo);
    if (!/^[0-9a-f]+$/i.test(size)) throw new Error(`a chunk of size ${size.slice(0, 20)}`);
    at = lineTo + 2 + Number.parseInt(size, 16) + 2;
    if (at >= received.length) return received.length;
    if (received.toString('latin1', at - 2, at) !== '\r\n') throw new Error('a chunk without end');
    if (/^0+$/.test(size)) return at;
  }
}

/** How many requests an input may hold. */
const requestCount = ({ parts }: Input) => parts.join('').split(/ HTTP\/1\.1/i).length - 1;

/** The only request of an input, if it is well-formed so far as its route depends on it. */
function onlyRequest(input: Input): { method: string; path: string } | undefined {
  const text = input.parts.join('');
  const [, method, path] = /^([A-Z]+) (\/[!-~]*) HTTP\/1\.1\r\n/.exec(text) ?? [];
  if (method === undefined || path === undefined || requestCount(input) !== 1) return undefined;
  // The router finds nothing where a parameter cannot be decoded.
  if (!isDecodable(path)) return undefined;
  return { method: method === 'HEAD' ? 'GET' : method, path };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** How many effects an input may have. */
export interface Allowed {
  /** What was accepted, and is no read. */
  accepted: number;
  /** What may have an effect later, since its client has gone. */
  unanswered: number;
}

export function allowedEffects(input: Input, answers: readonly Answer[]): Allowed {
  const request = onlyRequest(input);
  if (request?.method === 'GET' && !VISIT.test(request.path)) return { accepted: 0, unanswered: 0 };
  // What stands behind a request may be refused before the request is answered.
  const answered = answers.filter((answer) => !isOfLibrary(answer)).length;
  return {
    accepted: answers.filter(({ status }) => status < 400).length,
    unanswered: Math.max(0, requestCount(input) - answered),
  };
}

/**
 * Throws where an answer is none that the documents allow.
 * @param published by the service
 */
export function checkAnswers(
  input: Input,
  published: Published<OpenApi>,
  answers: readonly Answer[],
): void {
  for (const answer of answers) checkForm(answer);
  const [answer] = answers;
  if (input.expects && answer === undefined) throw new Error('a complete request has no answer');
  const request = onlyRequest(input);
  if (answers.length !== 1 || answer === undefined || request === undefined) return;
  const { status } = answer;
  if (status < 400 && DOCUMENT.test(request.path)) return;
  if (input.expects === 'acceptance' && MALFORMED.has(status)) {
    throw new Error(`a body as documented is refused: ${answer.body.toString().slice(0, 300)}`);
  }
  if (input.expects === 'refusal' && status < 400) {
    throw new Error(`a body that the document forbids is accepted with ${status}`);
  }
  const content = contentOf(answer);
  checkAgainst(input.service, published, { ...request, status, body: content });
}

function isOfLibrary({ status, headers }: Answer): boolean {
  const isLast = headers.get('connection') === 'close';
  return OF_LIBRARY.has(status) && isLast && !headers.has('x-request-id');
}

function checkForm(answer: Answer): void {
  const { status, headers, body } = answer;
  if (status === SWITCHING_PROTOCOLS) {
    checkFrames(body);
    return;
  }
  const isKnown = USUAL.has(status) || SUCCESSES.has(status) || REFUSALS.has(status);
  if (!isKnown) throw new Error(`status ${status}`);
  if (isOfLibrary(answer)) return;
  if (!headers.has('x-request-id')) throw new Error(`${status} without X-Request-Id`);
  if (status < 400 || Number(headers.get('content-length')) !== body.length) return;
  const content = contentOf(answer) as Record<string, unknown> | undefined;
  if (content === undefined || 'error' in content || 'detail' in content) return;
  throw new Error(`${status} with ${JSON.stringify(content).slice(0, 200)}`);
}

/** What is in a complete body of JSON or MessagePack. */
function contentOf({ headers, body }: Answer): unknown {
  if (Number(headers.get('content-length')) !== body.length || body.length === 0) return undefined;
  const type = headers.get('content-type');
  if (type === 'application/json') return JSON.parse(body.toString());
  return type === 'application/msgpack' ? decode(body) : undefined;
}

function checkFrames(bytes: Buffer): void {
  const parser = new FrameParser((opcode, payload) => {
    if (opcode !== OPCODE_CLOSE || payload.length < 2) return;
    const code = payload.readUInt16BE();
    const isLegal =
      (code >= 1000 && code <= 1013 && ![1004, 1005, 1006].includes(code)) ||
      (code >= 3000 && code < 5000);
    if (!isLegal) throw new Error(`a stream closed with ${code}`);
  });
  parser.push(bytes);
}
