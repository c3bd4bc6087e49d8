import { beforeAll, describe, expect, test } from 'vitest';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import { Dice } from '../../rigs/dice.ts';
import { changesOf } from '../reliability/client.ts';
import { Reference } from '../reliability/reference.ts';
import { useTwin, vinOf } from './api.ts';
import { Stream } from './stream-client.ts';
import type { Snapshot, World } from './wire.ts';

const api = useTwin();
let world: World;
beforeAll(async () => {
  world = await api.makeWorld({ seed: 21, start_tick: 6000 });
  for (const car of [1, 4, 9]) await api.patch(vinOf(world, car), { brakes: false, esc: false });
});

const ask = (of: World, query: string, msgpack = false) =>
  api.ask(`/api/v1/worlds/${of.id}/state?${query}`, { msgpack });
const frameOf = (tick: number) => tick - (tick % 4);
const journalOf = (of: World) => api.world('Journal', of, '/journal');
const nowOf = async (of: World) => (await api.world('World', of)).tick;

/** Ticks of a world, also such between frames, in order; some around its last change. */
async function someTicks(of: World): Promise<number[]> {
  const { changes, tick: now } = await journalOf(of);
  const last = changes.at(-1)?.tick ?? 0;
  const roll = new Dice(7);
  const some = Array.from({ length: 8 }, () => roll.below(now));
  return [0, 1, ...some, last - 1, last, last + 5]
    .filter((tick) => tick <= now)
    .sort((a, b) => a - b);
}

/** The world on the node that serves it. */
function served({ id }: World) {
  const number = parseWorldId(id) ?? 0;
  const node = api.node.nodes.find(({ ranges }) => ranges.grantOf(partitionOf(number)));
  const found = node?.worlds.atHand(number);
  if (found === undefined) throw new Error('no node serves the world');
  return found;
}

describe('a past state', () => {
  test('[T17] is that of the world lived in one go, to the byte, with its hash', async () => {
    const reference = new Reference(world, changesOf(await journalOf(world)));
    try {
      for (const tick of await someTicks(world)) {
        const lived = reference.to(frameOf(tick)).snapshot();
        expect((await ask(world, `tick=${tick}`)).text).toBe(lived);
        const hash = reference.hash().toString(16).padStart(16, '0');
        const expected = { ...JSON.parse(lived), hash };
        for (const msgpack of [false, true]) {
          const { body, headers } = await ask(world, `tick=${tick}&hash=1`, msgpack);
          expect(body).toEqual(expected);
          const type = msgpack ? 'application/msgpack' : 'application/json';
          expect(headers.get('Content-Type')).toBe(type);
        }
      }
    } finally {
      reference.free();
    }
  });

  test('[T17] is what the stream has shown at that tick, while the world is watched', async () => {
    const stream = await Stream.open(world.stream_url);
    await stream.hello();
    const frames = await stream.frames(5);
    for (const frame of frames.slice(0, -1)) {
      expect(await api.world('State', world, `/state?tick=${frame.tick + 1}`)).toEqual(frame);
    }
    await stream.close();
  });

  test('[T17] is that of now where no tick is given', async () => {
    const before = await nowOf(world);
    const state = await api.world('State', world, '/state?hash=1');
    expect(state.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(state.tick).toBeGreaterThanOrEqual(frameOf(before));
    expect(state.tick % 4).toBe(0);
    expect(await api.world('State', world, `/state?tick=${state.tick}&hash=1`)).toEqual(state);
  });

  test('[T18] neither loads nor steps the world, and the next read shows it where it is', async () => {
    const unused = await api.makeWorld({ seed: 22, start_tick: 3000 });
    await ask(unused, 'tick=2000');
    await ask(unused, 'hash=1');
    expect(served(unused).residency).toBe(0);
    const state: Snapshot = await api.world('Snapshot', unused, '/state');
    expect(state.tick).toBeGreaterThanOrEqual(3000);
    expect(served(unused).residency).not.toBe(0);
  });

  test('[T17] is refused for a tick that has not come yet, and for what is no tick', async () => {
    const refusal = (query: string) => api.refusal(`/api/v1/worlds/${world.id}/state?${query}`);
    const later = (await nowOf(world)) + 3000;
    const wrong = [`tick=${later}`, 'tick=-1', 'tick=1.5', 'tick=', 'tick=now', 'tick=99999999999'];
    for (const query of [...wrong, 'hash=2', 'hash', 'tick=4&hash=true']) {
      expect(await refusal(query)).toEqual([400, 'invalid_value']);
    }
    expect(await api.refusal('/api/v1/worlds/0000000000/state?tick=4')).toEqual([
      404,
      'unknown_world',
    ]);
  });
});
