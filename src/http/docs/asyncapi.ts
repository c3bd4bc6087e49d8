import type { Schema } from '../../schema.ts';
import * as schemas from '../twin/schemas.ts';
import { RATE_HZ } from '../twin/stream-rate.ts';
import { STREAM_PATH } from '../twin/world-stream.ts';
import { exampleOf } from './examples.ts';
import { namedSchemas } from './openapi.ts';
import { TWIN } from './services.ts';

const NAMED = {
  Hello: schemas.Hello,
  Snapshot: schemas.Snapshot,
  FleetEntry: schemas.FleetEntry,
};

const ABOUT = `The first message is a hello, then a snapshot follows ${RATE_HZ} times a second. Messages
are JSON in text frames. They are MessagePack with the same content in binary frames if the query has
\`encoding=msgpack\` or the client offers the subprotocol \`msgpack\`. Messages of the client are
ignored.

A reader that cannot keep up misses whole snapshots and then gets the newest. Close codes: 1012,
reconnect at once; 1013, the world cannot be served now, or the client read nothing for 15 s: try
again later; 1009, a message over 1 KiB.`;

/**
 * The AsyncAPI 3.0 document of the stream.
 * @param publicUrl of the twin, without a trailing slash
 */
export function asyncApiOf(publicUrl: string): Record<string, unknown> {
  const { protocol, host, pathname } = new URL(publicUrl);
  return {
    asyncapi: '3.0.0',
    info: {
      title: TWIN.title,
      version: TWIN.version,
      description: 'The stream of a world. Everything else is described by `/openapi.json`.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      twin: {
        host,
        protocol: protocol.replace(':', '').replace('http', 'ws'),
        ...(pathname === '/' ? {} : { pathname }),
      },
    },
    channels: { world: channel() },
    operations: {
      watchWorld: {
        action: 'send',
        channel: { $ref: '#/channels/world' },
        summary: 'The messages to watchers of a world',
        messages: [
          { $ref: '#/channels/world/messages/hello' },
          { $ref: '#/channels/world/messages/snapshot' },
        ],
      },
    },
    components: {
      messages: {
        hello: message('Hello', schemas.Hello),
        snapshot: message('Snapshot', schemas.Snapshot),
      },
      schemas: namedSchemas(NAMED),
    },
  };
}

function channel() {
  return {
    address: STREAM_PATH,
    title: 'A world',
    description: ABOUT,
    parameters: {
      id: { description: 'Id of a living world.', examples: [String(exampleOf(schemas.WorldId))] },
    },
    messages: {
      hello: { $ref: '#/components/messages/hello' },
      snapshot: { $ref: '#/components/messages/snapshot' },
    },
    bindings: {
      ws: {
        method: 'GET',
        query: { type: 'object', properties: { encoding: schemas.EncodingName } },
        bindingVersion: '0.1.0',
      },
    },
  };
}

function message(name: string, schema: Schema) {
  return {
    name,
    title: name,
    summary: schema.description,
    payload: { $ref: `#/components/schemas/${name}` },
    examples: [{ payload: exampleOf(schema) }],
  };
}
