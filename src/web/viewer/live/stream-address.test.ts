import { expect, it } from 'vitest';
import { StreamAddress } from './stream-address.ts';

const HERE = 'wss://a.example/ws/worlds/w';

function addressOf(...nodes: string[]) {
  const ofNode = async () => {
    const node = nodes.shift();
    if (node === undefined) throw new Error('no answer');
    return node;
  };
  return new StreamAddress({ here: HERE, ofNode });
}

it('[N10] the stream of a world is at its node, which may change', async () => {
  const address = addressOf('wss://b.example/w', 'wss://c.example/w');
  expect(await address.next()).toBe('wss://b.example/w');
  expect(await address.next()).toBe('wss://c.example/w');
});

it('after a stream without a message it is at the address of the page, once', async () => {
  const address = addressOf('wss://b.example/w', 'wss://b.example/w');
  address.failed(await address.next());
  expect(await address.next()).toBe(HERE);
  address.failed(HERE);
  expect(await address.next()).toBe('wss://b.example/w');
});

it('it is unknown while nobody answers', async () => {
  await expect(addressOf().next()).rejects.toThrow('no answer');
});
