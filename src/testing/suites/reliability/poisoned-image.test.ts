import { expect, test } from 'vitest';
import { C_X } from '../../../../assembly/layout.ts';
import { at } from '../../../city/geometry.ts';
import type { Key, Store } from '../../../store/contract.ts';
import { openEmbedded } from '../../../store/embedded-store.ts';
import { systemTime } from '../../../time.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { imageCrc, type StoredImage } from '../../../worlds/stored-image.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { Api, vinOf } from '../twin/api.ts';
import { ask, makeWorld, stateOf, type World } from './client.ts';
import { expectWhole, hashOfImage, Reference } from './reference.ts';

const nodes = useNodes();

/** What a stored image may have become. */
const SPOILED: Record<string, (image: StoredImage) => unknown> = {
  'a wrong checksum': (image) => ({ ...image, crc: image.crc ^ 1 }),
  'a flipped bit': (image) => ({ ...image, bytes: flipped(image.bytes, 5000) }),
  'the kernel of another version': (image) => ({ ...image, kernel: 'f'.repeat(32) }),
  'a tick that is not its own': (image) => ({ ...image, tick: image.tick + 1000 }),
  'a change too many': (image) => ({ ...image, seq: image.seq + 1 }),
  'a car that is nowhere': (image) => sealed(image, (bytes) => nowhere(bytes)),
  'half its bytes': (image) => sealed(image, (bytes) => bytes.subarray(0, bytes.length / 2)),
  'twice its bytes': (image) => sealed(image, (bytes) => Buffer.concat([bytes, bytes])),
  'no bytes': ({ bytes: _, ...rest }) => rest,
  'nothing of an image': () => 'an image',
  nothing: () => null,
};

function flipped(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.with(index, (bytes[index] ?? 0) ^ 4);
}

function nowhere(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setFloat64(C_X, Number.NaN, true);
  return copy;
}

/** Spoiled bytes with a checksum that is right for them. */
function sealed(image: StoredImage, spoil: (bytes: Uint8Array) => Uint8Array): StoredImage {
  const spoiled = { ...image, bytes: spoil(image.bytes) };
  return { ...spoiled, crc: imageCrc(spoiled) };
}

function imageKey({ id }: World): Key {
  const number = parseWorldId(id) ?? 0;
  return ['p', partitionOf(number), 'image', number];
}

async function imageOf(store: Store, world: World): Promise<StoredImage> {
  const entry = await store.get<StoredImage>(imageKey(world));
  if (entry === undefined) throw new Error('there is no image');
  return entry.value;
}

/** Lets a node store images of worlds with a past; returns the worlds. */
async function makeStored(dir: string, count: number): Promise<World[]> {
  const node = await nodes.inProcess({ DATA_DIR: dir });
  const worlds: World[] = [];
  for (let seed = 0; seed < count; seed++) {
    const world = await makeWorld(node.twinUrl, { seed, start_tick: 4000 });
    worlds.push(world);
    await stateOf(node.twinUrl, world);
    await new Api(node.twinUrl).patch(vinOf(world, 0), { esc: false });
  }
  await node.stop();
  return worlds;
}

test('a stored image is the world as it is lived in one go', async () => {
  const dir = nodes.dir();
  const worlds = await makeStored(dir, 3);
  const store = await openEmbedded(dir, systemTime);
  for (const world of worlds) {
    const image = await imageOf(store, world);
    const reference = new Reference(world, []).to(image.tick);
    expect(hashOfImage(image.bytes)).toBe(reference.hash());
    reference.free();
  }
  await store.close();
});

test('[R21] a world whose stored image is damaged is rebuilt from its seed and its changes', async () => {
  const dir = nodes.dir();
  const kinds = Object.entries(SPOILED);
  const worlds = await makeStored(dir, kinds.length);
  const store = await openEmbedded(dir, systemTime);
  for (const [i, [, spoil]] of kinds.entries()) {
    const world = at(worlds, i);
    const value = spoil(await imageOf(store, world));
    const key = imageKey(world);
    await store.commit([], [{ key, value }], await takenGrant(store, Number(key[1])));
  }
  await store.close();
  const node = await nodes.inProcess({ DATA_DIR: dir });
  for (const [i, [kind]] of kinds.entries()) {
    const world = at(worlds, i);
    const answer = await ask(node.twinUrl, `/api/v1/worlds/${world.id}/state`);
    expect(answer.status, `${kind}: ${answer.text}`).toBe(200);
    await expectWhole(node.twinUrl, world);
  }
  expect(node.shards[0]?.incarnation).toBe(1);
});
