import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../random.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { until } from '../testing/rigs/until.ts';
import { TEST_KEY } from '../testing/suites/link/link-stage.ts';
import type { LinkHandlers, PeerAddress } from './contract.ts';
import { linkUrl } from './link-server.ts';
import type { LinkTls } from './net.ts';
import { type LinkOptions, NodeLink } from './node-link.ts';

const handlers: LinkHandlers = {
  called: async (_, kind, value) => ({ value: { kind, value } }),
  noted: () => {},
  drained: () => {},
  clientGone: () => {},
  received: () => {},
  pingValue: () => null,
  pinged: () => {},
  up: () => {},
  down: () => {},
};

let time: TestTime;
let logged: { msg: string; reason?: string }[];
const links: NodeLink[] = [];
beforeEach(() => {
  time = TestTime.running();
  logged = [];
});
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.close()));
});

const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
const warnings = () =>
  logged.filter(({ msg }) => msg.includes('cannot')).map(({ reason }) => reason);

function open(process: string, options: Partial<LinkOptions> = {}): NodeLink {
  const link = new NodeLink({
    ...{ process, key: TEST_KEY, handlers, time, random: systemRandom, log },
    ...{ host: '127.0.0.1', port: 0 },
    ...options,
  });
  links.push(link);
  return link;
}

async function hasLink(from: NodeLink, to: PeerAddress): Promise<void> {
  from.connect([to]);
  await until('the link', () => from.isUp(to.process));
  const { value } = await from.call(to.process, 'k', 1, 5000);
  expect(value).toEqual({ kind: 'k', value: 1 });
}

/** Waits until an attempt to connect has failed, and returns why. */
async function failureOf(from: NodeLink, to: PeerAddress): Promise<string | undefined> {
  from.connect([to]);
  await until('a failure', () => warnings().length > 0);
  expect(from.isUp(to.process)).toBe(false);
  return warnings()[0];
}

describe('the address of a link', () => {
  it('is that of the port that it got', async () => {
    const [a, b] = [open('a'), open('b')];
    expect(b.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    await hasLink(a, { process: 'b', url: b.url });
  });

  it('has brackets around one of IPv6', () => {
    expect(linkUrl('::1', 9000, true)).toBe('wss://[::1]:9000');
  });

  it('is what it was told where that is another one', () => {
    expect(open('a', { publicUrl: 'wss://node-7.example:9000' }).url).toBe(
      'wss://node-7.example:9000',
    );
  });

  it('is in use by another one, which is an error', () => {
    const port = Number(new URL(open('a').url).port);
    expect(() => open('b', { port })).toThrow(`links: cannot listen on 127.0.0.1:${port}`);
  });

  it.each([
    ['is none', 'nonsense', /Invalid URL/],
    ['has another scheme', 'ftp://127.0.0.1:1', /protocol/],
    ['is one where nobody listens', 'ws://127.0.0.1:1', /ECONNREFUSED/],
  ])('%s: the node says so once and goes on trying', async (_, url, reason) => {
    const a = open('a');
    expect(await failureOf(a, { process: 'b', url })).toMatch(reason);
    for (let i = 0; i < 50; i += 1) await time.advance(100);
    expect(warnings()).toHaveLength(1);
    const b = open('b');
    await hasLink(a, { process: 'b', url: b.url });
  });

  it('belonged to a process that is gone: nobody takes another one for it', async () => {
    const [a, b] = [open('a'), open('b')];
    expect(await failureOf(a, { process: 'b:before', url: b.url })).toBe('the other end closed it');
    expect(b.clientOf('a')).toBeUndefined();
    await hasLink(a, { process: 'b', url: b.url });
  });

  it('is the own one: a node does not dial itself', async () => {
    const a = open('a');
    a.connect([{ process: 'a', url: a.url }]);
    await time.advance(1000);
    expect([a.isUp('a'), a.clientOf('a'), logged]).toEqual([false, undefined, []]);
  });
});

describe('the key of a link', () => {
  it('has 32 bytes', () => {
    expect(() => open('a', { key: new Uint8Array(31) })).toThrow('32 bytes');
  });

  it('is the same at both ends', async () => {
    const [a, b] = [open('a'), open('b', { key: new Uint8Array(32) })];
    expect(await failureOf(a, { process: 'b', url: b.url })).toBe('the other end closed it');
  });

  it('belongs to a process with a name', () => {
    for (const process of ['', 'x'.repeat(301)]) expect(() => open(process)).toThrow('characters');
  });
});

const pem = (name: string) =>
  fileURLToPath(new URL(`../testing/fixtures/link-tls/${name}.pem`, import.meta.url));
const tls = (name: string, ca?: string): LinkTls => ({
  ...{ certFile: pem(`${name}-cert`), keyFile: pem(`${name}-key`) },
  ...(ca !== undefined && { caFile: pem(`${ca}-cert`) }),
});

describe('a link over TLS', () => {
  it('is up between nodes with one certificate, whatever name it has', async () => {
    const [a, b] = [open('a', { tls: tls('shared') }), open('b', { tls: tls('shared') })];
    expect(b.url).toMatch(/^wss:/);
    await hasLink(a, { process: 'b', url: b.url });
  });

  it('is up between nodes whose certificates one authority has signed', async () => {
    const [a, b] = [open('a', { tls: tls('shared', 'ca') }), open('b', { tls: tls('here') })];
    await hasLink(a, { process: 'b', url: b.url });
  });

  it.each([
    ['another certificate', tls('shared'), 'stranger', /certificate/],
    ['a certificate that nobody has signed', tls('here', 'ca'), 'stranger', /certificate/],
    ['a certificate of another address', tls('here', 'ca'), 'elsewhere', /altnames/],
  ])('is refused to a node with %s', async (_, own, other, reason) => {
    const [a, b] = [open('a', { tls: own }), open('b', { tls: tls(other) })];
    expect(await failureOf(a, { process: 'b', url: b.url })).toMatch(reason);
  });

  it('is refused without it', async () => {
    const [a, b] = [open('a'), open('b', { tls: tls('shared') })];
    const plain = { process: 'b', url: b.url.replace('wss:', 'ws:') };
    expect(await failureOf(a, plain)).toBeDefined();
  });

  it('has files that can be read, or is an error', () => {
    const files = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    expect(() => open('a', { tls: files })).toThrow('/nowhere/cert.pem');
    const wrong = { certFile: pem('here-cert'), keyFile: pem('shared-key') };
    expect(() => open('a', { tls: wrong })).toThrow('cannot use certificate');
  });
});

describe('a node whose ping has no value that can be sent', () => {
  it('pings without one', async () => {
    const a = open('a', { handlers: { ...handlers, pingValue: () => new Date(0) } });
    const b = open('b');
    await hasLink(a, { process: 'b', url: b.url });
    for (let i = 0; i < 100; i += 1) await time.advance(50);
    expect(a.isUp('b')).toBe(true);
    expect(logged.some(({ msg }) => msg === 'a message of another node failed')).toBe(true);
  });
});
