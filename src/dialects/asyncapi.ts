// The native protocol as an AsyncAPI 3.0 document, made from the schemas that check the messages, so that the two
// cannot disagree.

import { z } from 'zod';
import { connectionEventSchemas, serverEventSchemas } from './native-events.ts';
import { clientMessageSchemas } from './native-messages.ts';

type Json = { readonly [key: string]: unknown };

const payload = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const {
    $schema: _dialect,
    description: _description,
    ...rest
  } = z.toJSONSchema(schema, { target: 'draft-7', io });
  return rest;
};

const messagesOf = (
  schemas: Record<string, z.ZodType>,
  prefix: string,
  io: 'input' | 'output',
): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      `${prefix}${type}`,
      { name: type, title: type, summary: schema.description ?? type, payload: payload(schema, io) },
    ]),
  );

/** What a session says; what is said of its connection has no number. */
const numbered = (messages: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(messages).map(([key, message]) => {
      const of = message['payload'] as Json;
      const properties = { ...(of['properties'] as Json), n: MESSAGE_NUMBER };
      return [key, { ...message, payload: { ...of, properties } }];
    }),
  );
const MESSAGE_NUMBER: Json = {
  type: 'integer',
  minimum: 1,
  description: 'Number of the message in its session; only with resumable=1',
};

const refs = (keys: readonly string[], at: string) => keys.map((key) => ({ $ref: `${at}/${key}` }));

export function asyncApiDocument(version: string, gatewayUrl: URL): Json {
  const client = messagesOf(clientMessageSchemas, 'client-', 'input');
  const server = {
    ...numbered(messagesOf(serverEventSchemas, 'server-', 'output')),
    ...messagesOf(connectionEventSchemas, 'server-', 'output'),
  };
  const audio: Json = {
    name: 'audio-bytes',
    title: 'audio-bytes',
    summary: 'Binary frame: audio of the turn between its started and ended, in order',
    contentType: 'application/octet-stream',
    payload: { type: 'string', format: 'binary' },
  };
  const messages = { ...client, ...server, 'server-audio-bytes': audio };
  const channel = '#/channels/session/messages';
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Voxgate native protocol',
      version,
      description:
        'Text in, paced speech out. One WebSocket is one session; docs/protocol.md tells the rules.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: { host: gatewayUrl.host, protocol: gatewayUrl.protocol === 'https:' ? 'wss' : 'ws' },
    },
    channels: {
      session: {
        address: '/v1/session',
        description:
          'The query of the upgrade may preset any field of configure, and take an agent of the same user: ?agent=ID. With resumable=1 the session outlives its connection; after, turn, received and resume go on with it.',
        messages: Object.fromEntries(
          Object.keys(messages).map((key) => [key, { $ref: `#/components/messages/${key}` }]),
        ),
      },
    },
    operations: {
      fromClient: {
        action: 'receive',
        channel: { $ref: '#/channels/session' },
        messages: refs(Object.keys(client), channel),
      },
      toClient: {
        action: 'send',
        channel: { $ref: '#/channels/session' },
        messages: refs([...Object.keys(server), 'server-audio-bytes'], channel),
      },
    },
    components: { messages },
  };
}
