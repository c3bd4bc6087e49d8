import specs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { beforeAll, expect, test } from 'vitest';
import { checkMessage } from '../../rigs/published.ts';
import { useTwin } from './api.ts';
import { Stream } from './stream-client.ts';
import type { World } from './wire.ts';

interface AsyncApi {
  asyncapi: string;
  info: { title: string; version: string };
  servers: { twin: { host: string; protocol: string } };
  channels: { world: { address: string; messages: Record<string, unknown> } };
  components: { messages: Record<string, { payload: unknown; examples: { payload: unknown }[] }> };
}

const api = useTwin();
let world: World;
let document: AsyncApi;
beforeAll(async () => {
  world = await api.makeWorld();
  document = (await api.ask('/asyncapi.json')).body as AsyncApi;
});

test('the document is AsyncAPI 3.0.0', () => {
  expect(document.asyncapi).toBe('3.0.0');
  // The schema brings the one that it is itself described by.
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    meta: false,
    validateSchema: false,
  });
  const validate = ajv.compile(specs.schemas['3.0.0'] as AnySchema);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(validate({ ...document, channels: { world: { address: 7 } } })).toBe(false);
});

test('it names the address of every stream', () => {
  const { servers, channels } = document;
  const url = `${servers.twin.protocol}://${servers.twin.host}${channels.world.address}`;
  expect(url.replace('{id}', world.id)).toBe(world.stream_url);
});

test.each([
  ['', false],
  ['?encoding=msgpack', true],
])('[H17] hello and frames of %s are as it says', async (query, isBinary) => {
  const stream = await Stream.open(world.stream_url + query);
  const types: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    const message = await stream.next();
    expect(message.isBinary).toBe(isBinary);
    await checkMessage(world.stream_url, message.content);
    types.push((message.content as { type: unknown }).type);
  }
  await stream.close();
  expect(types).toEqual(['hello', 'snapshot', 'snapshot', 'snapshot']);
  expect(Object.keys(document.channels.world.messages)).toEqual(['hello', 'snapshot']);
});

test('a frame with more or less in it is not', async () => {
  const stream = await Stream.open(world.stream_url);
  await stream.hello();
  const [frame] = await stream.frames(1);
  await stream.close();
  const { lights: _, ...less } = { ...frame };
  await expect(checkMessage(world.stream_url, less)).rejects.toThrow('lights');
  await expect(checkMessage(world.stream_url, { ...frame, more: 1 })).rejects.toThrow('more');
});

test('its examples are messages', async () => {
  const { hello, snapshot } = document.components.messages;
  for (const { payload } of [...(hello?.examples ?? []), ...(snapshot?.examples ?? [])]) {
    await checkMessage(world.stream_url, payload);
  }
  expect([hello?.examples.length, snapshot?.examples.length]).toEqual([1, 1]);
});
