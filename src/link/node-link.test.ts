import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linkSuite } from '../testing/suites/link/link.suite.ts';
import { type LinkStage, realStage, type StageNode } from '../testing/suites/link/link-stage.ts';
import { RawDialler } from '../testing/suites/link/raw-dialler.ts';
import { CALL, NOTE, pack } from './wire.ts';

linkSuite('a link over sockets', realStage);

describe('a connection that proves nothing', () => {
  let stage: LinkStage;
  let node: StageNode;
  beforeEach(() => {
    stage = realStage();
    node = stage.node('node');
  });
  afterEach(() => stage.close());

  const hello = (from = 'other', to = 'node') =>
    pack(['hello', 1, from, to, new Uint8Array(32).fill(5)]);

  it.each([
    ['a call', pack([CALL, 1, 1000, 'k', null])],
    ['a note', pack([NOTE, 'k', null])],
    ['a hello for a process that had the address before', hello('other', 'node:before')],
    ['a long message', new Uint8Array(1025)],
    ['a message beyond all limits', new Uint8Array(1_000_000)],
    ['nothing', new Uint8Array()],
  ])('is ended without an answer if it sends %s', async (_, message) => {
    const raw = await RawDialler.open(node.link.url);
    raw.send(message);
    await raw.closed();
    expect([raw.received, node.heard]).toEqual([[], []]);
  });

  it('is ended where its key is another one', async () => {
    const wrong = { from: 'other', to: 'node', key: new Uint8Array(32) };
    await expect(RawDialler.proven(node.link.url, wrong)).rejects.toThrow('refused');
    expect(node.link.clientOf('other')).toBeUndefined();
  });

  it('is ended where it replays the handshake of another one', async () => {
    const names = { from: 'other', to: 'node' };
    const { dialler, sent } = await RawDialler.proven(node.link.url, names);
    expect(node.link.clientOf('other')?.process).toBe('other');
    expect(sent).toHaveLength(2);
    dialler.end();
    await stage.until('the end', () => node.link.clientOf('other') === undefined);
    const replay = await RawDialler.open(node.link.url);
    for (const message of sent) {
      replay.send(message);
      // The challenge, and no welcome.
      expect((await replay.next()) === undefined).toBe(message === sent[1]);
    }
    await replay.closed();
    expect(node.heard).toEqual(['gone other']);
  });

  it('is ended after a second', async () => {
    const [silent, half] = [
      await RawDialler.open(node.link.url),
      await RawDialler.open(node.link.url),
    ];
    half.send(hello());
    await half.next();
    await stage.time.advance(1000);
    await Promise.all([silent.closed(), half.closed()]);
  });

  it('cannot keep nodes out, however many there are', async () => {
    const raws = await Promise.all(
      Array.from({ length: 200 }, () => RawDialler.open(node.link.url)),
    );
    await stage.until(
      'the end of the oldest',
      () => raws.filter(({ isClosed }) => isClosed).length >= 72,
    );
    const other = stage.node('other');
    await stage.connect('other', ['node']);
    await stage.until('the link', () => other.link.isUp('node'));
    for (const raw of raws) raw.end();
  });

  it.each([
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
  ])('gets no answer to %j', async (request) => {
    const socket = connect(Number(new URL(node.link.url).port), '127.0.0.1');
    let bytes = 0;
    socket.on('data', (data) => {
      bytes += data.length;
    });
    socket.write(request);
    await once(socket, 'close');
    expect(bytes).toBe(0);
  });
});

describe('a node that dials again', () => {
  it('takes the place of its former connection, which is ended', async () => {
    const stage = realStage();
    const node = stage.node('node');
    const names = { from: 'other', to: 'node' };
    const { dialler: before } = await RawDialler.proven(node.link.url, names);
    const client = node.link.clientOf('other');
    const { dialler: after } = await RawDialler.proven(node.link.url, names);
    await before.closed();
    expect(node.heard).toEqual(['gone other']);
    expect(client?.send('m', 1)).toBe(false);
    expect(node.link.clientOf('other')?.send('m', 2)).toBe(true);
    expect(after.isClosed).toBe(false);
    after.end();
    await stage.close();
  });
});
