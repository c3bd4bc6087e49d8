import type { Dice } from '../../src/testing/rigs/dice.ts';
import { type Input, SERVICES, type Service, TOKENS, VIN, WORLD_ID } from './input.ts';
import { inParts, mutated } from './mutations.ts';
import { type Operation, operationsOf } from './operations.ts';

/** A request before it is written down. */
interface Request {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: string;
}

/** What a service answers beside its operations. */
const PAGES: Readonly<Record<Service, readonly string[]>> = {
  twin: ['/', `/worlds/${WORLD_ID}`, '/docs', '/openapi.json', '/asyncapi.json', '/nothing'],
  dealer: ['/', '/docs', '/openapi.json', '/docs/', '/nothing'],
};

function requestOf({ method, target, caller, needsVin, body }: Operation): Request {
  const headers: Request['headers'] = [['Host', 'x']];
  if (caller) headers.push(['Authorization', `Bearer ${TOKENS[caller]}`]);
  if (needsVin) headers.push(['X-VIN', VIN]);
  if (body) headers.push(['Content-Type', body.type]);
  const isForm = body?.type === 'application/x-www-form-urlencoded';
  const text = isForm
    ? String(new URLSearchParams(body.example as Record<string, string>))
    : JSON.stringify(body?.example ?? '');
  const bytes = body ? Buffer.from(text).toString('latin1') : '';
  return { method, target, version: 'HTTP/1.1', headers, body: bytes };
}

const pageOf = (target: string): Request => ({
  ...{ method: 'GET', target, version: 'HTTP/1.1' },
  ...{ headers: [['Host', 'x']], body: '' },
});

const requests = Object.fromEntries(
  SERVICES.map((service) => [
    service,
    [...operationsOf(service).map(requestOf), ...PAGES[service].map(pageOf)],
  ]),
) as Record<Service, Request[]>;

/** Headers that the node reads, with values good and bad. */
const HEADERS: readonly [name: string, values: readonly string[]][] = [
  ['Host', ['x', '', 'a, b']],
  ['Content-Length', ['0', '1', '5', '+5', '-1', '05', '5, 5', '1e1', '0x5', '9'.repeat(15), '']],
  ['Transfer-Encoding', ['chunked', 'Chunked', 'gzip', 'gzip, chunked', 'xchunked', 'identity']],
  ['Content-Encoding', ['gzip', 'identity', '']],
  ['Content-Type', ['text/plain', 'multipart/form-data; boundary=b', 'application/json;', '']],
  ['Accept', ['application/msgpack', '*/*;q=0', 'a/b,'.repeat(300), 'application/json;q=x', ',']],
  ['Accept-Encoding', ['br', 'gzip;q=0, *', 'br, gzip, deflate', 'identity;q=0']],
  ['Authorization', [`VIN ${VIN}`, 'VIN', 'Bearer', 'Bearer a.b.c', 'Basic eDp4']],
  ['X-VIN', [VIN, 'x', '', VIN.toLowerCase(), `${VIN} `]],
  ['X-Request-Id', ['a', 'a b', 'a'.repeat(200), 'ä']],
  ['If-None-Match', ['*', '"a"', 'W/"a", "b"', '"a",'.repeat(500)]],
  ['Origin', ['null', 'http://x', 'a'.repeat(300)]],
  ['X-Forwarded-For', ['1.2.3.4', '::1, x', '1.1.1.1,'.repeat(400)]],
  ['Forwarded', ['for=1.2.3.4', 'for="[::1]:80";proto=http', 'for=,'.repeat(400)]],
  ['Connection', ['close', 'keep-alive', 'Upgrade', 'keep-alive, Transfer-Encoding']],
  ['Upgrade', ['websocket', 'h2c', '']],
  ['Sec-WebSocket-Key', ['x', 'AAAAAAAAAAAAAAAAAAAAAA==']],
  ['Sec-WebSocket-Version', ['13', '12', '']],
  ['Expect', ['100-continue', 'x']],
  ['Trailer', ['X']],
  ['', ['x']],
  ['X\x80', ['\xff']],
];
const METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'PRI'],
  ...['A'.repeat(100), '', 'G ET'],
];
const VERSIONS = [...Array<string>(12).fill('HTTP/1.1'), 'HTTP/1.0', 'HTTP/2.0', '', 'http/1.1'];
const QUERIES = ['?', '?a', '?encoding=msgpack', '?with=aeb,brakes', '?with=%', '?after=1&limit=2'];
const LIMITS = ['?limit=0', '?limit=-1', '?limit=1e3', '?after=', '?with=', '?include_password=1'];

type Change = (request: Request, dice: Dice) => void;

const CHANGES: readonly Change[] = [
  (request, dice) => {
    request.method = dice.pick(METHODS);
  },
  (request, dice) => {
    request.target += dice.pick([...QUERIES, ...LIMITS, '/', '%2f', '%', '#x', ';x']);
  },
  (request, dice) => {
    request.target = mutated(request.target, dice);
  },
  (request, dice) => {
    request.target = dice.pick(['*', 'http://x/', '', '/{}', '/..', '//', '/%2e%2e/%2e%2e/etc']);
  },
  (request, dice) => {
    const [name, values] = dice.pick(HEADERS);
    request.headers.splice(dice.below(request.headers.length + 1), 0, [name, dice.pick(values)]);
  },
  (request, dice) => {
    request.headers.splice(dice.below(request.headers.length + 1), 1);
  },
  (request, dice) => {
    const header = dice.pick(request.headers.length > 0 ? request.headers : [['', '']]);
    header[1] = mutated(header[1] || 'x', dice);
  },
  (request, dice) => {
    request.body = mutated(request.body || '{}', dice);
  },
  (request, dice) => {
    request.version = dice.pick(VERSIONS);
  },
];

/** A body in chunks, now and then with a wrong size, terminator or trailer. */
function chunked(body: string, dice: Dice): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const end = at + 1 + dice.below(body.length - at);
    const size = (end - at).toString(16);
    const written = dice.below(8) > 0 ? size : dice.pick([`0${size}`, `${size};a=b`, `${size} `]);
    const terminator = dice.below(20) > 0 ? '\r\n' : dice.pick(['', '\n', 'xx']);
    text += `${written}\r\n${body.slice(at, end)}${terminator}`;
    at = end;
  }
  return `${text}${dice.below(20) > 0 ? '0\r\n\r\n' : dice.pick(['0\r\nX: y\r\n\r\n', '', '0\r\n'])}`;
}

function written({ method, target, version, headers, body }: Request, dice: Dice): string {
  const isChunked = body !== '' && dice.below(4) === 0;
  const framing: Request['headers'] = isChunked
    ? [['Transfer-Encoding', 'chunked']]
    : method === 'GET' && body === ''
      ? []
      : [['Content-Length', String(body.length)]];
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = isChunked ? chunked(body, dice) : body;
  return `${method} ${target} ${version}\r\n${lines.join('')}\r\n${sent}`;
}

function changedRequest(service: Service, dice: Dice): string {
  const request = structuredClone(dice.pick(requests[service]));
  for (let left = dice.below(4); left > 0; left -= 1) dice.pick(CHANGES)(request, dice);
  const text = written(request, dice);
  return dice.below(3) === 0 ? mutated(text, dice) : text;
}

/** Requests like those that the documents describe, each changed in a few places. */
export function httpInput(dice: Dice): Input {
  const service = dice.below(3) > 0 ? 'twin' : 'dealer';
  const count = dice.below(6) > 0 ? 1 : 2 + dice.below(3);
  const text = Array.from({ length: count }, () => changedRequest(service, dice)).join('');
  return { service, parts: inParts(text, dice), leaves: dice.below(8) === 0 };
}
