import { describe, expect, it } from 'vitest';
import { type Random, systemRandom } from '../random.ts';
import { DiallerHandshake, ServerHandshake } from './handshake.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import { pack } from './wire.ts';

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);
/** Nonces that come again, as they never do. */
const repeating: Random = { bytes: (count) => new Uint8Array(count).fill(3) };

const dialler = (key = KEY, from = 'a', to = 'b', random = systemRandom) =>
  new DiallerHandshake(key, from, to, random);
const server = (key = KEY, process = 'b', random = systemRandom) =>
  new ServerHandshake(key, process, random);

const some = (message: Uint8Array | undefined): Uint8Array => {
  if (message === undefined) throw new Error('no message');
  return message;
};

/** Up to the proof of the dialler. */
function proofOf(dialling: DiallerHandshake, serving: ServerHandshake): Uint8Array {
  return some(dialling.receive(serving.receive(dialling.hello()).answer));
}

describe('a handshake', () => {
  it('proves both sides to each other', () => {
    const [dialling, serving] = [dialler(), server()];
    const { answer, from } = serving.receive(proofOf(dialling, serving));
    expect(from).toBe('a');
    expect(dialling.receive(answer)).toBeUndefined();
  });

  it('fails for a dialler with another key', () => {
    const serving = server();
    const proof = proofOf(dialler(OTHER_KEY), serving);
    expect(() => serving.receive(proof)).toThrow('a wrong key');
  });

  it('fails for a server with another key', () => {
    const [dialling, serving] = [dialler(KEY, 'a', 'b', repeating), server(KEY, 'b', repeating)];
    const proof = proofOf(dialling, serving);
    const [other, wrong] = [
      dialler(OTHER_KEY, 'a', 'b', repeating),
      server(OTHER_KEY, 'b', repeating),
    ];
    const { answer: welcome } = wrong.receive(proofOf(other, wrong));
    expect(() => dialling.receive(welcome)).toThrow('a wrong key');
    expect(serving.receive(proof).from).toBe('a');
  });

  it('fails where the proof of the dialler is sent back to it', () => {
    const dialling = dialler();
    const challenge = pack(['challenge', new Uint8Array(32).fill(4)]);
    const proof = some(dialling.receive(challenge));
    const reflected = proof.slice(proof.length - 32);
    expect(() => dialling.receive(pack(['welcome', reflected]))).toThrow('a wrong key');
  });

  it('fails for another process than is meant, before anything is answered', () => {
    expect(() => server(KEY, 'c').receive(dialler().hello())).toThrow('another process');
  });

  it('fails for a proof under another name', () => {
    const serving = server();
    const hello = pack(['hello', 1, 'x', 'b', new Uint8Array(32).fill(3)]);
    const { answer } = serving.receive(hello);
    const dialling = dialler(KEY, 'a', 'b', repeating);
    expect(() => serving.receive(some(dialling.receive(answer)))).toThrow('a wrong key');
  });

  it('fails where it is replayed', () => {
    const [dialling, serving] = [dialler(), server()];
    const hello = dialling.hello();
    const proof = some(dialling.receive(serving.receive(hello).answer));
    expect(serving.receive(proof).from).toBe('a');
    const replayed = server();
    replayed.receive(hello);
    expect(() => replayed.receive(proof)).toThrow('a wrong key');
  });

  const nonce = new Uint8Array(32);
  it.each([
    ['nothing', new Uint8Array()],
    ['no MessagePack', Uint8Array.of(0xc1)],
    ['no list', pack(['proof', nonce]).subarray(1)],
    ['a proof at once', pack(['proof', nonce])],
    ['another protocol', pack(['hello', 2, 'a', 'b', nonce])],
    ['a short nonce', pack(['hello', 1, 'a', 'b', nonce.subarray(1)])],
    ['no name', pack(['hello', 1, '', 'b', nonce])],
    ['a number for a name', pack(['hello', 1, 7, 'b', nonce])],
    ['a long name', pack(['hello', 1, 'a'.repeat(301), 'b', nonce])],
    ['one field too many', pack(['hello', 1, 'a', 'b', nonce, 1])],
    ['too many bytes', pack(['hello', 1, 'a', 'b', new Uint8Array(1024)])],
    ['two messages at once', Buffer.concat([dialler().hello(), dialler().hello()])],
  ])('fails for a server that is sent %s', (_, bytes) => {
    expect(() => server().receive(bytes)).toThrow(MalformedMessage);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['a welcome at once', pack(['welcome', nonce])],
    ['a short nonce', pack(['challenge', nonce.subarray(1)])],
    ['a call', pack([3, 1, 100, 'k', null])],
  ])('fails for a dialler that is sent %s', (_, bytes) => {
    expect(() => dialler().receive(bytes)).toThrow(MalformedMessage);
  });
});
