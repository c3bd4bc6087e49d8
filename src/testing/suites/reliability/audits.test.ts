import { expect, test } from 'vitest';
import { AUDIT_TICKS, AUDITED_ONE_IN } from '../../../limits.ts';
import { hashDigits } from '../../../twin/hash-digits.ts';
import { parseWorldId } from '../../../twin/ids.ts';
import type { LockstepMessage, StateHash } from '../../../twin/lockstep.ts';
import type { OwnedWorld } from '../../../worlds/owned-world.ts';
import { LivedWorld } from '../../rigs/lived-world.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { numbering } from '../../rigs/numbering.ts';
import { until } from '../../rigs/until.ts';
import { Api, vinOf } from '../twin/api.ts';
import { LockstepClient } from '../twin/lockstep-client.ts';
import type { World } from '../twin/wire.ts';

const nodes = useNodes();

const AUDITED = AUDITED_ONE_IN * 1_000_000_007;
const AGE_TICKS = 2 * AUDIT_TICKS;

function served(node: TestNode, { id }: World): OwnedWorld {
  const world = node.worlds.atHand(parseWorldId(id) ?? -1);
  if (world === undefined) throw new Error('the world is not at hand');
  return world;
}

/** A world at the node and in a client; changes have been made. */
async function livedWorld(twin: Api) {
  const world = await twin.makeWorld({ seed: 61, start_tick: AGE_TICKS });
  const stream = await LockstepClient.open(world);
  const lived = new LivedWorld(await stream.hello());
  for (const car of [2, 5, 11]) {
    const [change] = await Promise.all([
      stream.nextOf('change'),
      twin.patch(vinOf(world, car), { brakes: false, aeb: false }),
    ]);
    lived.change(change);
  }
  /** The next hash that it is told, and how far the journal goes there. */
  const nextHash = async (): Promise<StateHash & { seq: number }> => {
    for (;;) {
      const { hash, seq } = await stream.nextOf('pulse');
      if (hash !== undefined) return { ...hash, seq };
    }
  };
  return { world, stream, lived, nextHash };
}

test('[Y10] those who live one world in a thousand are told its hash about once a minute, those of others are not', async () => {
  const node = await nodes.inProcess({}, { random: numbering(AUDITED, AUDITED + 1) });
  const twin = new Api(node.twinUrl);
  const [audited, other] = [await livedWorld(twin), await livedWorld(twin)];
  const { world, lived, nextHash } = audited;
  const own = served(node, world);
  expect([own.number, served(node, other.world).number]).toEqual([AUDITED, AUDITED + 1]);
  for (const round of [1, 2]) {
    await node.worlds.idle.sweep();
    const { tick, hash, seq } = await nextHash();
    expect(tick).toBeGreaterThan(round * AGE_TICKS - 10);
    const past = `/api/v1/worlds/${world.id}/state?tick=${tick}&hash=1`;
    expect(await twin.get('State', past)).toMatchObject({ tick, hash });
    expect(seq).toBe(lived.changes.length);
    lived.live(tick);
    expect(hashDigits(lived.kernel.hash(lived.slab))).toBe(hash);
    // It was brought to now, so the next time is a minute away; nobody watches its frames.
    expect([own.loader.isBehind, own.isHot]).toEqual([false, false]);
    await node.time.jump((AGE_TICKS * 20) / 2);
    await node.time.jump((AGE_TICKS * 20) / 2);
  }
  expect(served(node, other.world).residency).toBe(0);
  const heard: LockstepMessage[] = [];
  await other.stream.nextOf('pulse', (message) => heard.push(message));
  expect(heard.filter((message) => 'hash' in message)).toEqual([]);
  await Promise.all([audited.stream.close(), other.stream.close()]);
});

test('[Y10] a world that nobody lives is not audited, and one that is watched is not either', async () => {
  const node = await nodes.inProcess({}, { random: numbering(AUDITED) });
  const twin = new Api(node.twinUrl);
  const { world, stream } = await livedWorld(twin);
  const own = served(node, world);
  expect(own.loader.isBehind).toBe(true);
  await stream.close();
  await until('nobody watches', () => own.watcherCount === 0);
  expect(own.loader.isBehind).toBe(false);
  await node.worlds.idle.sweep();
  own.watch('lockstep', 'a');
  expect(own.loader.isBehind).toBe(true);
  own.watch('json', 'a');
  expect(own.loader.isBehind).toBe(false);
});

test('[Y10] a change that becomes durable late comes after the tick of a hash that was told before', async () => {
  const node = await nodes.withFaultyStore({}, { random: numbering(AUDITED) });
  const twin = new Api(node.twinUrl);
  const { world, stream, lived, nextHash } = await livedWorld(twin);
  const own = served(node, world);
  node.store.setFault({ kind: 'held' });
  const answer = twin.patch(vinOf(world, 7), { steering: false });
  await until('its tick has passed', () => own.pulse().tick > own.tick() + 20);
  // A sweep may have to write when the world was used, which is held as well.
  node.worlds.catchUps.add(own.loader);
  const { tick, hash, seq } = await nextHash();
  node.store.setFault({ kind: 'none' });
  expect(seq).toBe(lived.changes.length);
  lived.live(tick);
  expect(hashDigits(lived.kernel.hash(lived.slab))).toBe(hash);
  const change = await stream.nextOf('change');
  await answer;
  expect(change.seq).toBe(seq + 1);
  expect(change.tick).toBeGreaterThan(tick);
  expect(change.tick).toBeLessThanOrEqual(tick + 4);
});
