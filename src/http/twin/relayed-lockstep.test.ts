import { decode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RelayedWorld } from '../../cluster-service.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { type NodeFront, openTestFronts } from '../../testing/doubles/test-front.ts';
import { until } from '../../testing/rigs/until.ts';
import type { LockstepMessage } from '../../twin/lockstep.ts';

let near: NodeFront;
let far: NodeFront;
let close: () => Promise<void>;
let world: FakeWorld;
beforeAll(() => {
  ({ near, far, close } = openTestFronts({ cityKernels: new Map([['grid', 'kernel of grid']]) }));
  world = far.service.add();
  world.changes = [{ tick: 10, car: 1, touched: 1, values: 0 }];
});
afterAll(() => close());

interface Client {
  socket: WebSocket;
  messages: LockstepMessage[];
}

function openStream(query = '', { id } = world): Client {
  const url = near.twinUrl.replace('http', 'ws');
  const socket = new WebSocket(`${url}/ws/worlds/${id}?encoding=lockstep${query}`);
  socket.binaryType = 'arraybuffer';
  const messages: LockstepMessage[] = [];
  socket.addEventListener('message', ({ data }) => {
    messages.push(decode(new Uint8Array(data)) as LockstepMessage);
  });
  return { socket, messages };
}

async function hello({ messages }: Client): Promise<LockstepMessage> {
  await until('a hello', () => messages.length > 0);
  return messages[0] as LockstepMessage;
}

function tell(seq: number): void {
  far.service.tell(world, {
    ...{ type: 'change', seq, tick: 20, car: 2, touched: 2, values: 0, journal: world.journalHash },
  });
}

const typesOf = ({ messages }: Client) => messages.map(({ type }) => type);

test('[Y7] a world of another node is lived from what that node says', async () => {
  const client = openStream();
  expect(await hello(client)).toMatchObject({
    ...{ type: 'hello', world: world.id, kernel: 'kernel of grid', seq: 1, resumed: false },
  });
  expect(near.cluster.watched).toMatchObject([{ world: world.number, encoding: 'lockstep' }]);
  tell(2);
  await until('the change', () => typesOf(client).includes('change'));
  expect(client.messages.find(({ type }) => type === 'change')).toMatchObject({ seq: 2, car: 2 });
  client.socket.close();
  await until('the end of watching', () => near.cluster.watched.length === 0);
});

test('[Y4] what its client knows is told that node', async () => {
  const client = openStream(`&since=1&journal=${world.journalHash}`);
  expect(await hello(client)).toMatchObject({ resumed: true, seq: 1 });
  client.socket.close();
  await until('the end of watching', () => near.cluster.watched.length === 0);
});

test('[Y7] once the world is served again its clients hear how far the journal goes', async () => {
  const client = openStream();
  await hello(client);
  near.cluster.serveAgain(world, { ...world.pulse(), seq: 9 });
  const isPulse = (each: LockstepMessage) => each.type === 'pulse' && each.seq === 9;
  await until('the pulse', () => client.messages.some(isPulse));
  client.socket.close();
  await until('the end of watching', () => near.cluster.watched.length === 0);
});

test('[Y10] what a world has come to at its node is told the clients of other nodes', async () => {
  const client = openStream();
  await hello(client);
  const hash = { tick: 8, hash: '0f1e2d3c4b5a6978' };
  far.service.tell(world, { type: 'pulse', ...world.pulse(), hash });
  const told = () =>
    client.messages.flatMap((each) => (each.type === 'pulse' ? (each.hash ?? []) : []));
  await until('the hash', () => told().length > 0);
  expect(told()).toEqual([hash]);
  client.socket.close();
  await until('the end of watching', () => near.cluster.watched.length === 0);
});

test('a refusal of that node is an answer, and nothing of the stream stays', async () => {
  world.failure = new Error('the shard is gone');
  const client = openStream();
  await new Promise((resolve) => client.socket.addEventListener('error', resolve));
  world.failure = undefined;
  expect([client.messages, near.cluster.watched]).toEqual([[], []]);
});

test('the hello of a stream is not kept while it is open', async () => {
  const { cluster } = near;
  const watch = cluster.watch.bind(cluster);
  const hellos: unknown[] = [];
  let relayed: RelayedWorld | undefined;
  cluster.watch = async (...asked) => {
    relayed = await watch(...asked);
    hellos.push(relayed.hello);
    return relayed;
  };
  const client = openStream();
  await hello(client);
  expect(hellos).toMatchObject([{ pulse: { seq: 1 } }]);
  expect(relayed?.hello).toBeUndefined();
  client.socket.close();
  await until('the end of watching', () => cluster.watched.length === 0);
  cluster.watch = watch;
});

test('[Y7] a stream goes with its world to another node once, and not after it has closed', async () => {
  const own = near.service.add();
  const clients = [openStream('', own), openStream('', own)];
  await Promise.all(clients.map(hello));
  clients[0]?.socket.close();
  await until('one stream', () => own.watcherCount === 1);
  near.service.endStreams(own, 'moved');
  expect(near.cluster.watched).toMatchObject([{ world: own.number, encoding: 'lockstep' }]);
  expect(own.watcherCount).toBe(0);
  clients[1]?.socket.close();
  await until('the end of watching', () => near.cluster.watched.length === 0);
});

test('a stream that is closed as it opens does not go with its world to another node', async () => {
  const own = near.service.add();
  const made = Promise.withResolvers<void>();
  own.gate = made.promise;
  const { socket } = openStream('', own);
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  await until('a stream that opens', () => own.watcherCount === 1);
  const change = { type: 'change', tick: 20, car: 2, touched: 2, values: 0 } as const;
  // More than may wait for it.
  for (let seq = 1; seq <= 1001; seq++) {
    near.service.tell(own, { ...change, seq, journal: own.journalHash });
  }
  made.resolve();
  expect(await closed).toBe(1012);
  expect(own.watcherCount).toBe(0);
  near.service.endStreams(own, 'moved');
  expect([near.cluster.watched, own.watcherCount]).toEqual([[], 0]);
});
