import type { Schema } from '../../schema.ts';
import * as lockstep from '../twin/lockstep-schemas.ts';
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
  ...lockstep,
};

const LOCKSTEP_MESSAGES = ['lockstepHello', 'change', 'pulse', 'incident'];

const ABOUT = `The first message is a hello, then a snapshot follows ${RATE_HZ} times a second. Messages
are JSON in text frames. They are MessagePack with the same content in binary frames if the query has
\`encoding=msgpack\` or the client offers the subprotocol \`msgpack\`. Messages of the client are
ignored.

A reader that cannot keep up misses whole snapshots and then gets the newest. Close codes: 1012,
reconnect at once; 1013, the world cannot be served now, or the client read nothing for 15 s: try
again later; 1009, a message over 1 KiB.`;

const ABOUT_LOCKSTEP = `With \`encoding=lockstep\` the client lives the world itself, with the kernel of the
server: the same bits at every tick. It gets no snapshots, but what the world is lived from and what
changes. All messages are MessagePack in binary frames. Pulses come 0, 0.1, 0.25, 0.5, 1, 2, 4 and 8 s
after the hello, then every 15 s. A client that misses a number of a change, or has another hash of the
journal at the \`seq\` of a message, opens the stream anew. With \`since\` and \`journal\` it says what it has.

No message is left out. A reader that leaves more than 64 KiB unread is closed with 1013. Close codes
are those of the other streams.`;

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
    channels: { world: channel(), lockstep: lockstepChannel() },
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
      liveWorld: {
        action: 'send',
        channel: { $ref: '#/channels/lockstep' },
        summary: 'The messages to clients that live a world themselves',
        messages: LOCKSTEP_MESSAGES.map((name) => ({
          $ref: `#/channels/lockstep/messages/${name}`,
        })),
      },
    },
    components: {
      messages: {
        lockstepHello: message('LockstepHello', lockstep.LockstepHello),
        change: message('LockstepChange', lockstep.LockstepChange),
        pulse: message('LockstepPulse', lockstep.LockstepPulse),
        incident: message('LockstepIncident', lockstep.LockstepIncident),
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

function lockstepChannel() {
  const { address, parameters } = channel();
  const { StreamEncodingName: encoding, KnownSeq: since, JournalHash: journal } = schemas;
  return {
    ...{ address, parameters },
    title: 'A world that the client lives itself',
    description: ABOUT_LOCKSTEP,
    messages: Object.fromEntries(
      LOCKSTEP_MESSAGES.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
    bindings: {
      ws: {
        method: 'GET',
        query: { type: 'object', properties: { encoding, since, journal } },
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
