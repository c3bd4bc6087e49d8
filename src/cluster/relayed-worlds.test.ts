import { beforeEach, describe, expect, test } from 'vitest';
import type { HelloOf, Place } from '../cluster-service.ts';
import { LinkBroken } from '../link/contract.ts';
import { createLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import { FakeTwin, type FakeWorld } from '../testing/doubles/fake-twin.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import type { PackedHello } from '../twin/lockstep.ts';
import type { Watched } from './relay-server.ts';
import { RelayedWorlds } from './relayed-worlds.ts';

const WORLD = 1;
const watched: Watched = { kind: 'watched', id: '0000000001', fleet: [], tick: 100 };

let time: TestTime;
let relayed: RelayedWorlds;
/** Ticks that were passed to the sockets, in order. */
let shown: number[];
/** Who serves the world. */
let owner: string;
let asked: string[];
/** Answers a call; by default with what it asked for. */
let answer: () => Promise<{ value: unknown }>;
let notes: string[];
/** It serves the world where this is set: the world has come to this node. */
let local: FakeWorld | undefined;
let helloOf: HelloOf;

beforeEach(async () => {
  time = TestTime.standing();
  [shown, asked, notes, owner, local] = [[], [], [], 'a', undefined];
  helloOf = () => Promise.reject(new Error('nobody lives a world here'));
  answer = async () => ({ value: watched });
  const settled = async (): Promise<Place> =>
    local ? { at: 'here' } : { at: 'there', peer: { process: owner, twinUrl: undefined } };
  relayed = new RelayedWorlds({
    link: {
      call: async (process) => {
        asked.push(process);
        return answer();
      },
      note: (process, kind) => void notes.push(`${kind} ${process}`),
      isUp: () => true,
    },
    places: { settled, moved() {}, waitEndMs: () => time.now() + 1000 },
    service: { load: async () => local },
    ...{ time, random: systemRandom, log: createLog('silent') },
    helloOf: (...asked) => helloOf(...asked),
    askerOf: () => undefined,
  });
  relayed.use({ publish: (frames) => shown.push(...frames.map(({ tick }) => tick)) });
  await relayed.watch(WORLD, 'json', 'client');
});

const framed = (from: string, tick: number) =>
  relayed.framed(from, [WORLD, tick, 'json'], new Uint8Array(1));

describe('[N17] the frames of a world that has moved', () => {
  test('follow those of its last node, also if they come before', async () => {
    framed('a', 104);
    owner = 'b';
    framed('b', 112);
    framed('b', 116);
    framed('a', 108);
    relayed.ended('a', { world: WORLD, code: 1012 });
    framed('b', 120);
    await time.advance(1000);
    expect([shown, asked]).toEqual([
      [104, 108, 112, 116, 120],
      ['a', 'b'],
    ]);
  });

  test('do not wait for a node that says nothing more', async () => {
    framed('a', 104);
    owner = 'b';
    framed('b', 108);
    await time.advance(150);
    expect(shown).toEqual([104]);
    await time.advance(100);
    framed('b', 112);
    expect([shown, asked]).toEqual([
      [104, 108, 112],
      ['a', 'b'],
    ]);
  });

  test('are not mixed with those of an earlier node, which come late', async () => {
    framed('a', 112);
    framed('c', 108);
    await time.advance(1000);
    expect([shown, asked]).toEqual([[112], ['a']]);
  });
});

test('a node whose answer comes too late is told that nobody watches', async () => {
  const answers = [
    () => Promise.reject(new LinkBroken('too late', { isSent: true })),
    () => Promise.reject(new LinkBroken('never sent', { isSent: false })),
    async () => ({ value: watched }),
  ];
  answer = () => answers.shift()?.() ?? Promise.reject(new Error('asked too often'));
  await relayed.watch(2, 'json', 'another');
  expect([asked, notes]).toEqual([['a', 'a', 'a', 'a'], ['unwatch a']]);
});

test('[N17] a stream that is being opened is not asked for again with those that are restored', async () => {
  answer = () => Promise.reject(new LinkBroken('down', { isSent: false }));
  relayed.ended('a', { world: WORLD, code: 1012 });
  await time.advance(10);
  const opened = Promise.withResolvers<{ value: unknown }>();
  answer = () => opened.promise;
  asked = [];
  const watching = relayed.watch(WORLD, 'json', 'another');
  await time.advance(0);
  answer = async () => ({ value: watched });
  await time.advance(2000);
  opened.resolve({ value: watched });
  (await watching).unwatch('json', 'another');
  // Once for each stream.
  expect([asked, notes]).toEqual([['a', 'a'], ['unwatch a']]);
});

describe('[N17] a world that has come to this node', () => {
  test('is in use once a stream that is open is shown from here', async () => {
    local = new FakeTwin().add();
    relayed.ended('a', { world: WORLD, code: 1012 });
    await time.advance(1000);
    expect([local.touches, local.watchers.json]).toEqual([1, 1]);
  });

  test('and leaves while a hello of it is made is lived from where it is then', async () => {
    const here = new FakeTwin().add();
    const made = Promise.withResolvers<PackedHello>();
    helloOf = () => made.promise;
    local = here;
    const opening = relayed.watch(2, 'lockstep', 'client');
    await time.advance(0);
    expect(here.watchers.lockstep).toBe(1);
    local = undefined;
    relayed.left(2);
    made.resolve({} as PackedHello);
    await opening;
    expect([here.watchers.lockstep, asked]).toEqual([0, ['a', 'a']]);
  });
});
